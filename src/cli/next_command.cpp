// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by next_command_test.cpp.
#include "cli/next_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/option_row.hpp"
#include "verdict/sizes.hpp"

namespace thrum {

namespace {

struct Change {
  std::string option;
  std::string value;
};

constexpr std::uint64_t kMore = 10;  // times

std::optional<Change> change_for(const WorkerOutcome& outcome, const CheckOptions& options,
                                 const TestResult& test) {
  const Report& report = outcome.report;
  const SearchResult& search = report.result;
  const bool is_uncontrolled = search.end == SearchEnd::lost_control ||
                               std::any_of(report.notes.begin(), report.notes.end(),
                                           [](const Note& note) { return note.uncontrolled; });
  if (search.claims.count(Cut::memory) > 0)
    return Change{"--program-memory", size_words(options.program_memory_bytes * 2)};
  if (search.claims.count(Cut::steps) > 0) return Change{"--steps", std::to_string(options.steps * kMore)};
  const bool time_ended = search.end == SearchEnd::time || search.claims.count(Cut::time) > 0;
  const double time =
      options.time_per_test_seconds > 0 ? options.time_per_test_seconds : options.time_seconds;
  if (time_ended && time > 0)
    return Change{options.time_per_test_seconds > 0 ? "--time-per-test" : "--time",
                  fmt::format("{:g}", time * static_cast<double>(kMore))};
  if (is_uncontrolled || outcome.interrupted || search.claims.none_passed()) return std::nullopt;
  if (search.end == SearchEnd::executions)
    return Change{"--executions", std::to_string(options.executions * kMore)};
  if (options.races == "ignore") return Change{"--races", "report"};
  if (std::any_of(test.bounds.begin(), test.bounds.end(),
                  [](const BoundResult& bound) { return bound.covers == "local-states"; }))
    return Change{"--strategy", "icb"};
  if (test.covers == "assertions") return Change{"--strategy", "dpor"};
  if (test.inputs == "some") return Change{"--seed", std::to_string(options.seed + 1)};
  return std::nullopt;
}

bool takes_value(const std::string& word) {
  const auto rows = check_rows();
  return std::any_of(rows.begin(), rows.end(), [&](const OptionRow<CheckOptions>& row) {
    return is_named(row.names, word) && !is_flag(row);
  });
}

// The option has this value alone: it is written where the option stands first, else before the program's own
// arguments.
std::vector<std::string> changed(const std::vector<std::string>& words, const Change& change) {
  std::vector<std::string> result;
  bool done = false;
  auto word = words.begin();
  for (; word != words.end() && *word != "--"; ++word) {
    const bool has_two = takes_value(*word) && word + 1 != words.end();
    const bool is_changed = *word == change.option;
    if (!is_changed && !word->starts_with(change.option + "=")) {
      result.push_back(*word);
      if (has_two) result.push_back(*++word);
      continue;
    }
    if (is_changed && has_two) ++word;
    if (std::exchange(done, true)) continue;
    if (is_changed)
      result.insert(result.end(), {change.option, change.value});
    else
      result.push_back(change.option + "=" + change.value);
  }
  if (!done) result.insert(result.end(), {change.option, change.value});
  result.insert(result.end(), word, words.end());
  return result;
}

// Without an option that takes a value, wherever it stands before the program's own arguments.
std::vector<std::string> without_option(const std::vector<std::string>& words, const std::string& option) {
  std::vector<std::string> result;
  auto word = words.begin();
  for (; word != words.end() && *word != "--"; ++word) {
    if (word->starts_with(option + "=")) continue;
    const bool has_two = takes_value(*word) && word + 1 != words.end();
    if (*word != option) result.insert(result.end(), word, word + (has_two ? 2 : 1));
    if (has_two) ++word;
  }
  result.insert(result.end(), word, words.end());
  return result;
}

std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%^";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string next_command(const WorkerOutcome& outcome, const CheckOptions& options, const TestResult& test,
                         const std::vector<std::string>& command) {
  if (test.verdict != Verdict::inconclusive || !outcome.internal.empty()) return "";
  const std::optional<Change> change = change_for(outcome, options, test);
  if (!change) return "";
  std::vector<std::string> words = changed(command, *change);
  if (change->option == "--strategy") words = without_option(words, "--suite");  // no other strategy has one
  if (!test.test.empty()) words = changed(words, {"--test", test.test});
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + quoted(word);
  return text;
}

}  // namespace thrum
