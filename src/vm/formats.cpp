// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by formats_test.cpp.
#include "vm/formats.hpp"

#include <cstddef>
#include <cstring>

namespace thrum::vm {

namespace {

template <typename T>
class Reader {
 public:
  explicit Reader(std::basic_string_view<T> format) : format_(format) {}

  // Goes behind the next %, and behind each %% before it; false: there is none.
  bool find() {
    for (;;) {
      const std::size_t found = format_.find(T{'%'}, next_);
      if (found == format_.npos || found + 1 == format_.size()) return false;
      next_ = found + 1;
      if (format_[next_] != '%') return true;
      ++next_;
    }
  }
  bool take(char c) {
    if (now() != c) return false;
    ++next_;
    return true;
  }
  bool take_any_of(std::string_view set) {
    if (now() == 0 || set.find(now()) == set.npos) return false;
    ++next_;
    return true;
  }
  std::optional<std::uint64_t> number() {
    std::optional<std::uint64_t> value;
    constexpr std::uint64_t kDecimal = 10;
    for (; now() >= '0' && now() <= '9'; ++next_)
      value = value.value_or(0) * kDecimal + static_cast<std::uint64_t>(now() - '0');
    return value;
  }
  Length length() {
    if (take('h')) return take('h') ? Length::hh : Length::h;
    if (take('l')) return take('l') ? Length::ll : Length::l;
    if (take('q')) return Length::ll;
    if (take('L')) return Length::long_double;
    if (take('j')) return Length::j;
    if (take('z') || take('Z')) return Length::z;
    if (take('t')) return Length::t;
    return Length::none;
  }
  char kind() {
    const char c = now();
    if (next_ < format_.size()) ++next_;
    return c;
  }
  // Behind the [ of a set: up to its ].
  void skip_set() {
    take('^');
    take(']');
    while (next_ < format_.size() && now() != ']') ++next_;
    take(']');
  }
  // 0: the end, or no character of a conversion.
  char now() const {
    constexpr T kLast = 127;
    if (next_ >= format_.size()) return 0;
    const T c = format_[next_];
    return c > 0 && c <= kLast ? static_cast<char>(c) : '\1';
  }

 private:
  std::basic_string_view<T> format_;
  std::size_t next_ = 0;
};

}  // namespace

template <typename T>
std::optional<std::vector<Conversion>> conversions_of_printf(std::basic_string_view<T> format) {
  std::vector<Conversion> all;
  Reader<T> reader(format);
  while (reader.find()) {
    Conversion one;
    while (reader.take_any_of("-+ #0'I")) {
    }
    one.width_is_argument = reader.take('*');
    if (!one.width_is_argument) one.width = reader.number();
    if (reader.now() == '$') return std::nullopt;
    if (reader.take('.')) {
      one.precision_is_argument = reader.take('*');
      if (!one.precision_is_argument) one.precision = reader.number().value_or(0);
    }
    if (reader.now() >= '0' && reader.now() <= '9') return std::nullopt;  // *1$
    one.length = reader.length();
    one.kind = reader.kind();
    if (one.kind != '%' && one.kind != 0) all.push_back(one);
  }
  return all;
}

template <typename T>
std::optional<std::vector<Conversion>> conversions_of_scanf(std::basic_string_view<T> format) {
  std::vector<Conversion> all;
  Reader<T> reader(format);
  while (reader.find()) {
    Conversion one;
    one.suppressed = reader.take('*');
    one.width = reader.number();
    if (reader.now() == '$') return std::nullopt;
    one.allocates = reader.take('m');
    one.length = reader.length();
    one.kind = reader.kind();
    if (one.kind == '[') reader.skip_set();
    if (one.kind != '%' && one.kind != 0) all.push_back(one);
  }
  return all;
}

template std::optional<std::vector<Conversion>> conversions_of_printf(std::string_view);
template std::optional<std::vector<Conversion>> conversions_of_printf(std::wstring_view);
template std::optional<std::vector<Conversion>> conversions_of_scanf(std::string_view);
template std::optional<std::vector<Conversion>> conversions_of_scanf(std::wstring_view);

std::uint64_t size_of_integer(Length length) {
  switch (length) {
    case Length::hh: return sizeof(char);
    case Length::h: return sizeof(short);
    case Length::none: return sizeof(int);
    default: return sizeof(long);
  }
}

}  // namespace thrum::vm
