// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by next_command_test.cpp.
#include "cli/next_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

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
  if (test.inputs == "some") return Change{"--seed", std::to_string(options.seed + 1)};
  return std::nullopt;
}

// With the option's value in place of another one's, or before the program's own arguments.
std::vector<std::string> changed(std::vector<std::string> words, const Change& change) {
  auto end = std::find(words.begin(), words.end(), "--");
  for (auto word = words.begin(); word != end; ++word) {
    if (word->starts_with(change.option + "=")) {
      *word = change.option + "=" + change.value;
      return words;
    }
    if (*word == change.option && word + 1 != end) {
      *(word + 1) = change.value;
      return words;
    }
  }
  words.insert(end, {change.option, change.value});
  return words;
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
  if (!test.test.empty()) words = changed(std::move(words), {"--test", test.test});
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + quoted(word);
  return text;
}

}  // namespace thrum
