// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes and strings. What a function reads and writes is checked before, and is an access of the program.
#include <cstring>

#include "vm/externals.hpp"

namespace thrum::vm {

namespace {

int sign(int value) { return value < 0 ? -1 : value > 0 ? 1 : 0; }

// The number of bytes before the final 0, at most `most`; nothing: they are not all there.
std::optional<std::uint64_t> length_at(Call& call, std::uint64_t address, std::uint64_t most = kArenaSize) {
  std::uint64_t length = 0;
  for (; length < most; ++length) {
    const std::uint64_t place = address + length;
    if (!in_arena(place) || (shadow_at<std::uint8_t>(place) & kAddressable) == 0) {
      call.machine.may_read(place, 1);
      return std::nullopt;
    }
    if (at<char>(place) == 0) break;
  }
  const std::uint64_t read = length < most ? length + 1 : length;
  if (!call.machine.read_for_program(address, read)) return std::nullopt;
  return length;
}

void move(Machine& machine, std::uint64_t to, std::uint64_t from, std::uint64_t size) {
  machine.memory.copy(to, &at<char>(from), size);
  machine.memory.copy(to + kShadowDistance, &at<char>(from + kShadowDistance), size);
  if (size != 0 && (shadow_at<std::uint8_t>(to) & kReadOnly) != 0)
    machine.memory.set_shadow(to, size, kAddressable | kDefined);
}

Next compare(Call& call, std::uint64_t most) {
  const std::optional<std::uint64_t> a = length_at(call, call.argument(0), most);
  if (!a) return Next::over;
  const std::optional<std::uint64_t> b = length_at(call, call.argument(1), most);
  if (!b) return Next::over;
  const std::uint64_t count = std::min(std::min(*a, *b) + 1, most);
  return call.result_int(sign(std::memcmp(&at<char>(call.argument(0)), &at<char>(call.argument(1)), count)));
}

}  // namespace

std::optional<std::string> string_at(Call& call, std::uint64_t address) {
  const std::optional<std::uint64_t> length = length_at(call, address);
  if (!length) return std::nullopt;
  return std::string(&at<char>(address), *length);
}

Next do_memcpy(Call& call) {
  const std::uint64_t size = call.argument(2);
  if (!call.machine.read_for_program(call.argument(1), size) ||
      !call.machine.write_for_program(call.argument(0), size))
    return Next::over;
  move(call.machine, call.argument(0), call.argument(1), size);
  return call.result(call.argument(0));
}

Next do_memset(Call& call) {
  const std::uint64_t size = call.argument(2);
  if (!call.machine.write_for_program(call.argument(0), size)) return Next::over;
  call.machine.memory.fill(call.argument(0), call.int_argument(1), size);
  call.machine.memory.set_shadow(call.argument(0), size, kAddressable | kDefined);
  return call.result(call.argument(0));
}

Next do_memcmp(Call& call) {
  const std::uint64_t size = call.argument(2);
  if (!call.machine.read_for_program(call.argument(0), size) ||
      !call.machine.read_for_program(call.argument(1), size))
    return Next::over;
  return call.result_int(
      size == 0 ? 0 : sign(std::memcmp(&at<char>(call.argument(0)), &at<char>(call.argument(1)), size)));
}

Next do_memchr(Call& call) {
  const std::uint64_t begin = call.argument(0);
  const std::uint64_t size = call.argument(2);
  std::uint64_t place = begin;
  for (; place != begin + size; ++place) {
    if (!call.machine.may_read(place, 1)) return Next::over;
    if (at<std::uint8_t>(place) == static_cast<std::uint8_t>(call.argument(1))) break;
  }
  const bool found = place != begin + size;
  if (!call.machine.read_for_program(begin, found ? place - begin + 1 : size)) return Next::over;
  return call.result(found ? place : 0);
}

Next do_strlen(Call& call) {
  const std::optional<std::uint64_t> length = length_at(call, call.argument(0));
  return length ? call.result(*length) : Next::over;
}

Next do_strcmp(Call& call) { return compare(call, kArenaSize); }
Next do_strncmp(Call& call) {
  return call.argument(2) == 0 ? call.result_int(0) : compare(call, call.argument(2));
}

Next do_strcpy(Call& call) {
  const std::optional<std::uint64_t> length = length_at(call, call.argument(1));
  if (!length || !call.machine.write_for_program(call.argument(0), *length + 1)) return Next::over;
  move(call.machine, call.argument(0), call.argument(1), *length + 1);
  return call.result(call.argument(0));
}

Next do_strchr(Call& call) {
  const std::optional<std::uint64_t> length = length_at(call, call.argument(0));
  if (!length) return Next::over;
  const char* const begin = &at<char>(call.argument(0));
  const char* const found = std::strchr(begin, call.int_argument(1));
  return call.result(found ? call.argument(0) + static_cast<std::uint64_t>(found - begin) : 0);
}

}  // namespace thrum::vm
