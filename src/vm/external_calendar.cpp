// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dates. Local time is UTC, so that executions are the same everywhere.
#include <cstring>
#include <ctime>
#include <cwchar>

#include "vm/library.hpp"

namespace thrum::vm {

namespace {

// The program's copies of these names, which tm_zone points to.
std::uint64_t zone_name(Call& call, bool is_local) {
  constexpr std::uint64_t kNames = kLibraryData + 0xf000;
  const std::uint64_t place = kNames + (is_local ? 8 : 0);
  if ((shadow_at<std::uint8_t>(place) & kAddressable) == 0) {
    call.machine.memory.copy(place, is_local ? "UTC" : "GMT", 4);
    call.machine.memory.set_shadow(place, 4, kAddressable | kDefined | kReadOnly);
  }
  return place;
}

// Nothing: the bytes are not there.
std::optional<tm> broken_down_at(Call& call, std::uint64_t address) {
  if (!reads<tm>(call, address)) return std::nullopt;
  return at<tm>(address);
}

// The name of the zone in it is the program's.
bool put_broken_down(Call& call, std::uint64_t to, tm time, bool is_local) {
  time.tm_zone = &at<char>(zone_name(call, is_local));
  return put_value(call, to, time);
}

// tm: as libc takes it, with a name of the zone that is there.
struct Readable {
  tm time;
  std::string zone;
};
std::optional<Readable> readable_at(Call& call, std::uint64_t address) {
  const std::optional<tm> time = broken_down_at(call, address);
  if (!time) return std::nullopt;
  Readable result{*time, {}};
  if (time->tm_zone != nullptr) {
    const auto zone = text_at<char>(call, reinterpret_cast<std::uint64_t>(time->tm_zone));
    if (!zone) return std::nullopt;
    result.zone = *zone;
  }
  return result;
}

Next break_down(Call& call, std::uint64_t to, bool is_local) {
  if (!reads<time_t>(call, call.argument(0))) return Next::over;
  const time_t when = at<time_t>(call.argument(0));
  tm result = {};
  if (::gmtime_r(&when, &result) == nullptr) {
    set_errno(call, EOVERFLOW);
    return call.result(0);
  }
  return put_broken_down(call, to, result, is_local) ? call.result(to) : Next::over;
}
// The object that localtime and gmtime share.
std::uint64_t own_object(const Call& call) {
  call.machine.memory.set_shadow(kSharedTime, sizeof(tm), kAddressable | kDefined);
  return kSharedTime;
}

Next count_seconds(Call& call, bool is_local) {
  std::optional<tm> time = broken_down_at(call, call.argument(0));
  if (!time) return Next::over;
  errno = 0;
  const time_t result = ::timegm(&*time);
  if (result == -1 && errno != 0) {
    set_errno(call, errno);
    return call.result(~std::uint64_t{0});
  }
  if (!put_broken_down(call, call.argument(0), *time, is_local)) return Next::over;
  return call.result(static_cast<std::uint64_t>(result));
}

std::optional<std::string> date_of(const tm& time) {
  constexpr std::size_t kRoom = 64;
  char text[kRoom];
  if (::asctime_r(&time, text) == nullptr) return std::nullopt;
  return text;
}
constexpr std::uint64_t kDateRoom = 26;

// to: 0: libc's own buffer.
Next put_date(Call& call, const tm& time, std::uint64_t to) {
  errno = 0;
  const std::optional<std::string> text = date_of(time);
  if (!text || text->size() >= kDateRoom) {
    set_errno(call, EOVERFLOW);
    return call.result(0);
  }
  if (to == 0) {
    to = kSharedDate;
    call.machine.memory.set_shadow(to, kDateRoom, kAddressable | kDefined);
  }
  return put_text<char>(call, to, *text) ? call.result(to) : Next::over;
}
Next show_seconds(Call& call, std::uint64_t to) {
  if (!reads<time_t>(call, call.argument(0))) return Next::over;
  const time_t when = at<time_t>(call.argument(0));
  tm time = {};
  if (::gmtime_r(&when, &time) == nullptr) {
    set_errno(call, EOVERFLOW);
    return call.result(0);
  }
  return put_date(call, time, to);
}
Next show_broken_down(Call& call, std::uint64_t to) {
  const std::optional<tm> time = broken_down_at(call, call.argument(0));
  return time ? put_date(call, *time, to) : Next::over;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
std::size_t print(char* to, std::size_t room, const std::string& format, const tm& time) {
  return std::strftime(to, room, format.c_str(), &time);
}
std::size_t print(wchar_t* to, std::size_t room, const std::wstring& format, const tm& time) {
  return std::wcsftime(to, room, format.c_str(), &time);
}
#pragma GCC diagnostic pop

template <typename T>
Next print_time(Call& call) {
  const auto pattern = read_text<T>(call, call.argument(2));
  if (!pattern) return Next::over;
  std::optional<Readable> when = readable_at(call, call.argument(3));
  if (!when) return Next::over;
  when->time.tm_zone = when->zone.c_str();
  const std::basic_string<T> format(*pattern);
  // Seconds since the epoch, in the zone of this process.
  if (format.find(std::basic_string<T>{'%', 's'}) != format.npos) return refuse(call, "strftime with %s");
  constexpr std::uint64_t kMost = 1 << 20;
  std::vector<T> text(std::min(call.argument(1), kMost) + 1);
  const std::size_t length = print(text.data(), text.size() - 1, format, when->time);
  if (length != 0 && !put(call, call.argument(0), text.data(), length + 1)) return Next::over;
  if (length == 0 && call.argument(1) != 0 && format.empty() && !put_value(call, call.argument(0), T{0}))
    return Next::over;
  return call.result(length);
}

}  // namespace

Next do_gmtime(Call& call) { return break_down(call, own_object(call), false); }
Next do_localtime(Call& call) { return break_down(call, own_object(call), true); }
Next do_gmtime_r(Call& call) { return break_down(call, call.argument(1), false); }
Next do_localtime_r(Call& call) { return break_down(call, call.argument(1), true); }
Next do_mktime(Call& call) { return count_seconds(call, true); }
Next do_timegm(Call& call) { return count_seconds(call, false); }
Next do_ctime(Call& call) { return show_seconds(call, 0); }
Next do_ctime_r(Call& call) { return show_seconds(call, call.argument(1)); }
Next do_asctime(Call& call) { return show_broken_down(call, 0); }
Next do_asctime_r(Call& call) { return show_broken_down(call, call.argument(1)); }
Next do_strftime(Call& call) { return print_time<char>(call); }
Next do_wcsftime(Call& call) { return print_time<wchar_t>(call); }

Next do_strptime(Call& call) {
  const auto text = text_at<char>(call, call.argument(0));
  if (!text) return Next::over;
  const auto pattern = read_text<char>(call, call.argument(1));
  if (!pattern) return Next::over;
  const std::uint64_t place = call.argument(2);
  if (!call.machine.may_write(place, sizeof(tm))) return Next::over;
  const std::string format(*pattern);
  if (format.find("%s") != format.npos) return refuse(call, "strptime with %s");
  const std::string own(*text);
  tm time = at<tm>(place);
  const char* const end = ::strptime(own.c_str(), format.c_str(), &time);
  if (end == nullptr) return call.result(0);
  const auto length = static_cast<std::uint64_t>(end - own.c_str());
  if (!reads<char>(call, call.argument(0), length) || !put_value(call, place, time)) return Next::over;
  return call.result(call.argument(0) + length);
}

}  // namespace thrum::vm
