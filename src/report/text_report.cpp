// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by text_report_test.cpp.
#include "report/text_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "report/assumptions.hpp"
#include "report/statistics_text.hpp"

namespace thrum {

namespace {

const char* headline_colour(Verdict verdict) {
  if (verdict == Verdict::bug) return kRed;
  return verdict == Verdict::exhausted ? kGreen : kYellow;
}

// By kind of cut.
constexpr std::pair<const char*, const char*> kCutWords[] = {
    {"refused-call", "by a call that is not under control"},
    {"uncontrolled-call", "that went on behind a call that is not under control"},
    {"steps", "by --steps"},
    {"memory", "by --program-memory"},
    {"threads", "by the most threads that there may be at once"},
    {"time", "by the end of the time"},
    {"rounds", "whose threads went round in loops, perhaps for ever"},
    {"divergence", "that did not do the same again"},
};

std::string headline(const TestResult& test, const TextStyle& style) {
  std::string text;
  switch (test.verdict) {
    case Verdict::skipped: text = fmt::format("SKIPPED: {}.", test.reason); break;
    case Verdict::bug: text = fmt::format("BUG: {}.", test.reason); break;
    case Verdict::exhausted: text = fmt::format("NO BUG: {}.", test.reason); break;
    case Verdict::inconclusive: text = fmt::format("INCONCLUSIVE, no bug so far: {}.", test.reason); break;
  }
  text = coloured(wrap(text, test.name + ": ", style.width), headline_colour(test.verdict), style.colours);
  return test.advice.empty() ? text : text + wrap(test.advice, "  ", style.width);
}

// What cut executions, and how many; empty where nothing did.
std::string cut_text(const TestResult& test) {
  std::string text;
  for (const CutResult& cut : test.cut) {
    const auto words = std::find_if(std::begin(kCutWords), std::end(kCutWords),
                                    [&](const auto& one) { return cut.kind == one.first; });
    text += (text.empty() ? "Cut: " : ", ") +
            fmt::format("{} execution{} {}", cut.count, plural(cut.count),
                        words == std::end(kCutWords) ? cut.kind : words->second);
  }
  if (text.empty()) return text;
  text += ". What would have come behind is not covered.";
  // An execution that never ends is often one of a program with few states.
  const bool is_endless =
      std::ranges::any_of(test.cut, [](const CutResult& cut) { return cut.kind == "steps"; });
  if (is_endless)
    text +=
        " Where a program has few states, a search of these ends: --engine vm --state-cache "
        "(docs/stateful.md).";
  return text;
}

// Of a search that one worker runs, what the others have run meanwhile (src/campaign/accompanied.hpp).
std::string beside_text(const TestResult& test, const TextStyle& style) {
  if (!test.statistics) return "";
  const std::vector<MemberResult>& members = test.statistics->strategies;
  if (std::ranges::find(members, test.strategy, &MemberResult::name) == members.end()) return "";
  std::string names;
  std::uint64_t executions = 0;
  for (const MemberResult& member : members) {
    if (member.name == test.strategy) continue;
    executions += member.executions;
    names += (names.empty() ? "" : ", ") + member.name;
  }
  if (names.empty()) return "";
  return wrap(fmt::format("{} of them {} by other workers, at random ({}): this search is run by one worker.",
                          executions, executions == 1 ? "was" : "were", names),
              "", style.width);
}

std::string coverage_text(const TestResult& test, const TextStyle& style) {
  double rate = test.seconds > 0 ? static_cast<double>(test.executions) / test.seconds : 0;
  std::string text = wrap("Covered: " + test.guarantee + ".", "", style.width);
  if (!test.cut.empty()) text += wrap(cut_text(test), "", style.width);
  std::string strategy = test.strategy;
  for (std::size_t i = 0; i < test.priorities.size(); ++i)
    strategy += (i == 0 ? " by " : ", ") + test.priorities[i];
  if (test.engine == "vm") strategy += ", engine vm";
  const std::string workers = test.workers > 1 ? fmt::format(" by {} workers", test.workers) : "";
  text += fmt::format("{} execution{} in {:.2f} s ({:.0f}/s){}, up to {} thread{}, strategy {}.\n",
                      test.executions, plural(test.executions), test.seconds, rate, workers, test.threads_max,
                      plural(static_cast<unsigned>(test.threads_max)), strategy);
  text += beside_text(test, style);
  if (test.workers_killed > 0)
    text += fmt::format("Workers were killed from outside {} time{}; what they had done was done again.\n",
                        test.workers_killed, plural(test.workers_killed));
  return text;
}

std::string consequence_text(const ConsequenceResult& consequence, const TextStyle& style) {
  if (consequence.kind.empty()) {
    return wrap(fmt::format("What it leads to was looked for in {} execution{}: no failure was found.",
                            consequence.executions, plural(consequence.executions)),
                "  ", style.width);
  }
  std::string text = "It leads to: " + consequence.kind + ": " + consequence.message;
  if (!consequence.locations.empty() && !consequence.locations[0].file.empty()) {
    const Location& where = consequence.locations[0];
    text += fmt::format(" at {}:{}", where.file.substr(where.file.rfind('/') + 1), where.line);
  }
  return wrap(text + ". See it: thrum replay " + consequence.trace, "  ", style.width);
}

// Takes the traces of this test's bugs off the front of those that are left.
std::string bugs_text(const TestResult& test, std::span<const TraceFile>& traces, const TextStyle& style) {
  std::string text;
  for (const BugResult& bug : test.bugs) {
    std::string finder = bug.strategy.empty() ? "" : " by " + bug.strategy;
    text += fmt::format("\nBug {}, found{} in execution {} after {:.2f} s: ", bug.id, finder, bug.execution,
                        bug.seconds);
    if (!test.heaps.empty()) text += fmt::format("(--heap {}) ", bug.heap);
    if (bug.known) text += "(known) ";
    if (!bug.unconfirmed.empty()) text += "(unconfirmed: " + bug.unconfirmed + ") ";
    text += text_trace(traces.front(), style);
    text += fmt::format("  Run it again: thrum replay {}\n", bug.trace);
    if (bug.is_native)
      text += *bug.is_native
                  ? "  The compiled program fails the same way on this schedule.\n"
                  : "  Only the machine shows it: the compiled program does not fail so on this schedule.\n";
    if (!bug.without.empty())
      text += fmt::format("  In other schedules every block is freed: thrum replay {}\n", bug.without);
    if (bug.leads_to) text += consequence_text(*bug.leads_to, style);
    traces = traces.subspan(1);
  }
  return text;
}

// What came at the first event that differs, in either run.
std::string divergence_text(const TestResult& test, const TextStyle& style) {
  if (!test.divergence) return "";
  const DivergenceResult& divergence = *test.divergence;
  std::string text = fmt::format("\nTwo runs of one schedule differ at event {}.\n", divergence.event);
  for (const auto& [name, side] : {std::pair("first", &divergence.first), {"then", &divergence.second}}) {
    text += fmt::format("  {:<5}  {}{}{}\n", name, side->thread, side->thread.empty() ? "" : "  ",
                        side->operation);
    for (const Location& line : side->stack)
      text += fmt::format("             {}  {}:{}\n", line.function.empty() ? "?" : line.function, line.file,
                          line.line);
  }
  return text + wrap("Likely: " + divergence.cause + ".", "  ", style.width);
}

std::string warnings_text(const TestResult& test, const TextStyle& style) {
  std::string text;
  for (const WarningResult& warning : test.warnings) {
    std::string title =
        fmt::format("{} (seen in {} execution{}).", warning.text, warning.count, plural(warning.count));
    text += coloured(wrap(title, "Warning: ", style.width), kYellow, style.colours);
    for (const std::string& line : warning.lines) text += wrap(line, "  ", style.width);
  }
  return text;
}

// ---- Programs with several tests ----------------------------------------------------------------

std::string next_text(const TestResult& test) { return test.next.empty() ? "" : "Next: " + test.next + "\n"; }

// Of a test that needs no more than a line.
std::string test_line(const TestResult& test, const TextStyle& style) {
  if (test.verdict == Verdict::skipped)
    return coloured("SKIP", kYellow, style.colours) +
           wrap(test.reason + ".", "  " + test.name + ": ", style.width - 4);
  return coloured("PASS", kGreen, style.colours) + fmt::format("  {}: {}; {} execution{} in {:.2f} s\n",
                                                               test.name, test.guarantee, test.executions,
                                                               plural(test.executions), test.seconds);
}

std::string test_text(const TestResult& test, std::span<const TraceFile>& traces, const TextStyle& style) {
  if (!test.begun) return "";
  if (test.verdict == Verdict::skipped || test.verdict == Verdict::exhausted)
    return test_line(test, style) + warnings_text(test, style) + statistics_text(test, style);
  std::string text = "\n" + headline(test, style) + divergence_text(test, style) +
                     bugs_text(test, traces, style) + warnings_text(test, style) +
                     coverage_text(test, style) + statistics_text(test, style) + next_text(test);
  if (!test.output.empty()) text += "Output of the program:\n" + test.output + "\n";
  return text + "\n";
}

// Those of all tests, each once.
std::vector<Assumption> all_assumptions(const Result& result) {
  std::vector<Assumption> all;
  for (const TestResult& test : result.tests) {
    for (const Assumption& assumption : test.assumptions) {
      bool known = std::any_of(all.begin(), all.end(), [&](const Assumption& other) {
        return other.kind == assumption.kind && other.text == assumption.text;
      });
      if (!known) all.push_back(assumption);
    }
  }
  return all;
}

// What came of --checkpoint and --resume.
std::string checkpoint_text(const Result& result) {
  if (!result.checkpoint) return {};
  const CheckpointResult& checkpoint = *result.checkpoint;
  std::string text;
  if (checkpoint.executions_before)
    text += fmt::format("Gone on with after {} executions.\n", *checkpoint.executions_before);
  if (checkpoint.can_go_on) text += fmt::format("To go on: thrum check --resume {}\n", checkpoint.file);
  return text;
}

std::string suite_text(const Result& result) {
  if (!result.suite) return {};
  const SuiteResult& suite = *result.suite;
  return fmt::format("Suite: {} schedule{}{}. To run them: thrum replay {}\n", suite.schedules,
                     plural(suite.schedules), suite.exhausted ? "" : ", of a search that was not exhausted",
                     suite.file);
}

// What the baseline and the suppressions have to do with it.
std::string known_text(const Result& result) {
  std::string text;
  if (result.baseline) {
    const BaselineResult& baseline = *result.baseline;
    text += fmt::format("Baseline {}: {} bug{} known, {} new.\n", baseline.file, baseline.known,
                        plural(baseline.known), baseline.fresh);
    if (!baseline.not_seen.empty())
      text += fmt::format("  {} of its bugs {} not seen:\n", baseline.not_seen.size(),
                          baseline.not_seen.size() == 1 ? "was" : "were");
    for (const KnownBug& bug : baseline.not_seen) {
      std::string message = bug.message.substr(0, bug.message.find('\n'));
      text += fmt::format("    {}: {}: {} ({})\n", bug.test, bug.kind, message, bug.fingerprint);
    }
  }
  if (!result.suppressions) return text;
  std::uint64_t count = 0;
  for (const SuppressionResult& line : *result.suppressions) count += line.count;
  text += fmt::format("Suppressed: {} bug{}.\n", count, plural(count));
  for (const SuppressionResult& line : *result.suppressions) {
    if (line.count > 0)
      text += fmt::format("    {} by line {}, {}:{}\n", line.count, line.line, line.kind, line.pattern);
  }
  return text;
}

std::string tally(const Result& result, std::size_t bugs) {
  std::uint64_t executions = 0;
  double seconds = 0;
  std::size_t by_verdict[4] = {};
  std::size_t not_begun = 0;
  for (const TestResult& test : result.tests) {
    executions += test.executions;
    seconds += test.seconds;
    ++(test.begun ? by_verdict[static_cast<int>(test.verdict)] : not_begun);
  }
  auto count = [&](Verdict verdict) { return by_verdict[static_cast<int>(verdict)]; };
  std::string text = fmt::format("{} test{}: {} passed", result.tests.size(), plural(result.tests.size()),
                                 count(Verdict::exhausted));
  if (bugs > 0) text += fmt::format(", {} with bugs ({} bug{})", count(Verdict::bug), bugs, plural(bugs));
  if (count(Verdict::inconclusive) > 0)
    text += fmt::format(", {} inconclusive", count(Verdict::inconclusive));
  if (count(Verdict::skipped) > 0) text += fmt::format(", {} skipped", count(Verdict::skipped));
  if (not_begun > 0) text += fmt::format(", {} not begun (interrupted)", not_begun);
  return text + fmt::format(".\n{} execution{} in {:.2f} s.\n", executions, plural(executions), seconds);
}

}  // namespace

std::string text_report(const Result& result, const std::vector<TraceFile>& traces, const TextStyle& style) {
  std::span<const TraceFile> traces_left = traces;
  bool whole_program = result.tests.size() == 1 && result.tests[0].name == "main";
  if (whole_program) {
    const TestResult& test = result.tests[0];
    std::string warnings = warnings_text(test, style);
    std::string text = headline(test, style) + divergence_text(test, style) +
                       bugs_text(test, traces_left, style) + "\n" + warnings +
                       (warnings.empty() ? "" : "\n") + coverage_text(test, style) +
                       statistics_text(test, style) + known_text(result) + checkpoint_text(result) +
                       suite_text(result) + assumptions_text(test.assumptions, style) + next_text(test);
    return test.output.empty() ? text : text + fmt::format("\nOutput of the program:\n{}\n", test.output);
  }
  std::string text;
  for (const TestResult& test : result.tests) text += test_text(test, traces_left, style);
  text += "\n" + coloured(tally(result, traces.size()), headline_colour(result.verdict()), style.colours);
  text += known_text(result) + checkpoint_text(result) + suite_text(result);
  return text + assumptions_text(all_assumptions(result), style);
}

}  // namespace thrum
