// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers in strings. libc reads them from a copy; what it read there, the program has read.
#include <bit>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <string>

#include "vm/library.hpp"

namespace thrum::vm {

namespace {

constexpr std::uint64_t kLongestNumber = 1 << 16;  // characters, the space before it among them

// The text up to its 0, or up to memory that is not in use.
template <typename T>
std::basic_string<T> copy_at(std::uint64_t address) {
  std::basic_string<T> copy;
  for (std::uint64_t place = address; copy.size() < kLongestNumber; place += sizeof(T)) {
    if (!in_arena(place, sizeof(T)) ||
        Memory::first_unfit(place, sizeof(T), kAddressable) != place + sizeof(T) || at<T>(place) == 0)
      break;
    copy += at<T>(place);
  }
  return copy;
}

// Argument 0: the text. end: where the end of the number goes; 0: nowhere. parse(text, &end) is libc's
// function.
template <typename T, typename Parse>
auto parse(Call& call, std::uint64_t end_place, Parse parse_it) {
  using Number = decltype(parse_it(static_cast<const T*>(nullptr), static_cast<T**>(nullptr)));
  const std::uint64_t address = call.argument(0);
  const std::basic_string<T> copy = copy_at<T>(address);
  T* end = nullptr;
  errno = 0;
  const Number number = parse_it(copy.c_str(), &end);
  const int error = errno;
  const auto length = static_cast<std::uint64_t>(end - copy.c_str());
  if (!reads<T>(call, address, length + 1) || !put_value(call, end_place, address + length * sizeof(T)))
    return std::optional<Number>();
  if (error != 0) set_errno(call, error);
  return std::optional<Number>(number);
}

template <typename T>
Next whole_number(Call& call, auto function) {
  const int base = call.int_argument(2);
  const auto number = parse<T>(call, call.argument(1), [&](const T* text, T** end) {
    *end = const_cast<T*>(text);  // which it leaves as it is for a wrong base
    return function(text, end, base);
  });
  return number ? call.result(static_cast<std::uint64_t>(*number)) : Next::over;
}

Next real_result(const Call& call, float value) { return call.result(std::bit_cast<std::uint32_t>(value)); }
Next real_result(const Call& call, double value) { return call.result(std::bit_cast<std::uint64_t>(value)); }
Next real_result(const Call& call, long double value) {
  constexpr std::size_t kBytes = 10;
  std::uint64_t words[2] = {};
  std::memcpy(words, &value, kBytes);
  std::memcpy(&call.registers()[call.site.result], words, sizeof words);
  return Next::done;
}
template <typename T>
Next real(Call& call, std::uint64_t end_place, auto function) {
  const auto number = parse<T>(call, end_place, function);
  return number ? real_result(call, *number) : Next::over;
}

}  // namespace

Next do_strtol(Call& call) { return whole_number<char>(call, std::strtol); }
Next do_strtoul(Call& call) { return whole_number<char>(call, std::strtoul); }
Next do_wcstol(Call& call) { return whole_number<wchar_t>(call, std::wcstol); }
Next do_wcstoul(Call& call) { return whole_number<wchar_t>(call, std::wcstoul); }

Next do_strtof(Call& call) { return real<char>(call, call.argument(1), std::strtof); }
Next do_strtod(Call& call) { return real<char>(call, call.argument(1), std::strtod); }
Next do_strtold(Call& call) { return real<char>(call, call.argument(1), std::strtold); }
Next do_wcstof(Call& call) { return real<wchar_t>(call, call.argument(1), std::wcstof); }
Next do_wcstod(Call& call) { return real<wchar_t>(call, call.argument(1), std::wcstod); }
Next do_wcstold(Call& call) { return real<wchar_t>(call, call.argument(1), std::wcstold); }

constexpr int kDecimal = 10;

Next do_atof(Call& call) { return real<char>(call, 0, std::strtod); }
Next do_atoi(Call& call) {
  const auto number =
      parse<char>(call, 0, [](const char* text, char** end) { return std::strtol(text, end, kDecimal); });
  return number ? call.result_int(static_cast<int>(*number)) : Next::over;
}
Next do_atol(Call& call) {
  const auto number =
      parse<char>(call, 0, [](const char* text, char** end) { return std::strtol(text, end, kDecimal); });
  return number ? call.result(static_cast<std::uint64_t>(*number)) : Next::over;
}

}  // namespace thrum::vm
