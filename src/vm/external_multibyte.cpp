// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Characters of several bytes, and wide ones, in the C locale: libc's own functions do it on copies.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cwchar>

#include "vm/library.hpp"

namespace thrum::vm {

namespace {

constexpr auto kInvalid = static_cast<std::size_t>(-1);
constexpr auto kIncomplete = static_cast<std::size_t>(-2);
bool is_length(std::size_t result) { return result < static_cast<std::size_t>(-3); }

// The state at an address, or the function's own one, which stays as it is in the C locale.
std::optional<mbstate_t> state_at(Call& call, std::uint64_t address) {
  if (address == 0) return mbstate_t{};
  if (!reads<mbstate_t>(call, address)) return std::nullopt;
  return at<mbstate_t>(address);
}

// What a conversion returns; errno where it fails.
Next converted(Call& call, std::size_t result) {
  if (result == kInvalid) set_errno(call, EILSEQ);
  return call.result(result);
}

// As many bytes as are there, at most size: a character may end before.
std::optional<std::string_view> bytes_at(Call& call, std::uint64_t address, std::uint64_t size) {
  std::uint64_t count = 0;
  while (count < size && count < MB_LEN_MAX && in_arena(address + count) &&
         (shadow_at<std::uint8_t>(address + count) & kAddressable) != 0)
    ++count;
  if (count == 0 && size != 0) {
    call.machine.may_read(address, 1);
    return std::nullopt;
  }
  return std::string_view(&at<char>(address), count);
}

// mbrtowc and its like; from == 0: back to the initial state.
Next to_wide(Call& call, std::uint64_t to, std::uint64_t from, std::uint64_t size,
             std::uint64_t state_place) {
  std::optional<mbstate_t> state = state_at(call, state_place);
  if (!state) return Next::over;
  wchar_t wide = 0;
  std::size_t result = 0;
  if (from == 0) {
    result = std::mbrtowc(nullptr, nullptr, 0, &*state);
  } else {
    const auto bytes = bytes_at(call, from, size);
    if (!bytes) return Next::over;
    result = size == 0 ? kIncomplete : std::mbrtowc(&wide, bytes->data(), bytes->size(), &*state);
    if (is_length(result)) {
      if (!reads<char>(call, from, std::max<std::size_t>(result, 1)) || !put_value(call, to, wide))
        return Next::over;
    }
  }
  if (!put_value(call, state_place, *state)) return Next::over;
  return converted(call, result);
}

Next to_bytes(Call& call, std::uint64_t to, wchar_t wide, std::uint64_t state_place) {
  std::optional<mbstate_t> state = state_at(call, state_place);
  if (!state) return Next::over;
  char bytes[MB_LEN_MAX];
  const std::size_t result = std::wcrtomb(bytes, to == 0 ? L'\0' : wide, &*state);
  if (to != 0 && is_length(result) && !put(call, to, bytes, result)) return Next::over;
  if (!put_value(call, state_place, *state)) return Next::over;
  return converted(call, result);
}

// Of a string, element by element: mbsnrtowcs, wcsnrtombs and their like. `from_place` holds where it begins
// and gets where the conversion has ended, if there is a target. most: elements of the source. room: of the
// target.
template <typename From, typename To, typename Convert>
std::optional<std::size_t> convert(Call& call, std::uint64_t to, std::uint64_t from, std::uint64_t most,
                                   std::uint64_t room, std::uint64_t& end, Convert convert_one) {
  const auto text = text_at<From>(call, from, most);
  if (!text) return std::nullopt;
  std::vector<To> result;
  std::size_t i = 0;
  bool is_over = false;
  bool is_wrong = false;
  // Index text->size(): the 0 that ends it.
  while (!is_over && !is_wrong && i < most && i <= text->size()) {
    To elements[MB_LEN_MAX] = {};
    const From one = text->data()[i];
    const std::size_t count = convert_one(elements, one);
    if (count == kInvalid) {
      is_wrong = true;
      break;
    }
    is_over = one == 0;
    if (to != 0 && result.size() + count > room) {
      is_over = false;
      break;
    }
    result.insert(result.end(), elements, elements + count);
    ++i;
  }
  end = is_over ? 0 : from + i * sizeof(From);
  if (i != 0 && !reads<From>(call, from, i)) return std::nullopt;
  if (to != 0 && !result.empty() && !put(call, to, result.data(), result.size())) return std::nullopt;
  if (is_wrong) return kInvalid;
  return result.size() - (is_over ? 1 : 0);
}

std::size_t widen(wchar_t* to, char from) {
  mbstate_t state = {};
  const std::size_t result = std::mbrtowc(to, &from, 1, &state);
  return is_length(result) ? 1 : kInvalid;
}
std::size_t narrow(char* to, wchar_t from) {
  mbstate_t state = {};
  return std::wcrtomb(to, from, &state);
}

template <typename From, typename To, typename Convert>
Next convert_from_place(Call& call, std::uint64_t most, std::uint64_t room, std::uint64_t state,
                        Convert one) {
  const std::uint64_t to = call.argument(0), place = call.argument(1);
  if (!reads<std::uint64_t>(call, place) || !state_at(call, state)) return Next::over;
  std::uint64_t end = 0;
  const auto result = convert<From, To>(call, to, at<std::uint64_t>(place), most, room, end, one);
  if (!result || (to != 0 && !put_value(call, place, end))) return Next::over;
  if (!put_value(call, state, state == 0 ? mbstate_t{} : at<mbstate_t>(state))) return Next::over;
  return converted(call, *result);
}
template <typename From, typename To, typename Convert>
Next convert_whole(Call& call, Convert one) {
  std::uint64_t end = 0;
  const auto result = convert<From, To>(call, call.argument(0), call.argument(1), kArenaSize / sizeof(From),
                                        call.argument(2), end, one);
  return result ? converted(call, *result) : Next::over;
}

constexpr std::uint64_t kWholeText = kArenaSize / sizeof(wchar_t);

}  // namespace

Next do_btowc(Call& call) { return call.result(std::btowc(call.int_argument(0))); }
Next do_wctob(Call& call) { return call.result_int(std::wctob(static_cast<wint_t>(call.argument(0)))); }

Next do_mbrtowc(Call& call) {
  return to_wide(call, call.argument(0), call.argument(1), call.argument(2), call.argument(3));
}
Next do_mbrlen(Call& call) { return to_wide(call, 0, call.argument(0), call.argument(1), call.argument(2)); }
Next do_wcrtomb(Call& call) {
  return to_bytes(call, call.argument(0), static_cast<wchar_t>(call.argument(1)), call.argument(2));
}

// These return int, and 0 if there is no text: the C locale has no state.
Next do_mbtowc(Call& call) {
  if (call.argument(1) == 0) return call.result_int(0);
  const Next next = to_wide(call, call.argument(0), call.argument(1), call.argument(2), 0);
  if (next != Next::done) return next;
  return call.result_int(std::max(-1, static_cast<int>(call.registers()[call.site.result])));
}
Next do_mblen(Call& call) {
  if (call.argument(0) == 0) return call.result_int(0);
  const Next next = to_wide(call, 0, call.argument(0), call.argument(1), 0);
  if (next != Next::done) return next;
  return call.result_int(std::max(-1, static_cast<int>(call.registers()[call.site.result])));
}
Next do_wctomb(Call& call) {
  if (call.argument(0) == 0) return call.result_int(0);
  const Next next = to_bytes(call, call.argument(0), static_cast<wchar_t>(call.argument(1)), 0);
  if (next != Next::done) return next;
  return call.result_int(static_cast<int>(call.registers()[call.site.result]));
}
Next do_mbsinit(Call& call) {
  const auto state = state_at(call, call.argument(0));
  return state ? call.result_int(std::mbsinit(&*state)) : Next::over;
}

Next do_mbstowcs(Call& call) { return convert_whole<char, wchar_t>(call, widen); }
Next do_wcstombs(Call& call) { return convert_whole<wchar_t, char>(call, narrow); }
Next do_mbsrtowcs(Call& call) {
  return convert_from_place<char, wchar_t>(call, kWholeText, call.argument(2), call.argument(3), widen);
}
Next do_wcsrtombs(Call& call) {
  return convert_from_place<wchar_t, char>(call, kWholeText, call.argument(2), call.argument(3), narrow);
}
Next do_mbsnrtowcs(Call& call) {
  return convert_from_place<char, wchar_t>(call, call.argument(2), call.argument(3), call.argument(4), widen);
}
Next do_wcsnrtombs(Call& call) {
  return convert_from_place<wchar_t, char>(call, call.argument(2), call.argument(3), call.argument(4),
                                           narrow);
}

}  // namespace thrum::vm
