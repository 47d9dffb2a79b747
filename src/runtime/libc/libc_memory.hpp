// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vocabulary of libc_calls.def: the accesses of a libc call are noted as if the caller made them.
//
// Lengths are in elements: characters, wide characters, or bytes if the pointer has no type.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>
#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <cwctype>
#include <type_traits>

#include "runtime/base/modules.hpp"
#include "runtime/judge/write_access.hpp"

namespace thrum {

// ---- Lengths ------------------------------------------------------------------------------------

// Of a string, including its end.
inline std::size_t whole(const char* s) { return std::strlen(s) + 1; }
inline std::size_t whole(const wchar_t* s) { return std::wcslen(s) + 1; }
// Of the part that is read of a string if at most so many characters count.
inline std::size_t part(const char* s, std::size_t most) { return std::min(strnlen(s, most) + 1, most); }
inline std::size_t part(const wchar_t* s, std::size_t most) { return std::min(wcsnlen(s, most) + 1, most); }

// What is read of each of two strings to compare them.
template <typename T, typename Same>
std::size_t common_by(const T* a, const T* b, std::size_t most, Same same) {
  std::size_t i = 0;
  while (i < most && same(a[i], b[i]) && a[i] != 0) ++i;
  return std::min(i + 1, most);
}
template <typename T>
std::size_t common(const T* a, const T* b, std::size_t most = ~std::size_t{0}) {
  return common_by(a, b, most, [](T x, T y) { return x == y; });
}
// The same if upper and lower case are equal.
inline std::size_t common_folded(const char* a, const char* b, std::size_t most = ~std::size_t{0}) {
  auto fold = [](char c) { return tolower(static_cast<unsigned char>(c)); };
  return common_by(a, b, most, [&](char x, char y) { return fold(x) == fold(y); });
}
inline std::size_t common_folded(const wchar_t* a, const wchar_t* b, std::size_t most = ~std::size_t{0}) {
  auto fold = [](wchar_t c) { return towlower(static_cast<wint_t>(c)); };
  return common_by(a, b, most, [&](wchar_t x, wchar_t y) { return fold(x) == fold(y); });
}

template <typename T, typename U>
std::size_t distance(const T* begin, const U* end) {
  if constexpr (std::is_void_v<T>) {
    return static_cast<std::size_t>(static_cast<const char*>(end) - static_cast<const char*>(begin));
  } else {
    return static_cast<std::size_t>(end - begin);
  }
}
// Up to and including the first byte of that value; everything if there is none.
inline std::size_t through(const void* in, int wanted, std::size_t size) {
  const void* found = std::memchr(in, wanted, size);
  return found ? distance(in, found) + 1 : size;
}
// Up to and including the first such character or the end of the string.
inline std::size_t upto(const char* s, int wanted) { return distance(s, strchrnul(s, wanted)) + 1; }

// Of an integer at the beginning of a string, including the space before it and the character that ends it.
inline std::size_t number(const char* s, int base = 10) {
  char* end = const_cast<char*>(s);
  std::strtoul(s, &end, base);
  return distance(s, end) + 1;
}
inline std::size_t number(const wchar_t* s, int base) {
  wchar_t* end = const_cast<wchar_t*>(s);
  std::wcstoul(s, &end, base);
  return distance(s, end) + 1;
}
// The same for a number with a fraction.
inline std::size_t decimal(const char* s) {
  char* end = const_cast<char*>(s);
  std::strtod(s, &end);
  return distance(s, end) + 1;
}
inline std::size_t decimal(const wchar_t* s) {
  wchar_t* end = const_cast<wchar_t*>(s);
  std::wcstod(s, &end);
  return distance(s, end) + 1;
}

// Of the text that a format produces, including its end.
inline std::size_t formatted(const char* format, va_list list) {
  va_list copy;
  va_copy(copy, list);
  int length = vsnprintf(nullptr, 0, format, copy);
  va_end(copy);
  return length < 0 ? 0 : static_cast<std::size_t>(length) + 1;
}

// A length that a call returned; 0 if the call failed.
constexpr std::size_t positive(std::int64_t result) {
  return result > 0 ? static_cast<std::size_t>(result) : 0;
}
// The same for conversions of characters (mbrtowc and others), which report failure by the three largest
// values.
constexpr bool is_length(std::size_t result) { return result < static_cast<std::size_t>(-3); }
constexpr std::size_t converted(std::size_t result) { return is_length(result) ? result : 0; }
constexpr std::size_t fitting(std::size_t length, std::size_t room) { return std::min(length, room); }

// ---- Accesses -----------------------------------------------------------------------------------

// Whether libc's accesses are noted at present: in executions, and before the first choice if memory is
// checked there (early_memory.hpp).
inline bool notes_libc() { return world.running || world.watches_memory; }
// The same for a caller. Accesses of libraries that are not instrumented are not noted.
inline bool notes_libc_for(std::uint64_t code) { return notes_libc() && is_instrumented(code); }

// A libc call, by which the program reads and writes memory. Base of the types in libc_calls.hpp.
class LibcCall {
 public:
  // code: the address behind the call.
  explicit LibcCall(std::uint64_t code) : code_(code) {}

