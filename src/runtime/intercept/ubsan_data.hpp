// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data that compilers pass to a handler of -fsanitize=undefined, and the wording of the reports. Layouts
// and wording are those of LLVM's compiler-rt (lib/ubsan), which gcc shares.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thrum {

struct UbsanLocation {
  const char* file;
  std::uint32_t line;
  std::uint32_t column;
};

struct UbsanType {
  enum : std::uint16_t { kInteger = 0, kFloat = 1 };
  std::uint16_t kind;
  std::uint16_t info;
  char name[1];  // in quotes

  bool is_signed() const { return kind == kInteger && (info & 1) != 0; }
  unsigned bits() const { return kind == kInteger ? 1u << (info >> 1) : info; }
};

// A value as it is passed: itself if it fits into a word, else its address.
using UbsanValue = std::uintptr_t;

// A value of a type, as a number.
struct UbsanNumber {
  UbsanNumber(const UbsanType& type, UbsanValue value);

  bool negative() const { return is_signed && integer < 0; }
  bool is_minus_one() const { return is_signed && integer == -1; }

  bool is_signed = false;
  bool is_float = false;
  __extension__ __int128 integer = 0;  // if the type is unsigned: its bits
  long double real = 0;
};

// A text of limited length, without allocation: several threads of a plain process may report at the same
// time.
class UbsanText {
 public:
  UbsanText& operator<<(const char* text);
  UbsanText& operator<<(const UbsanNumber& number);
  UbsanText& operator<<(std::uint64_t number);
  UbsanText& operator<<(const UbsanType& type) { return *this << type.name; }

  // An address. It differs between executions and machines, so bugs must not be distinguished by it: only a
  // plain process prints it.
  UbsanText& address(std::uintptr_t address);

  const char* text() const { return text_; }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kSizeMax = 1024;
  std::size_t size_ = 0;
  char text_[kSizeMax + 1] = {};
};

// Whether the object's dynamic type is the class of `type` (a std::type_info), or derived from it, at the
// object's own address. hash: the compiler's, of vtable and type; under it a "yes" is cached.
bool ubsan_type_is_right(std::uintptr_t object, const void* type, std::uint64_t hash);

// Whether two std::type_info objects describe the same type.
bool ubsan_same_type(std::uintptr_t a, std::uintptr_t b);

}  // namespace thrum
