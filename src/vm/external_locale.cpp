// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locales. The program has one, the C locale; others are not there, as on a system without them. The object
// behind a locale_t lies in the program's memory, since libstdc++ reads its tables of characters.
#include <clocale>
#include <cstring>
#include <cwctype>

#include <langinfo.h>
#include <locale.h>

#include "vm/library.hpp"

namespace thrum::vm {

namespace {

// The tables begin 128 entries before the pointers to them.
constexpr std::uint64_t kEntries = 384;
constexpr std::uint64_t kBefore = 128;

constexpr int kCategories = sizeof(__locale_struct::__names) / sizeof(char*);

// What lies at kLibraryData.
struct LibraryData {
  __locale_struct locale;
  unsigned short classes[kEntries];
  int lower[kEntries];
  int upper[kEntries];
  const void* table_places[3];  // what __ctype_b_loc and its like point to
  char name[2];
  lconv conventions;
};
LibraryData& data() { return at<LibraryData>(kLibraryData); }
template <typename T>
std::uint64_t address_of(const T& object) {
  return reinterpret_cast<std::uint64_t>(&object);
}

locale_t c_locale() {
  static const locale_t locale = ::newlocale(LC_ALL_MASK, "C", nullptr);
  return locale;
}

bool is_c_locale(std::string_view name) {
  if (!name.starts_with("LC_")) return name.empty() || name == "C" || name == "POSIX";
  // One name for each category: LC_CTYPE=C;LC_NUMERIC=C…
  while (!name.empty()) {
    const std::size_t end = std::min(name.find(';'), name.size());
    const std::string_view part = name.substr(0, end);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || !is_c_locale(part.substr(equals + 1))) return false;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return true;
}

// Which locale a thread uses: 0: the global one.
std::uint64_t& used_locale(const Thread& thread) {
  return at<std::uint64_t>(state_place(LibraryState::locales) + thread.slot * sizeof(std::uint64_t));
}
const std::uint64_t kGlobal = reinterpret_cast<std::uint64_t>(LC_GLOBAL_LOCALE);

}  // namespace

void Machine::forget_locale(const Thread& former) { memory.put(used_locale(former), std::uint64_t{0}); }

void Machine::place_library_data() {
  LibraryData own = {};
  const locale_t locale = c_locale();
  std::memcpy(own.classes, locale->__ctype_b - kBefore, sizeof own.classes);
  std::memcpy(own.lower, locale->__ctype_tolower - kBefore, sizeof own.lower);
  std::memcpy(own.upper, locale->__ctype_toupper - kBefore, sizeof own.upper);
  own.table_places[0] = own.locale.__ctype_b = data().classes + kBefore;
  own.table_places[1] = own.locale.__ctype_tolower = data().lower + kBefore;
  own.table_places[2] = own.locale.__ctype_toupper = data().upper + kBefore;
  own.name[0] = 'C';
  for (int i = 0; i < kCategories; ++i) own.locale.__names[i] = data().name;
  // All its texts are "" or "."; its numbers are CHAR_MAX.
  const lconv* const conventions = std::localeconv();
  std::memcpy(&own.conventions, conventions, sizeof own.conventions);
  char* const nothing = data().name + 1;
  for (char** text :
       {&own.conventions.thousands_sep, &own.conventions.grouping, &own.conventions.int_curr_symbol,
        &own.conventions.currency_symbol, &own.conventions.mon_decimal_point,
        &own.conventions.mon_thousands_sep, &own.conventions.mon_grouping, &own.conventions.positive_sign,
        &own.conventions.negative_sign})
    *text = nothing;
  const std::uint64_t point = text_place(Text::system, 0);
  own.conventions.decimal_point = &at<char>(point);
  memory.copy(kLibraryData, &own, sizeof own);
  memory.copy(point, ".", 2);
  for (const auto& [begin, size] :
       {std::pair{kLibraryData, std::uint64_t{sizeof own}}, std::pair{point, std::uint64_t{2}}})
    memory.set_shadow(begin, size, kAddressable | kDefined | kReadOnly);
  place_streams(memory);
}

Next do_ctype_b_loc(Call& call) { return call.result(address_of(data().table_places[0])); }
Next do_ctype_tolower_loc(Call& call) { return call.result(address_of(data().table_places[1])); }
Next do_ctype_toupper_loc(Call& call) { return call.result(address_of(data().table_places[2])); }
Next do_ctype_get_mb_cur_max(Call& call) { return call.result(1); }

Next do_newlocale(Call& call) {
  const auto name = read_text<char>(call, call.argument(1));
  if (!name) return Next::over;
  constexpr int kAllCategories = (1 << kCategories) - 1;
  if ((call.int_argument(0) & ~(LC_ALL_MASK | kAllCategories)) != 0) {
    set_errno(call, EINVAL);
    return call.result(0);
  }
  if (is_c_locale(*name)) return call.result(kLibraryData);
  set_errno(call, ENOENT);
  return call.result(0);
}
Next do_duplocale(Call& call) { return call.result(kLibraryData); }

Next do_uselocale(Call& call) {
  std::uint64_t& used = used_locale(call.thread);
  const std::uint64_t old = used == 0 ? kGlobal : used;
  if (call.argument(0) != 0) call.machine.memory.put(used, call.argument(0));
  return call.result(old);
}

Next do_setlocale(Call& call) {
  const int category = call.int_argument(0);
  if (category < 0 || category >= kCategories) {
    set_errno(call, EINVAL);
    return call.result(0);
  }
  if (call.argument(1) != 0) {
    const auto name = read_text<char>(call, call.argument(1));
    if (!name) return Next::over;
    if (!is_c_locale(*name)) {
      set_errno(call, ENOENT);
      return call.result(0);
    }
  }
  return call.result(address_of(data().name));
}

Next do_localeconv(Call& call) { return call.result(address_of(data().conventions)); }

Next do_nl_langinfo(Call& call) {
  const int item = call.int_argument(0);
  const int category = item >> 16;
  const int index = item & 0xffff;
  constexpr int kIndexMax = 0x400;
  if (category < 0 || category >= kCategories || index >= kIndexMax)
    return call.result(address_of(data().name[1]));
  // A few items are a character in the place of the pointer, which libstdc++ asks for.
  const char* const text = ::nl_langinfo_l(item, c_locale());
  const auto number = reinterpret_cast<std::uint64_t>(text);
  if (number < (1 << 16)) return call.result(number);
  const auto row = static_cast<std::uint32_t>(1 + category * kIndexMax + index);
  const bool is_wide_time =
      category == LC_TIME && index >= (_NL_WABDAY_1 & 0xffff) && index <= (_NL_WT_FMT_AMPM & 0xffff);
  if (is_wide_time) {
    const std::wstring_view wide(reinterpret_cast<const wchar_t*>(text));
    return call.result(
        constant_text(call, Text::system, row, {text, wide.size() * sizeof(wchar_t) + sizeof(wchar_t) - 1}));
  }
  return call.result(constant_text(call, Text::system, row, text));
}

// Classes of wide characters: libc's own numbers are addresses of its tables, which stay in the machine.
Next do_wctype(Call& call) {
  const auto name = read_text<char>(call, call.argument(0));
  if (!name) return Next::over;
  return call.result(::wctype_l(std::string(*name).c_str(), c_locale()));
}
Next do_iswctype(Call& call) {
  const auto character = static_cast<wint_t>(call.argument(0));
  return call.result_int(call.argument(1) == 0 ? 0 : ::iswctype_l(character, call.argument(1), c_locale()));
}
Next do_wctrans(Call& call) {
  const auto name = read_text<char>(call, call.argument(0));
  if (!name) return Next::over;
  const wctrans_t found = ::wctrans_l(std::string(*name).c_str(), c_locale());
  return call.result(reinterpret_cast<std::uint64_t>(found));
}
Next do_towctrans(Call& call) {
  const auto way = reinterpret_cast<wctrans_t>(call.argument(1));
  const auto character = static_cast<wint_t>(call.argument(0));
  return call.result(way == nullptr ? character : ::towctrans_l(character, way, c_locale()));
}

#define THRUM_VM_WIDE(name)                                                                                  \
  Next do_##name(Call& call) {                                                                               \
    return call.result_int(static_cast<int>(::name##_l(static_cast<wint_t>(call.argument(0)), c_locale()))); \
  }
THRUM_VM_WIDE(towlower)
THRUM_VM_WIDE(towupper)
THRUM_VM_WIDE(iswalnum)
THRUM_VM_WIDE(iswalpha)
THRUM_VM_WIDE(iswblank)
THRUM_VM_WIDE(iswcntrl)
THRUM_VM_WIDE(iswdigit)
THRUM_VM_WIDE(iswgraph)
THRUM_VM_WIDE(iswlower)
THRUM_VM_WIDE(iswprint)
THRUM_VM_WIDE(iswpunct)
THRUM_VM_WIDE(iswspace)
THRUM_VM_WIDE(iswupper)
THRUM_VM_WIDE(iswxdigit)
#undef THRUM_VM_WIDE

// Conversions between character sets are not there, and no messages are translated.
Next do_iconv_open(Call& call) {
  if (!read_text<char>(call, call.argument(0)) || !read_text<char>(call, call.argument(1))) return Next::over;
  set_errno(call, EINVAL);
  return call.result(~std::uint64_t{0});
}
Next do_iconv(Call& call) {
  set_errno(call, EBADF);
  return call.result(~std::uint64_t{0});
}
Next do_iconv_close(Call& call) { return fail_with(call, EBADF); }
Next do_gettext(Call& call) { return call.result(call.argument(0)); }
Next do_dgettext(Call& call) { return call.result(call.argument(1)); }
Next do_ngettext(Call& call) { return call.result(call.argument(call.argument(2) == 1 ? 0 : 1)); }
Next do_bindtextdomain(Call& call) { return call.result(call.argument(1)); }
Next do_textdomain(Call& call) { return call.result(call.argument(0)); }

}  // namespace thrum::vm
