// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of a command are rows of one table, and each row says all of its option: its name, the values
// it takes, where the value goes, what a checkpoint keeps of it, and what the manual says. To add an option:
// a member of the command's struct of options, and a row. What reads the tables:
//
// - the command line: add_options() and set_option() here;
// - checkpoints, for which texts_of() turns an option back into text (checkpoint.cpp);
// - the proposed next command (next_command.cpp);
// - the manual: help, docs/options.md, the man page and the completions of shells (manual.cpp).
//
// Tested by options_test.cpp, which goes through all rows.
#pragma once

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace thrum {

// The values that a number may have, both ends included. A long double holds all 64-bit integers.
struct Range {
  long double least = 0;
  long double most = 0;
};
inline constexpr Range kAnyCount = {0, INT64_MAX};
inline constexpr Range kPositive = {1, INT64_MAX};
inline constexpr Range kSeconds = {0, 1e9};

// What --resume does with an option of the check that wrote the checkpoint.
enum class AtResume : std::uint8_t {
  not_kept,    // it is as the new command line says
  may_change,  // it is kept; the new command line may give another value
  must_equal,  // it is kept; another value is refused, because it belongs to the saved search
};

// The member that holds an option's value. Nothing: the option has a name, and does not exist yet.
template <class Options>
using Member =
    std::variant<std::monostate, bool Options::*, std::string Options::*, std::vector<std::string> Options::*,
                 double Options::*, std::uint64_t Options::*, std::uint32_t Options::*, int Options::*>;

template <class Options>
struct OptionRow {
  const char* names;  // "--output", or with a short name: "-o,--output"
  // What the value is called, in capitals: "N", "SECONDS", "FILE". A SIZE is checked by read_size(). With a
  // comma in it, "NAME,...", a list is given at once. In small letters: the words that the option takes, as
  // in "on|off". Empty for flags.
  const char* value = "";
  Member<Options> member = {};
  Range range = {};  // of a number
  AtResume at_resume = AtResume::not_kept;
  // The path of a file that is read: a checkpoint keeps it with its folder.
  bool is_input = false;
  const char* group = "Options";  // a heading of the manual; empty: the manual leaves the option out
  const char* help = "";
  const char* default_text = nullptr;  // where the member's first value does not say it
  const char* later = "";              // words that it will take one day: "vm"
  const char* field = "";              // of thrum::Options, which gives the option to a test
};

// "--output".
std::string long_name(std::string_view names);

// Whether the word is one of the names.
bool is_named(std::string_view names, std::string_view word);

// The words that an option takes, where it takes only certain ones; else none.
std::vector<std::string> words_of_value(std::string_view value);

// "from 1 to 128"; empty where the range excludes no number that anybody would give.
std::string range_words(bool is_whole, const Range& range);

// The value of an option from its text. They throw UserError with the name, the text and what is taken.
std::uint64_t whole_number(const std::string& name, const std::string& text, const Range& range);
double real_number(const std::string& name, const std::string& text, const Range& range);
void check_word(const std::string& name, const std::string& text, std::string_view value,
                std::string_view later = "");
[[noreturn]] void not_yet(const std::string& what);

template <class T>
inline constexpr bool kHasRange = std::is_arithmetic_v<T> && !std::same_as<T, bool>;

// The type of the member that a member pointer points to.
template <class Pointer>
struct MemberType {
  using Type = std::monostate;
};
template <class T, class Options>
struct MemberType<T Options::*> {
  using Type = T;
};

// Gives the option its value, which the command line says in one or more words. Throws UserError.
template <class Options>
void set_option(const OptionRow<Options>& row, Options& options, const std::vector<std::string>& texts) {
  const std::string name = long_name(row.names);
  const auto set = [&](auto member) {
    using T = typename MemberType<decltype(member)>::Type;
    if constexpr (std::same_as<T, bool>) {
      options.*member = true;
    } else if constexpr (std::same_as<T, std::string>) {
      check_word(name, texts.back(), row.value, row.later);
      options.*member = texts.back();
    } else if constexpr (std::same_as<T, std::vector<std::string>>) {
      const bool at_once = std::string_view(row.value).find(',') != std::string_view::npos;
      options.*member = at_once ? CLI::detail::split(texts.back(), ',') : texts;
    } else if constexpr (std::integral<T>) {
      options.*member = static_cast<T>(whole_number(name, texts.back(), row.range));
    } else if constexpr (std::floating_point<T>) {
      options.*member = real_number(name, texts.back(), row.range);
    } else {
      not_yet(name);
    }
  };
  std::visit(set, row.member);
}

// The texts with which set_option() gives the option this value; none where it has no value, and one that is
// empty for a flag.
template <class Options>
std::vector<std::string> texts_of(const OptionRow<Options>& row, const Options& options) {
  std::vector<std::string> texts;
  const auto get = [&](auto member) {
    using T = typename MemberType<decltype(member)>::Type;
    if constexpr (std::same_as<T, bool>) {
      if (options.*member) texts.emplace_back();
    } else if constexpr (std::same_as<T, std::string>) {
      if (!(options.*member).empty()) texts.push_back(options.*member);
    } else if constexpr (std::same_as<T, std::vector<std::string>>) {
      texts = options.*member;
      std::erase(texts, "");
    } else if constexpr (kHasRange<T>) {
      texts.push_back(fmt::format("{}", options.*member));
    }
  };
  std::visit(get, row.member);
  return texts;
}

template <class Options>
std::string default_of(const OptionRow<Options>& row) {
  if (row.default_text != nullptr) return row.default_text;
  const std::vector<std::string> texts = texts_of(row, Options());
  return texts.empty() ? "" : texts.front();
}

template <class T, class Options>
bool holds(const OptionRow<Options>& row) {
  return std::holds_alternative<T Options::*>(row.member);
}
template <class Options>
bool is_flag(const OptionRow<Options>& row) {
  return holds<bool>(row);
}
template <class Options>
bool is_list(const OptionRow<Options>& row) {
  return holds<std::vector<std::string>>(row);
}

// range_words(); empty also for what is no number.
template <class Options>
std::string range_of(const OptionRow<Options>& row) {
  const auto words = [&](auto member) {
    using T = typename MemberType<decltype(member)>::Type;
    return kHasRange<T> ? range_words(std::is_integral_v<T>, row.range) : std::string();
  };
  return std::visit(words, row.member);
}

// Makes the command line fill in options, which must outlive app, as the rows must.
template <class Options>
void add_options(CLI::App& app, std::span<const OptionRow<Options>> rows, Options& options) {
  for (const OptionRow<Options>& row : rows) {
    if (const auto* flag = std::get_if<bool Options::*>(&row.member)) {
      app.add_flag(row.names, options.**flag, row.help)->group(row.group);
      continue;
    }
    if (std::holds_alternative<std::monostate>(row.member) && std::string_view(row.value).empty()) {
      app.add_flag_callback(row.names, [&row] { not_yet(row.names); })->group(row.group);
      continue;
    }
    const CLI::callback_t set = [&row, &options](const CLI::results_t& texts) {
      set_option(row, options, texts);
      return true;
    };
    const std::string range = range_of(row);
    CLI::Option* option = app.add_option(row.names, set, row.help + (range.empty() ? "" : "; " + range));
    option->type_name(row.value)->group(row.group)->default_str(default_of(row));
    const bool can_repeat = is_list(row) && std::string_view(row.value).find(',') == std::string_view::npos;
    if (can_repeat) option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
}

}  // namespace thrum
