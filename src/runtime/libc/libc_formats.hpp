// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The directives in formats of printf and scanf, for characters and wide characters.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thrum {

enum class Length : std::uint8_t {
  none,
  one,      // hh
  two,      // h
  wide,     // l: integers of eight bytes; wide characters
  eight,    // ll, q, j, z, t
  longest,  // L
};
// Bytes of the object that a pointer argument points to.
std::size_t integer_size(Length length);
std::size_t real_size(Length length);

struct PrintDirective {
  char conversion = 0;  // its last character
  Length length = Length::none;
  int width = -1;  // -1: not given
  int precision = -1;
  bool width_is_argument = false;
  bool precision_is_argument = false;
};

struct ScanDirective {
  char conversion = 0;
  Length length = Length::none;
  int width = -1;
  bool suppressed = false;
  bool allocates = false;     // its argument receives the address of new memory
  bool follows_text = false;  // text other than white space must be in the input before it
};

// Finds the next directive and moves behind it. False: there is none, or it is not understood.
template <typename T>
bool next_print_directive(const T*& at, PrintDirective& directive);
// old: see LibcCall::scans().
template <typename T>
bool next_scan_directive(const T*& at, bool old, ScanDirective& directive);

}  // namespace thrum
