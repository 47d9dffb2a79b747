// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The families of printf and scanf. A list of variable arguments is made as the ABI has it, with all
// arguments in memory; libc's own functions read it. The texts that a format of printf names are read
// by the program; what a format of scanf stores goes to memory of the machine first.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <deque>
#include <memory>
#include <vector>

#include "vm/formats.hpp"
#include "vm/library.hpp"

namespace thrum::vm {

namespace {

// A list of variable arguments, as the ABI has it.
struct List {
  std::uint32_t general, floating;  // beyond their ends: no argument is in a register
  std::uint64_t overflow, saved;
};
constexpr std::uint32_t kGeneralEnd = 48;
constexpr std::uint32_t kFloatingEnd = 304;
static_assert(sizeof(List) == sizeof(va_list));

// Words of arguments, and the list that libc takes. A long double begins at a multiple of 16.
class Words {
 public:
  // The variable arguments of the call itself; they come behind the fixed ones.
  explicit Words(const Call& call) {
    std::size_t slot = call.site.fixed;
    for (const CallSite::Variable& one : call.site.variable) {
      if (one.aligned16 && words_.size() % 2 != 0) words_.push_back(0);
      for (std::uint8_t i = 0; i < one.slots; ++i)
        words_.push_back(call.registers()[call.site.arguments[slot++]]);
    }
  }
  // Those of a list in the program's memory. is_good: false: it is not there, and the execution has failed.
  Words(Call& call, std::uint64_t list_at, bool& is_good) : call_(&call) {
    is_good = call.machine.may_read(list_at, sizeof(List));
    if (!is_good) return;
    list_ = at<List>(list_at);
    is_odd_ = list_.overflow % 16 != 0;
  }
  Words() = default;

  // The next one; nothing: there is no more, and the execution has failed.
  std::optional<std::uint64_t> take() {
    if (call_ != nullptr) {
      const std::uint64_t place = list_.overflow + next_ * sizeof(std::uint64_t);
      if (!call_->machine.may_read(place, sizeof(std::uint64_t))) return std::nullopt;
      words_.push_back(at<std::uint64_t>(place));
    }
    // A format that takes more than there is: as natively, something.
    if (next_ >= words_.size()) words_.push_back(0);
    return words_[next_++];
  }
  bool take_long_double() {
    if (((next_ + (is_odd_ ? 1 : 0)) % 2) != 0 && !take()) return false;
    return take() && take();
  }
  void add(std::uint64_t word) { words_.push_back(word); }
  // Another value for what take() gave last.
  void replace(std::uint64_t word) { words_[next_ - 1] = word; }

