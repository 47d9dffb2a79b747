// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The accesses of printf and scanf, by their formats (ISO C 7.21.6, and glibc's extensions).
//
// A format is followed directive by directive. If one is not understood (positions such as %1$s, directives
// that a program has registered), the rest is left out: fewer accesses are noted than happen, never more.
//
// Tested by libc_formats_test.cpp.

#include "runtime/libc/libc_formats.hpp"

#include <cstdint>
#include <cwchar>

#include "runtime/libc/libc_memory.hpp"

namespace thrum {

namespace {

template <typename T>
bool is_one_of(T character, const char* set) {
  return character > 0 && character < 128 && std::strchr(set, static_cast<char>(character)) != nullptr;
}

// A number; -1 if there are no digits.
template <typename T>
int take_number(const T*& at) {
  if (*at < '0' || *at > '9') return -1;
  int value = 0;
  for (; *at >= '0' && *at <= '9'; ++at) {
    if (value < 100'000'000) value = value * 10 + static_cast<int>(*at - '0');
  }
  return value;
}

// A length modifier: hh, h, l, ll and so on.
template <typename T>
Length take_length(const T*& at) {
  auto twice = [&](T letter) { return at[0] == letter && at[1] == letter; };
  if (twice('h')) return at += 2, Length::one;
  if (twice('l')) return at += 2, Length::eight;
  switch (*at) {
    case 'h': return ++at, Length::two;
    case 'l': return ++at, Length::wide;
    case 'q':
    case 'j':
    case 'z':
    case 'Z':
    case 't': return ++at, Length::eight;
    case 'L': return ++at, Length::longest;
    default: return Length::none;
  }
}

// Skips the set of %[...].
template <typename T>
const T* behind_set(const T* at) {
  if (*at == '^') ++at;
  if (*at == ']') ++at;
  while (*at != 0 && *at != ']') ++at;
  return *at == 0 ? nullptr : at + 1;
}

}  // namespace

template <typename T>
bool next_print_directive(const T*& at, PrintDirective& directive) {
  while (*at != 0 && *at != '%') ++at;
  if (*at == 0) return false;
  ++at;
  directive = {};
  while (is_one_of(*at, "-+ #0'I")) ++at;
  auto take_amount = [&](int& amount, bool& is_argument) {
    is_argument = *at == '*';
    if (is_argument) ++at;
    amount = is_argument ? -1 : take_number(at);
  };
  take_amount(directive.width, directive.width_is_argument);
  if (*at == '.') {
    ++at;
    take_amount(directive.precision, directive.precision_is_argument);
    if (directive.precision < 0) directive.precision = 0;
  }
  directive.length = take_length(at);
  if (!is_one_of(*at, "diouxXbBcCsSpneEfFgGaAm%")) return false;
  directive.conversion = static_cast<char>(*at++);
  if (directive.conversion == 'C' || directive.conversion == 'S') directive.length = Length::wide;
  return true;
}

template <typename T>
bool next_scan_directive(const T*& at, bool old, ScanDirective& directive) {
  directive = {};
  for (; *at != '%'; ++at) {
    if (*at == 0) return false;
    if (!is_one_of(*at, " \t\n\v\f\r")) directive.follows_text = true;
  }
  ++at;
  directive.suppressed = *at == '*';
  if (directive.suppressed) ++at;
  while (is_one_of(*at, "'I")) ++at;
  directive.width = take_number(at);
  directive.allocates = *at == 'm' || (old && *at == 'a' && is_one_of(at[1], "sS[") && at[1] != 0);
  if (directive.allocates) ++at;
  directive.length = take_length(at);
  if (!is_one_of(*at, "diouxXbpneEfFgGaAcCsS[%")) return false;
  directive.conversion = static_cast<char>(*at++);
  if (directive.conversion == 'C' || directive.conversion == 'S') directive.length = Length::wide;
  if (directive.conversion != '[') return true;
  at = behind_set(at);
  return at != nullptr;
}

std::size_t integer_size(Length length) {
  switch (length) {
    case Length::none: return sizeof(int);
    case Length::one: return 1;
    case Length::two: return 2;
    default: return 8;
  }
}

std::size_t real_size(Length length) {
  return length == Length::none ? sizeof(float) : length == Length::longest ? sizeof(long double) : 8;
}

template <typename T>
void LibcCall::prints(const T* format, va_list list) const {
  reads_string(format);
  PrintDirective next;
  while (next_print_directive(format, next)) {
    if (next.width_is_argument) static_cast<void>(va_arg(list, int));
    if (next.precision_is_argument) next.precision = va_arg(list, int);
    switch (next.conversion) {
      case '%':
      case 'm': break;
      case 's':
      case 'S': {
        const void* s = va_arg(list, const void*);
        if (!s) break;
        const bool is_wide = next.length == Length::wide;
        // How many wide characters fit into that many bytes depends on the characters.
        if (is_wide && next.precision < 0) reads_string(static_cast<const wchar_t*>(s));
        if (is_wide && next.precision > 0) reads(static_cast<const wchar_t*>(s));
        if (!is_wide && next.precision < 0) reads_string(static_cast<const char*>(s));
        if (!is_wide && next.precision > 0)
          reads(s, part(static_cast<const char*>(s), static_cast<std::size_t>(next.precision)));
        break;
      }
      case 'n': writes(va_arg(list, const void*), integer_size(next.length)); break;
      case 'p': static_cast<void>(va_arg(list, const void*)); break;
      case 'a':
      case 'A':
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        if (next.length == Length::longest) static_cast<void>(va_arg(list, long double));
        if (next.length != Length::longest) static_cast<void>(va_arg(list, double));
        break;
      default:
        if (integer_size(next.length) == 8) static_cast<void>(va_arg(list, long));
        if (integer_size(next.length) != 8) static_cast<void>(va_arg(list, int));
    }
  }
}

template <typename T>
void LibcCall::scans(const T* format, va_list list, int result, bool old) const {
  ScanDirective next;
  bool text_follows = false;  // since the last assignment
  while (next_scan_directive(format, old, next)) {
    text_follows = text_follows || next.follows_text;
    if (next.conversion == '%' || next.suppressed) {
      text_follows = true;
      continue;
    }
    const void* to = va_arg(list, const void*);
    if (next.conversion == 'n') {
      // The last %n may not have been reached.
      if (result > 0 || (result == 0 && !text_follows)) writes(to, integer_size(next.length));
      continue;
    }
    if (result <= 0) return;
    --result;
    text_follows = false;
    const bool is_wide = next.length == Length::wide;
    if (next.allocates) {
      writes(to, sizeof(void*));
    } else if (is_one_of(next.conversion, "sS[")) {
      if (is_wide) writes_string(static_cast<const wchar_t*>(to));
      if (!is_wide) writes_string(static_cast<const char*>(to));
    } else if (is_one_of(next.conversion, "cC")) {
      std::size_t count = next.width < 0 ? 1 : static_cast<std::size_t>(next.width);
      writes(to, count * (is_wide ? sizeof(wchar_t) : 1));
    } else if (next.conversion == 'p') {
      writes(to, sizeof(void*));
    } else {
      bool is_integer = is_one_of(next.conversion, "diouxXb");
      writes(to, is_integer ? integer_size(next.length) : real_size(next.length));
    }
  }
}

template bool next_print_directive(const char*&, PrintDirective&);
template bool next_print_directive(const wchar_t*&, PrintDirective&);
template bool next_scan_directive(const char*&, bool, ScanDirective&);
template bool next_scan_directive(const wchar_t*&, bool, ScanDirective&);
template void LibcCall::prints(const char*, va_list) const;
template void LibcCall::prints(const wchar_t*, va_list) const;
template void LibcCall::scans(const char*, va_list, int, bool) const;
template void LibcCall::scans(const wchar_t*, va_list, int, bool) const;

}  // namespace thrum
