// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Output, which is kept for the report, and formats. A list of variable arguments is made as the ABI has it,
// with all arguments in memory; then libc's own vsnprintf reads it.
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <vector>

#include "vm/externals.hpp"

namespace thrum::vm {

namespace {

// stdin, stdout and stderr hold these, which are no addresses.
constexpr std::uint64_t kStreams = 0x10;
bool is_output(std::uint64_t stream) { return stream == kStreams + 1 || stream == kStreams + 2; }

void put_out(Call& call, std::string_view text) {
  Machine& machine = call.machine;
  machine.output.resize(Machine::course().output);
  machine.output += text;
  machine.change_course().output = machine.output.size();
}

// A list of variable arguments, as the ABI has it.
struct List {
  std::uint32_t general, floating;  // beyond their ends: no argument is in a register
  std::uint64_t overflow, saved;
};
constexpr std::uint32_t kGeneralEnd = 48;
constexpr std::uint32_t kFloatingEnd = 304;
static_assert(sizeof(List) == sizeof(va_list));

// The variable arguments of the call itself; they come behind the fixed ones.
class OwnList {
 public:
  explicit OwnList(const Call& call) {
    std::size_t slot = call.site.fixed;
    for (const CallSite::Variable& one : call.site.variable) {
      if (one.aligned16 && words_.size() % 2 != 0) words_.push_back(0);
      for (std::uint8_t i = 0; i < one.slots; ++i)
        words_.push_back(call.registers()[call.site.arguments[slot++]]);
    }
    words_.push_back(0);
    // So that what is aligned to 16 bytes is.
    storage_.resize(words_.size() + 1);
    std::uint64_t* place = storage_.data();
    if (reinterpret_cast<std::uint64_t>(place) % 16 != 0) ++place;
    std::copy(words_.begin(), words_.end(), place);
    const List list{kGeneralEnd, kFloatingEnd, reinterpret_cast<std::uint64_t>(place), 0};
    std::memcpy(list_, &list, sizeof list);
  }
  va_list& get() { return list_; }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> storage_;
  va_list list_;
};

// The text; nothing: the format, or a string that it names, is not there, and the execution has failed.
std::optional<std::string> format(Call& call, std::uint64_t format_at, va_list& list) {
  const std::optional<std::string> pattern = string_at(call, format_at);
  if (!pattern) return std::nullopt;
  if (pattern->find("%n") != std::string::npos) {
    call.machine.refused = "a format with %n";
    call.machine.finish(End::refused);
    return std::nullopt;
  }
  va_list copy;
  va_copy(copy, list);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int length = std::vsnprintf(nullptr, 0, pattern->c_str(), copy);
  va_end(copy);
  std::string text(static_cast<std::size_t>(std::max(length, 0)) + 1, '\0');
  std::vsnprintf(text.data(), text.size(), pattern->c_str(), list);
#pragma GCC diagnostic pop
  text.pop_back();
  return text;
}

// A list in the program's memory, as the machine makes them.
va_list& list_at(std::uint64_t address) { return *reinterpret_cast<va_list*>(address); }

Next print(Call& call, bool shown, const std::optional<std::string>& text) {
  if (!text) return Next::over;
  if (shown) put_out(call, *text);
  return call.result_int(static_cast<int>(text->size()));
}

// To a buffer of that size.
Next print_to(Call& call, std::uint64_t buffer, std::uint64_t size, const std::optional<std::string>& text) {
  if (!text) return Next::over;
  if (size != 0) {
    const std::uint64_t count = std::min<std::uint64_t>(text->size(), size - 1);
    if (!call.machine.write_for_program(buffer, count + 1)) return Next::over;
    call.machine.write(buffer, text->c_str(), count);
    call.machine.write(buffer + count, char{0});
  }
  return call.result_int(static_cast<int>(text->size()));
}

constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 31;

}  // namespace

std::uint64_t initial_word_of(std::string_view variable) {
  if (variable == "stdin") return kStreams;
  if (variable == "stdout") return kStreams + 1;
  if (variable == "stderr") return kStreams + 2;
  return 0;
}

Next do_nothing(Call& call) { return call.site.results == 0 ? Next::done : call.result(0); }

Next do_write(Call& call) {
  const int descriptor = call.int_argument(0);
  const std::uint64_t size = call.argument(2);
  if (descriptor != 1 && descriptor != 2) {
    call.machine.refused = "a write to descriptor " + std::to_string(descriptor);
    call.machine.finish(End::refused);
    return Next::over;
  }
  if (!call.machine.read_for_program(call.argument(1), size)) return Next::over;
  put_out(call, {&at<char>(call.argument(1)), size});
  return call.result(size);
}

Next do_puts(Call& call) {
  const std::optional<std::string> text = string_at(call, call.argument(0));
  if (!text) return Next::over;
  put_out(call, *text + "\n");
  return call.result_int(static_cast<int>(text->size()) + 1);
}

Next do_putchar(Call& call) {
  const char c = static_cast<char>(call.argument(0));
  put_out(call, {&c, 1});
  return call.result_int(static_cast<unsigned char>(c));
}

Next do_fputs(Call& call) {
  const std::optional<std::string> text = string_at(call, call.argument(0));
  if (!text) return Next::over;
  if (is_output(call.argument(1))) put_out(call, *text);
  return call.result_int(1);
}

Next do_fputc(Call& call) {
  const char c = static_cast<char>(call.argument(0));
  if (is_output(call.argument(1))) put_out(call, {&c, 1});
  return call.result_int(static_cast<unsigned char>(c));
}

Next do_fwrite(Call& call) {
  const std::uint64_t size = call.argument(1) * call.argument(2);
  if (!call.machine.read_for_program(call.argument(0), size)) return Next::over;
  if (is_output(call.argument(3))) put_out(call, {&at<char>(call.argument(0)), size});
  return call.result(call.argument(2));
}

Next do_perror(Call& call) {
  const std::optional<std::string> text = string_at(call, call.argument(0));
  if (!text) return Next::over;
  put_out(call, *text + ": error\n");
  return Next::done;
}

Next do_printf(Call& call) { return print(call, true, format(call, call.argument(0), OwnList(call).get())); }
Next do_fprintf(Call& call) {
  return print(call, is_output(call.argument(0)), format(call, call.argument(1), OwnList(call).get()));
}
Next do_dprintf(Call& call) {
  return print(call, call.int_argument(0) == 1 || call.int_argument(0) == 2,
               format(call, call.argument(1), OwnList(call).get()));
}
Next do_vprintf(Call& call) {
  return print(call, true, format(call, call.argument(0), list_at(call.argument(1))));
}
Next do_vfprintf(Call& call) {
  return print(call, is_output(call.argument(0)), format(call, call.argument(1), list_at(call.argument(2))));
}
Next do_snprintf(Call& call) {
  return print_to(call, call.argument(0), call.argument(1),
                  format(call, call.argument(2), OwnList(call).get()));
}
Next do_sprintf(Call& call) {
  return print_to(call, call.argument(0), kUnlimited, format(call, call.argument(1), OwnList(call).get()));
}
Next do_vsnprintf(Call& call) {
  return print_to(call, call.argument(0), call.argument(1),
                  format(call, call.argument(2), list_at(call.argument(3))));
}
Next do_vsprintf(Call& call) {
  return print_to(call, call.argument(0), kUnlimited,
                  format(call, call.argument(1), list_at(call.argument(2))));
}

}  // namespace thrum::vm
