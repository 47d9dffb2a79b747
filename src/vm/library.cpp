// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/library.hpp"

#include <algorithm>

namespace thrum::vm {

Next refuse(Call& call, std::string what) {
  call.machine.refused = std::move(what);
  call.machine.finish(End::refused);
  return Next::over;
}

std::uint64_t text_place(Text kind, std::uint32_t number) {
  return kLibraryData + (1 << 16) + kTextRoom * (static_cast<std::uint32_t>(kind) + number);
}

std::uint64_t constant_text(Call& call, Text kind, std::uint32_t number, std::string_view text) {
  const std::uint64_t place = text_place(kind, number);
  const std::string_view cut = text.substr(0, kTextRoom - 1);
  Memory& memory = call.machine.memory;
  if ((shadow_at<std::uint8_t>(place) & kAddressable) != 0) return place;
  memory.copy(place, cut.data(), cut.size());
  memory.put(at<char>(place + cut.size()), char{0});
  memory.set_shadow(place, cut.size() + 1, kAddressable | kDefined | kReadOnly);
  return place;
}

std::uint64_t returned_place(const Call& call, Returned what) {
  // Behind what a thread has else; see thread_part().
  constexpr std::uint64_t kBehindStorage = kThreadSize - (1 << 20);
  return thread_part(call.thread.slot) + kBehindStorage + static_cast<std::uint64_t>(what) * kReturnedRoom;
}

std::uint64_t put_returned(Call& call, Returned what, std::string_view text) {
  const std::uint64_t place = returned_place(call, what);
  const std::string_view cut = text.substr(0, kReturnedRoom - 1);
  Memory& memory = call.machine.memory;
  memory.set_shadow(place, kReturnedRoom, 0);
  memory.set_shadow(place, cut.size() + 1, kAddressable | kDefined);
  memory.copy(place, cut.data(), cut.size());
  memory.put(at<char>(place + cut.size()), char{0});
  return place;
}

}  // namespace thrum::vm
