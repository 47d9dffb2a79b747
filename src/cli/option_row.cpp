// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/option_row.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>

#include "verdict/error.hpp"
#include "verdict/sizes.hpp"

namespace thrum {

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& text, const std::string& taken) {
  throw UserError(fmt::format("{}: '{}' is wrong; it takes {}", name, text, taken));
}

std::string number_words(long double number) {
  return fmt::format("{:.{}f}", number,
                     number == static_cast<long double>(static_cast<std::uint64_t>(number)) ? 0 : 3);
}

// Where the range ends for no reason but the size of numbers, its end is not told.
std::string ends_words(const Range& range) {
  const std::string from = "from " + number_words(range.least);
  return range.most < kSeconds.most ? from + " to " + number_words(range.most) : from;
}

bool is_in(const Range& range, long double number) {
  return number >= range.least && number <= range.most;  // not NaN
}

}  // namespace

std::string long_name(std::string_view names) { return std::string(names.substr(names.find("--"))); }

bool is_named(std::string_view names, std::string_view word) {
  const std::vector<std::string> all = CLI::detail::split(std::string(names), ',');
  return std::find(all.begin(), all.end(), word) != all.end();
}

std::vector<std::string> words_of_value(std::string_view value) {
  const auto is_capital = [](unsigned char c) { return std::isupper(c) != 0; };
  if (value.empty() || std::any_of(value.begin(), value.end(), is_capital)) return {};
  return CLI::detail::split(std::string(value), '|');
}

std::string range_words(bool is_whole, const Range& range) {
  const bool is_open = range.least == 0 && range.most >= (is_whole ? UINT32_MAX : kSeconds.most);
  return is_open ? "" : ends_words(range);
}

void not_yet(const std::string& what) { throw UserError(what + " is not available yet"); }

// A number in C's notation, without a sign: strtoull() would take -1 for a large number.
std::uint64_t whole_number(const std::string& name, const std::string& text, const Range& range) {
  const bool begins = !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0;
  char* end = nullptr;
  errno = 0;
  const std::uint64_t number = begins ? std::strtoull(text.c_str(), &end, 0) : 0;
  if (!begins || *end != '\0' || errno == ERANGE || !is_in(range, static_cast<long double>(number)))
    refuse(name, text, "a whole number " + ends_words(range));
  return number;
}

double real_number(const std::string& name, const std::string& text, const Range& range) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !is_in(range, number))
    refuse(name, text, "a number " + ends_words(range));
  return number;
}

void check_word(const std::string& name, const std::string& text, std::string_view value,
                std::string_view later) {
  const auto has = [&](const std::vector<std::string>& words) {
    return std::find(words.begin(), words.end(), text) != words.end();
  };
  const std::vector<std::string> words = words_of_value(value);
  if (value == "SIZE") read_size(name, text);
  if (!later.empty() && !has(words) && has(CLI::detail::split(std::string(later), '|')))
    not_yet(name + " " + text);
  if (words.empty() || has(words)) return;
  throw UserError(
      fmt::format("{}: '{}' is unknown; it takes {}", name, text, CLI::detail::join(words, ", ")));
}

}  // namespace thrum
