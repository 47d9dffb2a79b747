// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Standard output and error, whose text is kept for the report, and standard input, which is empty. There are
// no other streams. A stream is narrow or wide from its first operation on, as in libc.
#include <cstdio>
#include <cstring>
#include <cwchar>

#include <iconv.h>
#include <unistd.h>

#include "vm/library.hpp"

namespace thrum::vm {

namespace {

constexpr std::uint32_t kPushedMax = 16;

struct Stream {
  std::int32_t orientation;  // below 0: narrow, above: wide
  // Of one that reads memory: what is left of it.
  std::uint32_t is_open;
  std::uint64_t next;
  std::uint64_t end;
  std::uint32_t pushed_count;
  std::uint32_t pushed[kPushedMax];  // what was put back, the next to be read last
};
Stream& stream_of(std::uint64_t token) {
  return at<Stream>(state_place(LibraryState::streams) + (token - kStreams) / kStreamSize * sizeof(Stream));
}
bool is_output(std::uint64_t token) { return token == kStandardOutput || token == kStandardError; }
bool is_stream(std::uint64_t token) {
  if (token - kStreams >= kStreamCount * kStreamSize || (token - kStreams) % kStreamSize != 0) return false;
  return token == kStandardInput || is_output(token) || stream_of(token).is_open != 0;
}
Stream& change(Call& call, std::uint64_t token) {
  Stream& stream = stream_of(token);
  call.machine.memory.note(reinterpret_cast<std::uint64_t>(&stream), sizeof stream);
  return stream;
}

// Whether the stream is, or becomes, of that kind.
bool orient(Call& call, std::uint64_t token, int wanted) {
  if (!is_stream(token)) return false;
  if (stream_of(token).orientation == 0) change(call, token).orientation = wanted;
  return stream_of(token).orientation == wanted;
}

// What has become of it, which the program may look at in its object.
constexpr int kAtEnd = 0x10;
constexpr int kHasFailed = 0x20;
int& flags_of(std::uint64_t token) { return at<FILE>(token)._flags; }
void set_flags(Call& call, std::uint64_t token, int set, int cleared) {
  call.machine.memory.put(flags_of(token), (flags_of(token) | set) & ~cleared);
}

bool fail_stream(Call& call, std::uint64_t token, int error) {
  if (is_stream(token)) set_flags(call, token, kHasFailed, 0);
  set_errno(call, error);
  return false;
}

// The next character of standard input: one that was put back; nothing: the end.
std::optional<std::uint32_t> take(Call& call, std::uint64_t token) {
  if (!is_stream(token)) return std::nullopt;
  Stream& stream = change(call, token);
  if (stream.pushed_count != 0) return stream.pushed[--stream.pushed_count];
  if (is_output(token)) {
    fail_stream(call, token, EBADF);
    return std::nullopt;
  }
  if (stream.next != stream.end) {
    if (!call.machine.may_read(stream.next, 1)) return std::nullopt;
    return at<unsigned char>(stream.next++);
  }
  set_flags(call, token, kAtEnd, 0);
  return std::nullopt;
}

Next push_back(Call& call, std::uint32_t character, std::uint64_t token, std::uint32_t none) {
  if (character == none || !is_stream(token)) return call.result(none);
  Stream& stream = change(call, token);
  if (stream.pushed_count == kPushedMax) return call.result(none);
  stream.pushed[stream.pushed_count++] = character;
  set_flags(call, token, 0, kAtEnd);
  return call.result(character);
}

// fread, fgets, getline: up to `most` characters, until after `last` if there is one.
std::string take_all(Call& call, std::uint64_t token, std::uint64_t most, std::optional<char> last = {}) {
  std::string text;
  while (text.size() < most) {
    const auto one = take(call, token);
    if (!one) break;
    text += static_cast<char>(*one);
    if (last && text.back() == *last) break;
  }
  return text;
}

Next put_character(Call& call, std::uint64_t character, std::uint64_t token) {
  const char c = static_cast<char>(character);
  if (!put_out(call, token, std::string_view(&c, 1))) return call.result_int(EOF);
  return call.result_int(static_cast<unsigned char>(c));
}
Next put_wide_character(Call& call, std::uint64_t character, std::uint64_t token) {
  const auto c = static_cast<wchar_t>(character);
  if (!put_out(call, token, std::wstring_view(&c, 1))) return call.result(WEOF);
  return call.result(static_cast<wint_t>(c));
}

// size * count bytes at `from`.
Next put_block(Call& call, std::uint64_t from, std::uint64_t size, std::uint64_t count, std::uint64_t token) {
  if (size == 0 || count == 0) return call.result(0);
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(size, count, &bytes)) bytes = kArenaSize + 1;
  if (!reads<char>(call, from, bytes)) return Next::over;
  return call.result(put_out(call, token, std::string_view(&at<char>(from), bytes)) ? count : 0);
}

Next take_block(Call& call, std::uint64_t to, std::uint64_t size, std::uint64_t count, std::uint64_t token) {
  if (size == 0 || count == 0) return call.result(0);
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(size, count, &bytes)) bytes = kArenaSize;
  const std::string text = take_all(call, token, bytes);
  if (!text.empty() && !put(call, to, text.data(), text.size())) return Next::over;
  return call.result(text.size() / size);
}

