// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls by which a program tells tools about itself, as far as they have no effect here, and accesses at odd
// addresses.
#include <cstring>

#include "vm/library.hpp"

namespace thrum::vm {

namespace {

template <typename T>
Next load(Call& call) {
  const std::uint64_t place = call.argument(0);
  if (!call.machine.may_read(place, sizeof(T))) return Next::over;
  T value = 0;
  std::memcpy(&value, &at<char>(place), sizeof value);
  return call.result(value);
}
template <typename T>
Next store(Call& call) {
  const std::uint64_t place = call.argument(0);
  if (!call.machine.may_write(place, sizeof(T))) return Next::over;
  call.machine.write(place, static_cast<T>(call.argument(1)));
  return Next::done;
}

}  // namespace

Next do_unaligned_load16(Call& call) { return load<std::uint16_t>(call); }
Next do_unaligned_load32(Call& call) { return load<std::uint32_t>(call); }
Next do_unaligned_load64(Call& call) { return load<std::uint64_t>(call); }
Next do_unaligned_store16(Call& call) { return store<std::uint16_t>(call); }
Next do_unaligned_store32(Call& call) { return store<std::uint32_t>(call); }
Next do_unaligned_store64(Call& call) { return store<std::uint64_t>(call); }

}  // namespace thrum::vm
