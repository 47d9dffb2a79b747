// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by statistics_text_test.cpp.
#include "report/statistics_text.hpp"

#include "report/decisions_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace thrum {

namespace {

// How many executions each class had on average, and what else is said of the search as a whole.
std::string summary(const StatisticsResult& statistics, std::uint64_t executions) {
  std::string text;
  if (statistics.classes) {
    text +=
        fmt::format("{} class{} of executions", *statistics.classes, *statistics.classes == 1 ? "" : "es");
    if (*statistics.classes > 0)
      text += fmt::format(", {:.2f} executions each", static_cast<double>(executions - statistics.waited) /
                                                          static_cast<double>(*statistics.classes));
  }
  auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  if (statistics.in_vain > 0) add(fmt::format("{} broken off", statistics.in_vain));
  if (statistics.waited > 0) add(fmt::format("{} waited in vain", statistics.waited));
  if (statistics.before > 0)
    add(fmt::format("{} before the search had to begin anew, not counted here", statistics.before));
  return text.empty() ? text : "  " + text + "\n";
}

std::string members_table(const StatisticsResult& statistics, const TextStyle& style) {
  if (statistics.strategies.size() < 2) return "";
  std::string text =
      coloured(fmt::format("  {:<24}  {:>13}  {:>5}  {}\n", "strategy", "executions", "bugs", "took"), kDim,
               style.colours);
  for (const MemberResult& member : statistics.strategies)
    text += fmt::format("  {:<24}  {:>13}  {:>5}  {:.2f} s\n", member.name, member.executions, member.bugs,
                        member.seconds);
  return text;
}

std::string loops_table(const StatisticsResult& statistics, const TextStyle& style) {
  if (statistics.loops.empty()) return "";
  std::size_t width = std::string_view("waiting loop").size();
  std::vector<std::string> places;
  for (const LoopResult& loop : statistics.loops) {
    const std::string file = loop.where.file.substr(loop.where.file.rfind('/') + 1);
    places.push_back(file.empty() ? "?" : fmt::format("{}:{}", file, loop.where.line));
    width = std::max(width, places.back().size());
  }
  std::string text = coloured(fmt::format("  {:<{}}  kind\n", "waiting loop", width), kDim, style.colours);
  for (std::size_t i = 0; i < places.size(); ++i)
    text += fmt::format("  {:<{}}  {}: {}\n", places[i], width, statistics.loops[i].kind,
                        statistics.loops[i].text);
  return text;
}

std::string unfolding_lines(const StatisticsResult& statistics) {
  if (!statistics.unfolding) return "";
  const UnfoldingResult& unfolding = *statistics.unfolding;
  std::string text = fmt::format(
      "  {} local states of threads; {} executions planned for one in vain; {} pairs of pasts "
      "tested; {:.1f} MB\n",
      unfolding.local_states, unfolding.vain, unfolding.pairs, static_cast<double>(unfolding.bytes) / 1e6);
  if (unfolding.queries > 0)
    text += fmt::format("  {} executions of deadlocks and data races that were found in these, {} denied\n",
                        unfolding.queries, unfolding.denied);
  if (unfolding.restarts > 0) text += fmt::format("  begun again {} times\n", unfolding.restarts);
  return text;
}

// One line for all, and one for each bound of preemptions.
std::string stateful_lines(const StatisticsResult& statistics) {
  if (!statistics.stateful) return "";
  const StatefulResult& found = *statistics.stateful;
  std::string text = fmt::format(
      "  {} states, {} of them ends of executions; {} steps, {} in a schedule at most; {:.0f} states/s, "
      "{:.1f} MB; {:.1g} states may be hidden by equal keys\n",
      found.states, found.ends, found.steps, found.depth,
      static_cast<double>(found.states) / std::max(found.seconds, 1e-6),
      static_cast<double>(found.bytes) / 1e6, found.expected_collisions);
  for (std::size_t bound = 0; bound < found.bounds.size(); ++bound)
    text += fmt::format("  {} states within {} preemption{}\n", found.bounds[bound].states, bound,
                        bound == 1 ? "" : "s");
  if (found.restarts > 0) text += fmt::format("  begun again {} times\n", found.restarts);
  return text;
}

std::string causality_lines(const StatisticsResult& statistics) {
  if (!statistics.causality) return "";
  const CausalityResult& causality = *statistics.causality;
  std::string text;
  if (causality.decisions > 0)
    text += fmt::format(
        "  {} outcomes of {} decisions of threads, each way there by itself; {} of them can have no other, "
        "{} "
        "undecided\n",
        causality.shown, causality.decisions, causality.unreachable, causality.undecided);
  if (causality.states > 0) text += fmt::format("  {} states of their trees\n", causality.states);
  text += fmt::format("  {} questions to the solver: {} yes, {} no, {} unknown; {:.2f} s, {} clauses\n",
                      causality.queries, causality.satisfiable, causality.unsatisfiable, causality.unknown,
                      causality.seconds, causality.clauses);
  if (causality.restarts > 0) text += fmt::format("  begun again {} times\n", causality.restarts);
  return text;
}

std::string table(const StatisticsResult& statistics, const TextStyle& style) {
  std::uint64_t executions = 0;
  for (const LevelResult& level : statistics.levels) executions += level.executions;
  std::string lines = fmt::format("  {:>11}  {:>13}  {:>13}  {:>5}  {}\n", statistics.cost, "executions",
                                  "classes", "bugs", "completed after");
  for (const LevelResult& level : statistics.levels) {
    std::string classes = level.classes ? fmt::format("{}", *level.classes) : "-";
    std::string completed = level.completed ? fmt::format("{:.2f} s", *level.completed) : "-";
    lines += fmt::format("  {:>11}  {:>13}  {:>13}  {:>5}  {}\n", level.cost, level.executions, classes,
                         level.bugs, completed);
  }
  return coloured(lines.substr(0, lines.find('\n') + 1), kDim, style.colours) +
         lines.substr(lines.find('\n') + 1) + members_table(statistics, style) +
         summary(statistics, executions) + unfolding_lines(statistics) + stateful_lines(statistics) +
         causality_lines(statistics) + loops_table(statistics, style);
}

// which: the heap, of several.
std::string coverage_lines(const StatisticsResult& statistics, const std::string& which) {
  std::uint64_t executions = 0;
  for (const LevelResult& level : statistics.levels) executions += level.executions;
  const auto line = [&](const char* what, const std::optional<CoverageResult>& met) {
    return !met ? ""
                : fmt::format("{} met{}: {}{} (the last new one in execution {} of {}).\n", what, which,
                              met->is_exact ? "" : "about ", met->count, met->last_new, executions);
  };
  return line("Local states", statistics.local_states) +
         line("Sequences of values", statistics.value_sequences);
}

}  // namespace

std::string statistics_text(const TestResult& test, const TextStyle& style) {
  std::string text;
  for (const HeapResult& heap : test.heaps) {
    if (heap.statistics) text += coverage_lines(*heap.statistics, " (--heap " + heap.heap + ")");
  }
  if (test.statistics) text += coverage_lines(*test.statistics, "");
  if (test.statistics && test.statistics->causality)
    text += decisions_text(*test.statistics->causality, style);
  if (!style.statistics) return text;
  for (const HeapResult& heap : test.heaps) {
    if (heap.statistics)
      text += fmt::format("Statistics (--heap {}):\n", heap.heap) + table(*heap.statistics, style);
  }
  if (test.statistics) text += "Statistics:\n" + table(*test.statistics, style);
  return text;
}

}  // namespace thrum