Next take_line(Call& call, std::uint64_t to, std::int32_t size, std::uint64_t token) {
  if (size <= 0) return call.result(0);
  const std::string text = take_all(call, token, static_cast<std::uint64_t>(size) - 1, '\n');
  if (text.empty() && size > 1) return call.result(0);
  return put_text<char>(call, to, text) ? call.result(to) : Next::over;
}

// getdelim: the place of a block that malloc gave, and of its size.
Next take_long_line(Call& call, char last, std::uint64_t token) {
  const std::uint64_t line = call.argument(0), size = call.argument(1);
  if (!reads<std::uint64_t>(call, line) || !reads<std::uint64_t>(call, size)) return Next::over;
  const std::string text = take_all(call, token, kArenaSize, last);
  std::uint64_t block = at<std::uint64_t>(line);
  constexpr std::uint64_t kFirstSize = 120;
  if (block == 0 || at<std::uint64_t>(size) <= text.size()) {
    const std::uint64_t wanted = std::max<std::uint64_t>(kFirstSize, text.size() + 1);
    block = reallocate_for(call, block, wanted);
    if (call.machine.over) return Next::over;
    if (!put_value(call, line, block) || !put_value(call, size, wanted)) return Next::over;
  }
  if (text.empty()) return call.result(~std::uint64_t{0});
  return put_text<char>(call, block, text) ? call.result(text.size()) : Next::over;
}

Next refuse_descriptor(Call& call, const char* what) {
  return refuse(call, std::string(what) + " descriptor " + std::to_string(call.int_argument(0)));
}

std::string error_text(int error) {
  char room[kReturnedRoom];
  return strerror_r(error, room, sizeof room);
}

}  // namespace

std::uint64_t initial_word_of(std::string_view variable) {
  if (variable == "stdin") return kStandardInput;
  if (variable == "stdout") return kStandardOutput;
  if (variable == "stderr") return kStandardError;
  if (variable == "environ" || variable == "__environ") return kEnvironment;
  return 0;
}

bool has_input(std::uint64_t token) {
  if (!is_stream(token)) return false;
  const Stream& stream = stream_of(token);
  return stream.pushed_count != 0 || stream.next != stream.end;
}

void place_streams(Memory& memory) {
  static_assert(sizeof(FILE) <= kStreamSize);
  for (int i = 0; i < static_cast<int>(kStreamCount); ++i) {
    FILE own = {};
    own._fileno = i <= STDERR_FILENO ? i : -1;
    const std::uint64_t place = kStreams + static_cast<std::uint64_t>(i) * kStreamSize;
    memory.copy(place, &own, sizeof own);
    memory.set_shadow(place, sizeof own, kAddressable | kDefined | kReadOnly);
  }
}

void put_out(Call& call, std::string_view text) {
  Machine& machine = call.machine;
  machine.output.resize(Machine::course().output);
  machine.output += text;
  machine.change_course().output = machine.output.size();
  machine.note_change(call.thread);  // somebody may see it
}

bool put_out(Call& call, std::uint64_t token, std::string_view text) {
  if (!orient(call, token, -1)) return false;
  if (!is_output(token)) return fail_stream(call, token, EBADF);
  put_out(call, text);
  return true;
}