  // Calls function(va_list) with the words.
  template <typename Function>
  auto pass(Function function) const {
    // So that what is aligned to 16 bytes is.
    const auto storage = std::make_unique<std::uint64_t[]>(words_.size() + 4);
    std::uint64_t* place = storage.get();
    if (((reinterpret_cast<std::uint64_t>(place) % 16) != 0) != is_odd_) ++place;
    std::copy(words_.begin(), words_.end(), place);
    const List list{kGeneralEnd, kFloatingEnd, reinterpret_cast<std::uint64_t>(place), 0};
    va_list own;
    std::memcpy(own, &list, sizeof list);
    return function(own);
  }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t next_ = 0;
  Call* call_ = nullptr;
  List list_ = {};
  bool is_odd_ = false;
};

// The text of %s: its precision limits what is read.
template <typename T>
bool reads_argument(Call& call, std::uint64_t address, std::optional<std::uint64_t> precision) {
  return address == 0 || read_text<T>(call, address, precision.value_or(kArenaSize / sizeof(T)));
}

bool is_real(char kind) { return std::strchr("aAeEfFgG", kind) != nullptr; }

// %n: how much was printed before it, which libc puts into `value` for the program.
struct Count {
  std::uint64_t address;
  std::uint64_t size;
  std::uint64_t value;
};

// Goes through the arguments. False: the execution is over.
bool check_arguments(Call& call, const std::vector<Conversion>& conversions, Words& words,
                     std::deque<Count>& counts) {
  for (const Conversion& one : conversions) {
    std::optional<std::uint64_t> precision = one.precision;
    if (one.width_is_argument && !words.take()) return false;
    if (one.precision_is_argument) {
      const auto word = words.take();
      if (!word) return false;
      const auto given = static_cast<std::int32_t>(*word);
      if (given >= 0) precision = static_cast<std::uint64_t>(given);
    }
    if (one.kind == 'm') continue;
    if (is_real(one.kind) && one.length == Length::long_double) {
      if (!words.take_long_double()) return false;
      continue;
    }
    const auto word = words.take();
    if (!word) return false;
    if (call.machine.symmetry != nullptr && one.kind != 'n' && one.kind != 's' && one.kind != 'S')
      call.machine.symmetry->note_number(*word);
    if (one.kind == 'n') {
      counts.push_back({*word, size_of_integer(one.length), 0});
      words.replace(reinterpret_cast<std::uint64_t>(&counts.back().value));
    }
    if (one.kind != 's' && one.kind != 'S') continue;
    if (!(one.is_wide() ? reads_argument<wchar_t>(call, *word, precision)
                        : reads_argument<char>(call, *word, precision)))
      return false;
  }
  return true;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

// Nothing: libc fails (a wide character that has no form in bytes).
std::optional<std::string> print(const char* format, const Words& words) {
  const int length = words.pass([&](va_list& list) { return std::vsnprintf(nullptr, 0, format, list); });
  if (length < 0) return std::nullopt;
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  words.pass([&](va_list& list) { return std::vsnprintf(text.data(), text.size(), format, list); });
  text.pop_back();
  return text;
}
std::optional<std::wstring> print(const wchar_t* format, const Words& words) {
  constexpr std::size_t kMost = 1 << 24;
  for (std::size_t room = 256; room <= kMost; room *= 4) {
    std::wstring text(room, L'\0');
    errno = 0;
    const int length =
        words.pass([&](va_list& list) { return std::vswprintf(text.data(), room, format, list); });
    if (length < 0 && errno == EILSEQ) return std::nullopt;
    if (length < 0) continue;
    text.resize(static_cast<std::size_t>(length));
    return text;
  }
  return std::nullopt;
}
int scan(const char* text, const char* format, const Words& words) {
  return words.pass([&](va_list& list) { return std::vsscanf(text, format, list); });
}
int scan(const wchar_t* text, const wchar_t* format, const Words& words) {
  return words.pass([&](va_list& list) { return std::vswscanf(text, format, list); });
}
#pragma GCC diagnostic pop

// What a call of printf's family prints. is_over: the execution is over. Else without a text: it fails.
template <typename T>
struct Printed {
  bool is_over = true;
  std::optional<std::basic_string<T>> text;
};
template <typename T>
Printed<T> printed(Call& call, std::size_t format_argument, bool by_list) {
  const auto pattern = read_text<T>(call, call.argument(format_argument));
  if (!pattern) return {};
  const std::basic_string<T> format(*pattern);
  const auto conversions = conversions_of_printf<T>(format);
  if (!conversions) {
    refuse(call, "a format with numbered arguments");
    return {};
  }
  bool is_good = true;
  Words words = by_list ? Words(call, call.argument(format_argument + 1), is_good) : Words(call);
  std::deque<Count> counts;  // their addresses are among the words
  if (!is_good || !check_arguments(call, *conversions, words, counts)) return {};
  errno = errno_of(call);  // for %m
  Printed<T> result{false, print(format.c_str(), words)};
  if (!result.text) set_errno(call, EILSEQ);
  for (const Count& count : counts) {
    if (!put(call, count.address, reinterpret_cast<const char*>(&count.value), count.size)) return {};
  }
  return result;
}

template <typename T>
Next to_stream(Call& call, std::uint64_t stream, std::size_t format, bool by_list) {
  const Printed<T> result = printed<T>(call, format, by_list);
  if (result.is_over) return Next::over;
  if (!result.text || !put_out(call, stream, std::basic_string_view<T>(*result.text)))
    return call.result_int(-1);
  return call.result_int(static_cast<int>(result.text->size()));
}

Next to_descriptor(Call& call, std::size_t format, bool by_list) {
  const int descriptor = call.int_argument(0);
  const Printed<char> result = printed<char>(call, format, by_list);
  if (result.is_over) return Next::over;
  if (descriptor != 1 && descriptor != 2)
    return refuse(call, "output to descriptor " + std::to_string(descriptor));
  if (!result.text) return call.result_int(-1);
  put_out(call, *result.text);
  return call.result_int(static_cast<int>(result.text->size()));
}

constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 31;

// checked: room of the target, as _FORTIFY_SOURCE knows it.
Next to_buffer(Call& call, std::uint64_t size, std::size_t format, bool by_list,
               std::uint64_t checked = ~std::uint64_t{0}) {
  const Printed<char> result = printed<char>(call, format, by_list);
  if (result.is_over) return Next::over;
  if (!result.text) return call.result_int(-1);
  const std::uint64_t buffer = call.argument(0);
  const std::uint64_t length = result.text->size();
  if (size == kNoLimit ? length >= checked : size > checked) {
    call.machine.fail(BugKind::buffer_overflow, "buffer overflow detected by _FORTIFY_SOURCE");
    return Next::over;
  }
  if (size != 0 && !put_text<char>(call, buffer, std::string_view(*result.text).substr(0, size - 1)))
    return Next::over;
  return call.result_int(static_cast<int>(length));
}

// A text that does not fit is a failure.
Next to_wide_buffer(Call& call, std::size_t format, bool by_list) {
  const Printed<wchar_t> result = printed<wchar_t>(call, format, by_list);
  if (result.is_over) return Next::over;
  const std::uint64_t size = call.argument(1);
  if (!result.text) return call.result_int(-1);
  if (size != 0 &&
      !put_text<wchar_t>(call, call.argument(0), std::wstring_view(*result.text).substr(0, size - 1)))
    return Next::over;
  return call.result_int(result.text->size() < size ? static_cast<int>(result.text->size()) : -1);
}

Next to_new_block(Call& call, std::size_t format, bool by_list) {
  const Printed<char> result = printed<char>(call, format, by_list);
  if (result.is_over) return Next::over;
  if (!result.text) return call.result_int(-1);
  const std::uint64_t block = allocate_for(call, result.text->size() + 1);
  if (block == 0) return fail_with(call, ENOMEM);
  call.machine.write(block, result.text->c_str(), result.text->size() + 1);
  if (!put_value(call, call.argument(0), block)) return Next::over;
  return call.result_int(static_cast<int>(result.text->size()));
}

// ---- scanf --------------------------------------------------------------------------------------

// Where one conversion stores, and what libc has stored in its place.
struct Target {
  std::uint64_t address;
  Conversion conversion;
  std::vector<char> bytes;
};

constexpr char kUntouched = 0x5a;

// Room for one conversion. length: of the input, in characters.
std::uint64_t room_for(const Conversion& one, std::uint64_t length) {
  const std::uint64_t element = one.is_wide() ? sizeof(wchar_t) : 1;
  if (one.allocates) return sizeof(char*);
  switch (one.kind) {
    case 's':
    case 'S':
    case '[': return (length + 1) * element * (one.is_wide() ? 1 : MB_LEN_MAX);
    case 'c':
    case 'C':
      return std::max<std::uint64_t>(one.width.value_or(1), 1) * element * (one.is_wide() ? 1 : MB_LEN_MAX);
    default: return sizeof(long double);
  }
}

// How many bytes the conversion has stored at `bytes`.
std::uint64_t stored_bytes(const Conversion& one, const char* bytes) {
  switch (one.kind) {
    case 's':
    case 'S':
    case '[':
      if (!one.is_wide()) return std::strlen(bytes) + 1;
      return (std::wcslen(reinterpret_cast<const wchar_t*>(bytes)) + 1) * sizeof(wchar_t);
    case 'c':
    case 'C': return one.width.value_or(1) * (one.is_wide() ? sizeof(wchar_t) : 1);
    case 'p': return sizeof(void*);
    default: break;
  }
  if (!is_real(one.kind)) return size_of_integer(one.length);
  if (one.length == Length::long_double) return 10;  // of its 16 bytes
  return one.length == Length::l ? sizeof(double) : sizeof(float);
}

// To the program's memory. %m: a new block, in place of the one that libc has allocated.
bool store(Call& call, const Target& target) {
  const Conversion& one = target.conversion;
  if (!one.allocates)
    return put(call, target.address, target.bytes.data(), stored_bytes(one, target.bytes.data()));
  char* own = nullptr;
  std::memcpy(static_cast<void*>(&own), target.bytes.data(), sizeof own);
  const std::uint64_t size = stored_bytes(one, own);
  const std::uint64_t block = allocate_for(call, size);
  if (block != 0) call.machine.write(block, own, size);
  std::free(own);
  return put_value(call, target.address, block);
}

template <typename T>
Next scan_text(Call& call, std::basic_string_view<T> input, std::size_t format_argument, bool by_list) {
  const auto pattern = read_text<T>(call, call.argument(format_argument));
  if (!pattern) return Next::over;
  const std::basic_string<T> format(*pattern), text(input);
  const auto conversions = conversions_of_scanf<T>(format);
  if (!conversions) return refuse(call, "a format with numbered arguments");
  bool is_good = true;
  Words words = by_list ? Words(call, call.argument(format_argument + 1), is_good) : Words(call);
  if (!is_good) return Next::over;
  std::vector<Target> targets;
  Words own;
  for (const Conversion& one : *conversions) {
    if (one.suppressed) continue;
    const auto place = words.take();
    if (!place) return Next::over;
    targets.push_back({*place, one, std::vector<char>(room_for(one, text.size()), kUntouched)});
    // vector's memory stays where it is when the target moves.
    own.add(reinterpret_cast<std::uint64_t>(targets.back().bytes.data()));
  }
  errno = 0;
  const int count = scan(text.c_str(), format.c_str(), own);
  const int error = errno;
  int left = count;
  for (Target& target : targets) {
    if (target.conversion.kind == 'n') {
      // It counts for nothing, and may not have been reached.
      const std::uint64_t size = size_of_integer(target.conversion.length);
      if (std::all_of(target.bytes.begin(), target.bytes.begin() + static_cast<std::ptrdiff_t>(size),
                      [](char c) { return c == kUntouched; }))
        continue;
    } else if (left-- <= 0) {
      break;
    }
    if (!store(call, target)) return Next::over;
  }
  if (error != 0) set_errno(call, error);
  return call.result_int(count);
}

// From a text at argument 0.
template <typename T>
Next scan_argument(Call& call, bool by_list) {
  const auto text = read_text<T>(call, call.argument(0));
  return text ? scan_text<T>(call, *text, 1, by_list) : Next::over;
}
// From a stream, which is at its end.
template <typename T>
Next scan_nothing(Call& call, std::size_t format, bool by_list) {
  if (has_input(format == 0 ? kStandardInput : call.argument(0)))
    return refuse(call, "a scan of a stream that is not at its end");
  return scan_text<T>(call, std::basic_string_view<T>(), format, by_list);
}

}  // namespace

// __NAME_chk has a flag, and the room of a target, before the format.
Next do_printf(Call& call) { return to_stream<char>(call, kStandardOutput, 0, false); }
Next do_vprintf(Call& call) { return to_stream<char>(call, kStandardOutput, 0, true); }
Next do_printf_checked(Call& call) { return to_stream<char>(call, kStandardOutput, 1, false); }
Next do_vprintf_checked(Call& call) { return to_stream<char>(call, kStandardOutput, 1, true); }
Next do_fprintf(Call& call) { return to_stream<char>(call, call.argument(0), 1, false); }
Next do_vfprintf(Call& call) { return to_stream<char>(call, call.argument(0), 1, true); }
Next do_fprintf_checked(Call& call) { return to_stream<char>(call, call.argument(0), 2, false); }
Next do_vfprintf_checked(Call& call) { return to_stream<char>(call, call.argument(0), 2, true); }
Next do_wprintf(Call& call) { return to_stream<wchar_t>(call, kStandardOutput, 0, false); }
Next do_vwprintf(Call& call) { return to_stream<wchar_t>(call, kStandardOutput, 0, true); }
Next do_fwprintf(Call& call) { return to_stream<wchar_t>(call, call.argument(0), 1, false); }
Next do_vfwprintf(Call& call) { return to_stream<wchar_t>(call, call.argument(0), 1, true); }
Next do_dprintf(Call& call) { return to_descriptor(call, 1, false); }
Next do_vdprintf(Call& call) { return to_descriptor(call, 1, true); }
Next do_dprintf_checked(Call& call) { return to_descriptor(call, 2, false); }
Next do_vdprintf_checked(Call& call) { return to_descriptor(call, 2, true); }
Next do_snprintf(Call& call) { return to_buffer(call, call.argument(1), 2, false); }
Next do_vsnprintf(Call& call) { return to_buffer(call, call.argument(1), 2, true); }
Next do_snprintf_checked(Call& call) { return to_buffer(call, call.argument(1), 4, false, call.argument(3)); }
Next do_vsnprintf_checked(Call& call) { return to_buffer(call, call.argument(1), 4, true, call.argument(3)); }
Next do_sprintf(Call& call) { return to_buffer(call, kNoLimit, 1, false); }
Next do_vsprintf(Call& call) { return to_buffer(call, kNoLimit, 1, true); }
Next do_sprintf_checked(Call& call) { return to_buffer(call, kNoLimit, 3, false, call.argument(2)); }
Next do_vsprintf_checked(Call& call) { return to_buffer(call, kNoLimit, 3, true, call.argument(2)); }
Next do_swprintf(Call& call) { return to_wide_buffer(call, 2, false); }
Next do_vswprintf(Call& call) { return to_wide_buffer(call, 2, true); }
Next do_asprintf(Call& call) { return to_new_block(call, 1, false); }
Next do_vasprintf(Call& call) { return to_new_block(call, 1, true); }
Next do_asprintf_checked(Call& call) { return to_new_block(call, 2, false); }
Next do_vasprintf_checked(Call& call) { return to_new_block(call, 2, true); }

Next do_sscanf(Call& call) { return scan_argument<char>(call, false); }
Next do_vsscanf(Call& call) { return scan_argument<char>(call, true); }
Next do_swscanf(Call& call) { return scan_argument<wchar_t>(call, false); }
Next do_vswscanf(Call& call) { return scan_argument<wchar_t>(call, true); }
Next do_scanf(Call& call) { return scan_nothing<char>(call, 0, false); }
Next do_vscanf(Call& call) { return scan_nothing<char>(call, 0, true); }
Next do_fscanf(Call& call) { return scan_nothing<char>(call, 1, false); }
Next do_vfscanf(Call& call) { return scan_nothing<char>(call, 1, true); }
Next do_wscanf(Call& call) { return scan_nothing<wchar_t>(call, 0, false); }
Next do_fwscanf(Call& call) { return scan_nothing<wchar_t>(call, 1, false); }

}  // namespace thrum::vm
