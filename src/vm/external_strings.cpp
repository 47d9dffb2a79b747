// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes, strings and wide strings. What a function reads and writes is checked before, and is an access of
// the program; how much of a string that is follows the native engine's rows for libc.
#include <algorithm>
#include <cstring>
#include <cwchar>
#include <cwctype>

#include "vm/library.hpp"

namespace thrum::vm {

namespace {

template <typename T>
using View = std::basic_string_view<T>;

// Both functions are the same, of char and of wchar_t.
#define THRUM_VM_OF_BOTH(function, narrow, wide)                \
  Next narrow(Call& call) { return function##_of<char>(call); } \
  Next wide(Call& call) { return function##_of<wchar_t>(call); }

// As libc has it: the difference of bytes, the sign for wide characters.
int difference(char a, char b) { return static_cast<unsigned char>(a) - static_cast<unsigned char>(b); }
int difference(wchar_t a, wchar_t b) { return a < b ? -1 : a > b ? 1 : 0; }

char folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
wchar_t folded(wchar_t c) { return c >= L'A' && c <= L'Z' ? c - L'A' + L'a' : c; }

void move(Machine& machine, std::uint64_t to, std::uint64_t from, std::uint64_t size) {
  machine.memory.copy(to, &at<char>(from), size);
  machine.memory.copy(to + kShadowDistance, &at<char>(from + kShadowDistance), size);
  if (size != 0 && (shadow_at<std::uint8_t>(to) & kReadOnly) != 0)
    machine.memory.set_shadow(to, size, kAddressable | kDefined);
}

// Checks and does it; false: the execution has failed.
template <typename T>
bool copy(Call& call, std::uint64_t to, std::uint64_t from, std::uint64_t count) {
  if (!reads<T>(call, from, count) || !writes<T>(call, to, count)) return false;
  move(call.machine, to, from, count * sizeof(T));
  return true;
}

template <typename T>
bool fill(Call& call, std::uint64_t to, T value, std::uint64_t count) {
  if (!writes<T>(call, to, count)) return false;
  if constexpr (sizeof(T) == 1) {
    call.machine.memory.fill(to, static_cast<unsigned char>(value), count);
  } else {
    const std::vector<T> values(count, value);
    call.machine.memory.copy(to, values.data(), count * sizeof(T));
  }
  call.machine.memory.set_shadow(to, count * sizeof(T), kAddressable | kDefined);
  return true;
}

// Compares at most `most` characters, up to the first that differs or ends both. That many are read of each.
template <typename T>
Next compare(Call& call, std::uint64_t most, bool folds) {
  const std::uint64_t a = call.argument(0), b = call.argument(1);
  std::uint64_t i = 0;
  int result = 0;
  for (; i < most; ++i) {
    const std::uint64_t offset = i * sizeof(T);
    if (!call.machine.may_read(a + offset, sizeof(T)) || !call.machine.may_read(b + offset, sizeof(T)))
      return Next::over;
    const T x = folds ? folded(at<T>(a + offset)) : at<T>(a + offset);
    const T y = folds ? folded(at<T>(b + offset)) : at<T>(b + offset);
    result = difference(x, y);
    if (result != 0 || x == 0) break;
  }
  const std::uint64_t read = std::min(i + 1, most);
  if (!reads<T>(call, a, read) || !reads<T>(call, b, read)) return Next::over;
  return call.result_int(result);
}

constexpr std::uint64_t kUnbounded = kArenaSize;

template <typename T>
Next copy_of(Call& call) {
  return copy<T>(call, call.argument(0), call.argument(1), call.argument(2)) ? call.result(call.argument(0))
                                                                             : Next::over;
}
template <typename T>
Next copy_to_end_of(Call& call) {
  const std::uint64_t to = call.argument(0), count = call.argument(2);
  return copy<T>(call, to, call.argument(1), count) ? call.result(to + count * sizeof(T)) : Next::over;
}
template <typename T>
Next set_of(Call& call) {
  return fill(call, call.argument(0), static_cast<T>(call.argument(1)), call.argument(2))
             ? call.result(call.argument(0))
             : Next::over;
}
template <typename T>
Next find_in_memory_of(Call& call) {
  const std::uint64_t begin = call.argument(0), count = call.argument(2);
  std::uint64_t i = 0;
  for (; i < count; ++i) {
    if (!call.machine.may_read(begin + i * sizeof(T), sizeof(T))) return Next::over;
    if (at<T>(begin + i * sizeof(T)) == static_cast<T>(call.argument(1))) break;
  }
  if (!reads<T>(call, begin, std::min(i + 1, count))) return Next::over;
  return call.result(i < count ? begin + i * sizeof(T) : 0);
}

template <typename T>
Next length_of(Call& call) {
  const auto text = read_text<T>(call, call.argument(0));
  return text ? call.result(text->size()) : Next::over;
}
template <typename T>
Next length_up_to_of(Call& call) {
  const auto text = read_text<T>(call, call.argument(0), call.argument(1));
  return text ? call.result(text->size()) : Next::over;
}

template <typename T>
Next copy_text_of(Call& call) {
  const auto text = text_at<T>(call, call.argument(1));
  if (!text || !copy<T>(call, call.argument(0), call.argument(1), text->size() + 1)) return Next::over;
  return call.result(call.argument(0));
}
template <typename T>
Next copy_text_to_end_of(Call& call) {
  const auto text = text_at<T>(call, call.argument(1));
  if (!text) return Next::over;
  const std::uint64_t length = text->size();
  if (!copy<T>(call, call.argument(0), call.argument(1), length + 1)) return Next::over;
  return call.result(call.argument(0) + length * sizeof(T));
}
// strncpy: what is left is filled with zeros. The number of characters before them.
template <typename T>
std::optional<std::uint64_t> copy_part(Call& call) {
  const std::uint64_t to = call.argument(0), from = call.argument(1), most = call.argument(2);
  const auto text = read_text<T>(call, from, most);
  if (!text || !writes<T>(call, to, most)) return std::nullopt;
  const std::uint64_t length = text->size();
  std::vector<T> whole(text->begin(), text->end());
  whole.resize(most);
  call.machine.write(to, whole.data(), most * sizeof(T));
  return length;
}
template <typename T>
Next copy_part_of(Call& call) {
  return copy_part<T>(call) ? call.result(call.argument(0)) : Next::over;
}
template <typename T>
Next copy_part_to_end_of(Call& call) {
  const std::optional<std::uint64_t> length = copy_part<T>(call);
  return length ? call.result(call.argument(0) + *length * sizeof(T)) : Next::over;
}

template <typename T>
Next append(Call& call, std::uint64_t most) {
  const std::uint64_t to = call.argument(0);
  const auto old = read_text<T>(call, to);
  if (!old) return Next::over;
  const auto added = read_text<T>(call, call.argument(1), most);
  if (!added) return Next::over;
  return put_text<T>(call, to + old->size() * sizeof(T), *added) ? call.result(to) : Next::over;
}
template <typename T>
Next append_of(Call& call) {
  return append<T>(call, kUnbounded / sizeof(T));
}
template <typename T>
Next append_part_of(Call& call) {
  return append<T>(call, call.argument(2));
}

template <typename T>
Next compare_of(Call& call) {
  return compare<T>(call, kUnbounded, false);
}
template <typename T>
Next compare_part_of(Call& call) {
  return compare<T>(call, call.argument(2), false);
}
template <typename T>
Next compare_folded_of(Call& call) {
  return compare<T>(call, kUnbounded, true);
}
template <typename T>
Next compare_part_folded_of(Call& call) {
  return compare<T>(call, call.argument(2), true);
}
template <typename T>
Next compare_memory_of(Call& call) {
  const std::uint64_t a = call.argument(0), b = call.argument(1), count = call.argument(2);
  if (!reads<T>(call, a, count) || !reads<T>(call, b, count)) return Next::over;
  if (HeapSymmetry* const symmetry = call.machine.symmetry; symmetry != nullptr) {
    for (std::uint64_t i = 0; i < count; ++i) {
      symmetry->note_part(a + i * sizeof(T));
      symmetry->note_part(b + i * sizeof(T));
    }
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const int result = difference(at<T>(a + i * sizeof(T)), at<T>(b + i * sizeof(T)));
    if (result != 0) return call.result_int(result);
  }
  return call.result_int(0);
}
// In the C locale: by characters, but the strings are read to their ends.
template <typename T>
Next collate_of(Call& call) {
  const auto a = read_text<T>(call, call.argument(0));
  if (!a) return Next::over;
  const auto b = read_text<T>(call, call.argument(1));
  if (!b) return Next::over;
  const std::size_t common =
      static_cast<std::size_t>(std::mismatch(a->begin(), a->end(), b->begin(), b->end()).first - a->begin());
  // The characters that end the strings are compared too.
  return call.result_int(difference(a->data()[common], b->data()[common]));
}
template <typename T>
Next transform_of(Call& call) {
  const std::uint64_t room = call.argument(2);
  const auto text = read_text<T>(call, call.argument(1));
  if (!text) return Next::over;
  const std::uint64_t length = text->size();
  if (room != 0 && !copy<T>(call, call.argument(0), call.argument(1), std::min(length + 1, room)))
    return Next::over;
  return call.result(length);
}

// Up to and including the first such character or the end.
template <typename T>
Next find_character(Call& call, bool or_end) {
  const std::uint64_t begin = call.argument(0);
  const auto wanted = static_cast<T>(call.argument(1));
  std::uint64_t place = begin;
  for (;; place += sizeof(T)) {
    if (!call.machine.may_read(place, sizeof(T))) return Next::over;
    if (at<T>(place) == wanted || at<T>(place) == 0) break;
  }
  if (!call.machine.read_for_program(begin, place + sizeof(T) - begin)) return Next::over;
  return call.result(at<T>(place) == wanted || or_end ? place : 0);
}
template <typename T>
Next find_of(Call& call) {
  return find_character<T>(call, false);
}
template <typename T>
Next find_or_end_of(Call& call) {
  return find_character<T>(call, true);
}
template <typename T>
Next find_last_of(Call& call) {
  const auto text = read_text<T>(call, call.argument(0));
  if (!text) return Next::over;
  const auto wanted = static_cast<T>(call.argument(1));
  const std::size_t index = wanted == 0 ? text->size() : text->rfind(wanted);
  return call.result(address_in<T>(*text, call.argument(0), index));
}

template <typename T>
Next find_text(Call& call, bool folds) {
  const auto wanted = read_text<T>(call, call.argument(1));
  if (!wanted) return Next::over;
  const auto text = text_at<T>(call, call.argument(0));
  if (!text) return Next::over;
  const auto found = std::search(text->begin(), text->end(), wanted->begin(), wanted->end(),
                                 [folds](T a, T b) { return folds ? folded(a) == folded(b) : a == b; });
  const auto index = static_cast<std::size_t>(found - text->begin());
  const bool is_there = found != text->end() || wanted->empty();
  if (!reads<T>(call, call.argument(0), is_there ? index + wanted->size() : text->size() + 1))
    return Next::over;
  return call.result(is_there ? call.argument(0) + index * sizeof(T) : 0);
}
template <typename T>
Next find_text_of(Call& call) {
  return find_text<T>(call, false);
}

// Where the text first has a character of the set, or one that is not of it.
template <typename T>
std::optional<std::size_t> span(Call& call, std::uint64_t address, std::uint64_t set_at, bool of_set) {
  const auto set = read_text<T>(call, set_at);
  if (!set) return std::nullopt;
  const auto text = text_at<T>(call, address);
  if (!text) return std::nullopt;
  const std::size_t index = of_set ? text->find_first_not_of(*set) : text->find_first_of(*set);
  return std::min(index, text->size());
}
template <typename T>
Next span_result(Call& call, bool of_set) {
  const auto index = span<T>(call, call.argument(0), call.argument(1), of_set);
  if (!index || !reads<T>(call, call.argument(0), *index + 1)) return Next::over;
  return call.result(*index);
}
template <typename T>
Next span_of(Call& call) {
  return span_result<T>(call, true);
}
template <typename T>
Next span_without_of(Call& call) {
  return span_result<T>(call, false);
}
template <typename T>
Next find_one_of_of(Call& call) {
  const auto index = span<T>(call, call.argument(0), call.argument(1), false);
  if (!index || !reads<T>(call, call.argument(0), *index + 1)) return Next::over;
  const std::uint64_t place = call.argument(0) + *index * sizeof(T);
  return call.result(at<T>(place) == 0 ? 0 : place);
}

template <typename T>
Next duplicate(Call& call, std::uint64_t most) {
  const auto text = read_text<T>(call, call.argument(0), most);
  if (!text) return Next::over;
  const std::uint64_t block = allocate_for(call, (text->size() + 1) * sizeof(T));
  if (block != 0) {
    call.machine.write(block, text->data(), text->size() * sizeof(T));
    call.machine.write(block + text->size() * sizeof(T), T{0});
  }
  return call.result(block);
}
template <typename T>
Next duplicate_of(Call& call) {
  return duplicate<T>(call, kUnbounded / sizeof(T));
}
template <typename T>
Next duplicate_part_of(Call& call) {
  return duplicate<T>(call, call.argument(1));
}

// The token from `from` on ends at a character of the set, which becomes 0. What follows it, or 0, is the new
// value of `rest`. Nothing: the execution has failed.
template <typename T>
std::optional<std::uint64_t> end_token(Call& call, std::uint64_t from, std::uint64_t set) {
  const auto length = span<T>(call, from, set, false);
  if (!length || !reads<T>(call, from, *length + 1)) return std::nullopt;
  const std::uint64_t end = from + *length * sizeof(T);
  if (at<T>(end) == 0) return 0;
  if (!put_value(call, end, T{0})) return std::nullopt;
  return end + sizeof(T);
}
// strtok: rest holds where to go on, if the text is none.
template <typename T>
Next take_token(Call& call, std::uint64_t text, std::uint64_t set, std::uint64_t& rest) {
  std::uint64_t begin = text != 0 ? text : rest;
  if (begin == 0) return call.result(0);
  const auto skipped = span<T>(call, begin, set, true);
  if (!skipped || !reads<T>(call, begin, *skipped + 1)) return Next::over;
  begin += *skipped * sizeof(T);
  if (at<T>(begin) == 0) {
    rest = begin;
    return call.result(0);
  }
  const auto next = end_token<T>(call, begin, set);
  if (!next) return Next::over;
  rest = *next;
  if (rest == 0) {
    const auto length = text_at<T>(call, begin);
    if (!length) return Next::over;
    rest = begin + length->size() * sizeof(T);
  }
  return call.result(begin);
}
template <typename T>
Next take_token_of(Call& call) {
  const std::uint64_t place = call.argument(2);
  if (call.argument(0) == 0 && !reads<std::uint64_t>(call, place)) return Next::over;
  if (!writes<std::uint64_t>(call, place)) return Next::over;
  std::uint64_t rest = call.argument(0) == 0 ? at<std::uint64_t>(place) : 0;
  const Next next = take_token<T>(call, call.argument(0), call.argument(1), rest);
  if (next == Next::done) call.machine.write(place, rest);
  return next;
}

// Where strtok goes on, for all threads.
std::uint64_t& strtok_rest() { return at<std::uint64_t>(state_place(LibraryState::token)); }

}  // namespace

std::optional<std::string> string_at(Call& call, std::uint64_t address) {
  const auto text = read_text<char>(call, address);
  if (!text) return std::nullopt;
  return std::string(*text);
}

THRUM_VM_OF_BOTH(copy, do_memcpy, do_wmemcpy)
THRUM_VM_OF_BOTH(copy_to_end, do_mempcpy, do_wmempcpy)
THRUM_VM_OF_BOTH(set, do_memset, do_wmemset)
THRUM_VM_OF_BOTH(compare_memory, do_memcmp, do_wmemcmp)
THRUM_VM_OF_BOTH(find_in_memory, do_memchr, do_wmemchr)
THRUM_VM_OF_BOTH(length, do_strlen, do_wcslen)
THRUM_VM_OF_BOTH(length_up_to, do_strnlen, do_wcsnlen)
THRUM_VM_OF_BOTH(copy_text, do_strcpy, do_wcscpy)
THRUM_VM_OF_BOTH(copy_text_to_end, do_stpcpy, do_wcpcpy)
THRUM_VM_OF_BOTH(copy_part, do_strncpy, do_wcsncpy)
THRUM_VM_OF_BOTH(copy_part_to_end, do_stpncpy, do_wcpncpy)
THRUM_VM_OF_BOTH(append, do_strcat, do_wcscat)
THRUM_VM_OF_BOTH(append_part, do_strncat, do_wcsncat)
THRUM_VM_OF_BOTH(compare, do_strcmp, do_wcscmp)
THRUM_VM_OF_BOTH(compare_part, do_strncmp, do_wcsncmp)
THRUM_VM_OF_BOTH(compare_folded, do_strcasecmp, do_wcscasecmp)
THRUM_VM_OF_BOTH(compare_part_folded, do_strncasecmp, do_wcsncasecmp)
THRUM_VM_OF_BOTH(collate, do_strcoll, do_wcscoll)
THRUM_VM_OF_BOTH(transform, do_strxfrm, do_wcsxfrm)
THRUM_VM_OF_BOTH(find, do_strchr, do_wcschr)
THRUM_VM_OF_BOTH(find_or_end, do_strchrnul, do_wcschrnul)
THRUM_VM_OF_BOTH(find_last, do_strrchr, do_wcsrchr)
THRUM_VM_OF_BOTH(find_text, do_strstr, do_wcsstr)
THRUM_VM_OF_BOTH(span, do_strspn, do_wcsspn)
THRUM_VM_OF_BOTH(span_without, do_strcspn, do_wcscspn)
THRUM_VM_OF_BOTH(find_one_of, do_strpbrk, do_wcspbrk)
THRUM_VM_OF_BOTH(duplicate, do_strdup, do_wcsdup)
Next do_strndup(Call& call) { return duplicate_part_of<char>(call); }
THRUM_VM_OF_BOTH(take_token, do_strtok_r, do_wcstok)
#undef THRUM_VM_OF_BOTH

Next do_strcasestr(Call& call) { return find_text<char>(call, true); }

Next do_strtok(Call& call) {
  std::uint64_t& place = strtok_rest();
  std::uint64_t rest = place;
  const Next next = take_token<char>(call, call.argument(0), call.argument(1), rest);
  if (next == Next::done) call.machine.memory.put(place, rest);
  return next;
}

Next do_strsep(Call& call) {
  const std::uint64_t place = call.argument(0);
  if (!reads<std::uint64_t>(call, place)) return Next::over;
  const std::uint64_t begin = at<std::uint64_t>(place);
  if (begin == 0) return call.result(0);
  const auto next = end_token<char>(call, begin, call.argument(1));
  if (!next || !put_value(call, place, *next)) return Next::over;
  return call.result(begin);
}

Next do_memccpy(Call& call) {
  const std::uint64_t to = call.argument(0), from = call.argument(1), size = call.argument(3);
  const auto end = static_cast<char>(call.argument(2));
  std::uint64_t count = 0;
  bool found = false;
  while (count < size && !found) {
    if (!call.machine.may_read(from + count, 1)) return Next::over;
    found = at<char>(from + count++) == end;
  }
  return copy<char>(call, to, from, count) ? call.result(found ? to + count : 0) : Next::over;
}

Next do_bcopy(Call& call) {
  return copy<char>(call, call.argument(1), call.argument(0), call.argument(2)) ? Next::done : Next::over;
}
Next do_bzero(Call& call) {
  return fill(call, call.argument(0), char{0}, call.argument(1)) ? Next::done : Next::over;
}

Next do_memrchr(Call& call) {
  const std::uint64_t begin = call.argument(0), size = call.argument(2);
  if (!reads<char>(call, begin, size)) return Next::over;
  const std::size_t index = View<char>(&at<char>(begin), size).rfind(static_cast<char>(call.argument(1)));
  return call.result(index == View<char>::npos ? 0 : begin + index);
}

Next do_rawmemchr(Call& call) {
  std::uint64_t place = call.argument(0);
  for (;; ++place) {
    if (!call.machine.may_read(place, 1)) return Next::over;
    if (at<char>(place) == static_cast<char>(call.argument(1))) break;
  }
  return reads<char>(call, call.argument(0), place + 1 - call.argument(0)) ? call.result(place) : Next::over;
}

Next do_memmem(Call& call) {
  const std::uint64_t begin = call.argument(0), size = call.argument(1);
  if (!reads<char>(call, begin, size) || !reads<char>(call, call.argument(2), call.argument(3)))
    return Next::over;
  const std::size_t index =
      View<char>(&at<char>(begin), size).find(View<char>(&at<char>(call.argument(2)), call.argument(3)));
  return call.result(index == View<char>::npos ? 0 : begin + index);
}

}  // namespace thrum::vm