bool put_out(Call& call, std::uint64_t token, std::wstring_view text) {
  if (!orient(call, token, 1)) return false;
  if (!is_output(token)) return fail_stream(call, token, EBADF);
  // As libc's streams have it: a character that has no form in the C locale becomes similar ones, or '?'.
  static const iconv_t way = ::iconv_open("ANSI_X3.4-1968//TRANSLIT", "WCHAR_T");
  constexpr std::size_t kLongest = 32;  // bytes for one character
  std::string bytes(text.size() * kLongest, '\0');
  char* from = reinterpret_cast<char*>(const_cast<wchar_t*>(text.data()));
  char* to = bytes.data();
  std::size_t left = text.size() * sizeof(wchar_t), room = bytes.size();
  const bool is_whole = ::iconv(way, &from, &left, &to, &room) != static_cast<std::size_t>(-1);
  bytes.resize(bytes.size() - room);
  if (!is_whole) {
    put_out(call, std::string_view(bytes));
    return fail_stream(call, token, EILSEQ);
  }
  put_out(call, std::string_view(bytes));
  return true;
}

Next do_nothing(Call& call) { return call.site.results == 0 ? Next::done : call.result(0); }

// ---- Output -------------------------------------------------------------------------------------

Next do_puts(Call& call) {
  const auto text = read_text<char>(call, call.argument(0));
  if (!text) return Next::over;
  const std::string line = std::string(*text) + "\n";
  return call.result_int(
      put_out(call, kStandardOutput, std::string_view(line)) ? static_cast<int>(line.size()) : EOF);
}
Next do_putchar(Call& call) { return put_character(call, call.argument(0), kStandardOutput); }
Next do_fputc(Call& call) { return put_character(call, call.argument(0), call.argument(1)); }
Next do_fputs(Call& call) {
  const auto text = read_text<char>(call, call.argument(0));
  if (!text) return Next::over;
  return call.result_int(put_out(call, call.argument(1), *text) ? 1 : EOF);
}
Next do_fwrite(Call& call) {
  return put_block(call, call.argument(0), call.argument(1), call.argument(2), call.argument(3));
}
Next do_putwchar(Call& call) { return put_wide_character(call, call.argument(0), kStandardOutput); }
Next do_fputwc(Call& call) { return put_wide_character(call, call.argument(0), call.argument(1)); }
Next do_fputws(Call& call) {
  const auto text = read_text<wchar_t>(call, call.argument(0));
  if (!text) return Next::over;
  return call.result_int(put_out(call, call.argument(1), *text) ? 1 : -1);
}

Next do_perror(Call& call) {
  const std::string error = error_text(errno_of(call)) + "\n";
  std::string text;
  if (call.argument(0) != 0) {
    const auto prefix = read_text<char>(call, call.argument(0));
    if (!prefix) return Next::over;
    if (!prefix->empty()) text = std::string(*prefix) + ": ";
  }
  put_out(call, kStandardError, std::string_view(text + error));
  return Next::done;
}

// ---- Input --------------------------------------------------------------------------------------

Next do_getchar(Call& call) {
  orient(call, kStreams, -1);
  return call.result_int(static_cast<int>(take(call, kStreams).value_or(EOF)));
}
Next do_fgetc(Call& call) {
  orient(call, call.argument(0), -1);
  return call.result_int(static_cast<int>(take(call, call.argument(0)).value_or(EOF)));
}
Next do_fgetwc(Call& call) {
  if (!orient(call, call.argument(0), 1)) return call.result(WEOF);
  return call.result(take(call, call.argument(0)).value_or(WEOF));
}
Next do_getwchar(Call& call) {
  if (!orient(call, kStreams, 1)) return call.result(WEOF);
  return call.result(take(call, kStreams).value_or(WEOF));
}
// Of an unlocked stream whose buffer is at its end.
Next do_overflow(Call& call) { return put_character(call, call.argument(1), call.argument(0)); }