 protected:
  template <typename T>
  void reads(const T* at, std::size_t count = 1) const {
    if (at && count != 0) note_plain_read(at, count * element_size<T>(), code_);
  }
  template <typename T>
  void writes(const T* at, std::size_t count = 1) const {
    if (at) note_plain_write(at, count * element_size<T>(), code_);
  }
  template <typename T>
  void reads_string(const T* s) const {
    if (s) reads(s, whole(s));
  }
  template <typename T>
  void writes_string(const T* s) const {
    if (s) writes(s, whole(s));
  }
  void reads_bytes(const void* at, std::size_t bytes) const { reads(at, bytes); }
  void writes_bytes(const void* at, std::size_t bytes) const { writes(at, bytes); }

  // strtok: writes the end of the first token after the separators. takes_part: strsep: the token at s, even
  // if it is empty.
  template <typename T>
  void takes_token(T* s, const T* set) const {
    if (s) takes_part(s, set, span(s, set));
    if (!s) reads_string(set);
  }
  template <typename T>
  void takes_part(T* s, const T* set, std::size_t skip = 0) const {
    reads_string(set);
    if (!s) return;
    T* end = s + skip + span_without(s + skip, set);
    reads(s, distance(s, end) + 1);
    if (*end != 0) writes(end);
  }
  // Writes memory of libc itself, so a loop that calls it is no waiting loop.
  static void changes_hidden_state() {
    count_step();
    world.wrote = true;
  }

  // The accesses of a format of printf, except the target of the output.
  template <typename T>
  void prints(const T* format, va_list list) const;
  // The writes of a format of scanf, given its result. old: `a` may mean memory to be allocated, as before
  // C99.
  template <typename T>
  void scans(const T* format, va_list list, int result, bool old) const;

  // The buffers of readv and the like. Of written buffers only the first `bytes` bytes.
  void reads_parts(const iovec* parts, std::int64_t count) const;
  void writes_parts(const iovec* parts, std::int64_t count, std::int64_t bytes) const;
  void reads_message(const msghdr* message) const;
  // asked: the message before the call.
  void writes_message(const msghdr& asked, const msghdr* message, std::int64_t bytes) const;

  std::uint64_t code() const { return code_; }

 private:
  template <typename T>
  static constexpr std::size_t element_size() {
    if constexpr (std::is_void_v<T>) {
      return 1;
    } else {
      return sizeof(T);
    }
  }
  static std::size_t span(const char* s, const char* set) { return std::strspn(s, set); }
  static std::size_t span(const wchar_t* s, const wchar_t* set) { return std::wcsspn(s, set); }
  static std::size_t span_without(const char* s, const char* set) { return std::strcspn(s, set); }
  static std::size_t span_without(const wchar_t* s, const wchar_t* set) { return std::wcscspn(s, set); }

  std::uint64_t code_;
};

}  // namespace thrum