Next do_ungetc(Call& call) {
  const auto c = static_cast<std::uint32_t>(call.argument(0));
  constexpr auto kNone = static_cast<std::uint32_t>(EOF);
  return push_back(call, c == kNone ? c : c & 0xff, call.argument(1), kNone);
}
Next do_ungetwc(Call& call) {
  return push_back(call, static_cast<std::uint32_t>(call.argument(0)), call.argument(1), WEOF);
}
Next do_fread(Call& call) {
  return take_block(call, call.argument(0), call.argument(1), call.argument(2), call.argument(3));
}
// The room of the target comes second.
Next do_fread_checked(Call& call) {
  return take_block(call, call.argument(0), call.argument(2), call.argument(3), call.argument(4));
}
Next do_fgets(Call& call) {
  return take_line(call, call.argument(0), call.int_argument(1), call.argument(2));
}
Next do_fgets_checked(Call& call) {
  return take_line(call, call.argument(0), call.int_argument(2), call.argument(3));
}
Next do_fgetws(Call& call) {
  if (!orient(call, call.argument(2), 1) || call.int_argument(1) <= 0) return call.result(0);
  std::wstring text;
  while (text.size() + 1 < static_cast<std::size_t>(call.int_argument(1)) && !text.ends_with(L'\n')) {
    const auto one = take(call, call.argument(2));
    if (!one) break;
    text += static_cast<wchar_t>(*one);
  }
  if (text.empty()) return call.result(0);
  return put_text<wchar_t>(call, call.argument(0), text) ? call.result(call.argument(0)) : Next::over;
}
Next do_getline(Call& call) { return take_long_line(call, '\n', call.argument(2)); }
Next do_getdelim(Call& call) {
  return take_long_line(call, static_cast<char>(call.argument(2)), call.argument(3));
}

// ---- Streams ------------------------------------------------------------------------------------

Next do_feof(Call& call) {
  return call.result_int(is_stream(call.argument(0)) && (flags_of(call.argument(0)) & kAtEnd) != 0);
}
Next do_ferror(Call& call) {
  return call.result_int(is_stream(call.argument(0)) && (flags_of(call.argument(0)) & kHasFailed) != 0);
}
Next do_clearerr(Call& call) {
  if (is_stream(call.argument(0))) set_flags(call, call.argument(0), 0, kAtEnd | kHasFailed);
  return Next::done;
}
Next do_fileno(Call& call) {
  if (!is_stream(call.argument(0))) return fail_with(call, EBADF);
  const int descriptor = at<FILE>(call.argument(0))._fileno;
  return descriptor < 0 ? fail_with(call, EBADF) : call.result_int(descriptor);
}
Next do_fwide(Call& call) {
  if (!is_stream(call.argument(0))) return call.result_int(0);
  const int wanted = call.int_argument(1);
  if (wanted != 0) orient(call, call.argument(0), wanted < 0 ? -1 : 1);
  return call.result_int(stream_of(call.argument(0)).orientation);
}
namespace {
bool is_standard(std::uint64_t token) { return token == kStandardInput || is_output(token); }
}  // namespace

// What the standard streams are connected with has no place.
Next do_fseek(Call& call) {
  return is_standard(call.argument(0)) ? fail_with(call, ESPIPE)
                                       : refuse(call, "fseek of a stream in memory");
}
Next do_ftell(Call& call) {
  if (!is_standard(call.argument(0))) return refuse(call, "ftell of a stream in memory");
  set_errno(call, ESPIPE);
  return call.result(~std::uint64_t{0});
}
Next do_rewind(Call& call) {
  if (!is_standard(call.argument(0))) return refuse(call, "rewind of a stream in memory");
  set_errno(call, ESPIPE);
  return do_clearerr(call);
}
Next do_fclose(Call& call) {
  if (!is_stream(call.argument(0)) || is_standard(call.argument(0)))
    return refuse(call, "fclose of a standard stream");
  change(call, call.argument(0)).is_open = 0;
  return call.result_int(0);
}

// A stream that reads memory up to its end, or to a 0 in it.
Next do_fmemopen(Call& call) {
  const auto mode = read_text<char>(call, call.argument(2));
  if (!mode) return Next::over;
  const std::uint64_t size = call.argument(1);
  if ((*mode != "r" && *mode != "rb") || call.argument(0) == 0)
    return refuse(call, "fmemopen with mode " + std::string(*mode));
  if (!call.machine.may_read(call.argument(0), size)) return Next::over;
  std::uint64_t token = kStandardError + kStreamSize;
  while (token != kStreams + kStreamCount * kStreamSize && stream_of(token).is_open != 0)
    token += kStreamSize;
  if (token == kStreams + kStreamCount * kStreamSize) return refuse(call, "so many streams in memory");
  Stream& stream = change(call, token);
  stream = {};
  stream.is_open = 1;
  stream.next = call.argument(0);
  stream.end = stream.next + strnlen(&at<char>(stream.next), size);
  set_flags(call, token, 0, kAtEnd | kHasFailed);
  return call.result(token);
}

// ---- Descriptors --------------------------------------------------------------------------------

Next do_write(Call& call) {
  if (const auto next = test_before_file(call)) return *next;
  const int descriptor = call.int_argument(0);
  const std::uint64_t size = call.argument(2);
  if (descriptor != 1 && descriptor != 2) return refuse_descriptor(call, "a write to");
  if (!reads<char>(call, call.argument(1), size)) return Next::over;
  put_out(call, std::string_view(&at<char>(call.argument(1)), size));
  return call.result(size);
}

Next do_writev(Call& call) {
  if (const auto next = test_before_file(call)) return *next;
  struct Part {
    std::uint64_t begin, size;
  };
  if (call.int_argument(0) != 1 && call.int_argument(0) != 2) return refuse_descriptor(call, "a write to");
  const int count = call.int_argument(2);
  if (count < 0 || count > 1024) return fail_with(call, EINVAL);
  if (!reads<Part>(call, call.argument(1), static_cast<std::uint64_t>(count))) return Next::over;
  std::uint64_t written = 0;
  for (int i = 0; i < count; ++i) {
    const Part part = at<Part>(call.argument(1) + static_cast<std::uint64_t>(i) * sizeof(Part));
    if (!reads<char>(call, part.begin, part.size)) return Next::over;
    put_out(call, std::string_view(&at<char>(part.begin), part.size));
    written += part.size;
  }
  return call.result(written);
}

Next do_read(Call& call) {
  if (const auto next = test_before_file(call)) return *next;
  if (call.int_argument(0) != 0) return refuse_descriptor(call, "a read from");
  return call.result(0);
}
Next do_isatty(Call& call) {
  const int descriptor = call.int_argument(0);
  return fail_with(call, descriptor >= 0 && descriptor <= 2 ? ENOTTY : EBADF);
}
Next do_lseek(Call& call) {
  if (call.int_argument(0) < 0 || call.int_argument(0) > 2) return refuse_descriptor(call, "lseek of");
  set_errno(call, ESPIPE);
  return call.result(~std::uint64_t{0});
}

// ---- Errors as text -----------------------------------------------------------------------------

namespace {

Next return_error_text(Call& call, int error) {
  const std::string text = error_text(error);
  if (strerrordesc_np(error) == nullptr) return call.result(put_returned(call, Returned::error, text));
  return call.result(constant_text(call, Text::error, static_cast<std::uint32_t>(error), text));
}

}  // namespace

Next do_strerror(Call& call) { return return_error_text(call, call.int_argument(0)); }
// GNU's: the buffer is for unknown errors only.
Next do_strerror_r(Call& call) {
  const int error = call.int_argument(0);
  if (strerrordesc_np(error) != nullptr) return return_error_text(call, error);
  const std::uint64_t size = call.argument(2);
  if (size == 0) return call.result(call.argument(1));
  const std::string text = error_text(error).substr(0, size - 1);
  return put_text<char>(call, call.argument(1), text) ? call.result(call.argument(1)) : Next::over;
}
Next do_xpg_strerror_r(Call& call) {
  const int error = call.int_argument(0);
  const std::uint64_t size = call.argument(2);
  const std::string text = error_text(error);
  if (size != 0 && !put_text<char>(call, call.argument(1), std::string_view(text).substr(0, size - 1)))
    return Next::over;
  if (strerrordesc_np(error) == nullptr) return call.result_int(EINVAL);
  return call.result_int(text.size() < size ? 0 : ERANGE);
}
Next do_strsignal(Call& call) {
  const int number = call.int_argument(0);
  if (const char* const text = sigdescr_np(number))
    return call.result(constant_text(call, Text::signal, static_cast<std::uint32_t>(number), text));
  return call.result(put_returned(call, Returned::signal, "Unknown signal " + std::to_string(number)));
}

}  // namespace thrum::vm
