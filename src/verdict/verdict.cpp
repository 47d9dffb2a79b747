// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by verdict_test.cpp.
#include "verdict/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "report/assumptions.hpp"
#include "report/symbolizer.hpp"
#include "verdict/chance_words.hpp"
#include "verdict/decisions.hpp"
#include "verdict/late_timeouts.hpp"
#include "verdict/sizes.hpp"
#include "verdict/thread_pools.hpp"
#include "verdict/tracing.hpp"
#include "verdict/waiting_loops.hpp"

namespace thrum {

namespace {

Assumption assumption_of(const Report& report, const Note& note) {
  Assumption assumption{note.kind, note.count, note.text, {}};
  for (const SourceLine& line : stack_lines(report, note.stack))
    assumption.locations.push_back({"", "", line.file, line.line, line.function});
  if (assumption.locations.empty()) return assumption;
  const Location& where = assumption.locations[0];
  std::string file = where.file.substr(where.file.rfind('/') + 1);
  assumption.text += fmt::format(" (in {}, {}:{})", where.function, file, where.line);
  return assumption;
}

const Note* uncontrolled_note(const Report& report) {
  auto found = std::find_if(report.notes.begin(), report.notes.end(),
                            [](const Note& note) { return note.uncontrolled; });
  return found == report.notes.end() ? nullptr : &*found;
}

// Control was lost, an execution was cut or none was seen: more than the user's own budget stands between the
// search and its end.
bool weakened(const Report& report) {
  const Claims& claims = report.result.claims;
  return report.result.end == SearchEnd::lost_control || claims.cut() > claims.count(Cut::time) ||
         claims.none_passed() || uncontrolled_note(report);
}

// The test gave itself up in every execution.
bool skips_itself(const Report& report) {
  return report.executions_skipped > 0 && report.executions_skipped >= report.result.executions;
}

// What the search ended with leaves out deadlocks and data races.
bool covers_local_states(const Report& report) {
  const Guarantee& guarantee = report.result.guarantee;
  return !guarantee.complete &&
         std::any_of(guarantee.bounds.begin(), guarantee.bounds.end(),
                     [](const Bound& bound) { return bound.covers == Covers::local_states; });
}

// The same, of a search without a bound.
bool covers_assertions(const Report& report) {
  const Guarantee& guarantee = report.result.guarantee;
  return !guarantee.complete && guarantee.covers == Covers::assertions;
}

// It leaves out only what depends on all threads together and is neither a deadlock nor a data race.
bool covers_deadlocks_and_races(const Report& report) {
  const Guarantee& guarantee = report.result.guarantee;
  return !guarantee.complete && guarantee.covers == Covers::deadlocks_and_races;
}

bool covers_less(const Report& report) { return covers_local_states(report) || covers_assertions(report); }

// Vectors of inputs of many values that were tried; 0: the program drew none.
std::uint64_t input_vectors(const Report& report) {
  auto note = std::find_if(report.notes.begin(), report.notes.end(),
                           [](const Note& one) { return one.kind == kSomeInputs; });
  return note == report.notes.end() ? 0 : std::max<std::uint64_t>(note->count, 1);
}

std::string inputs_words(const Report& report) {
  const std::uint64_t vectors = input_vectors(report);
  return vectors == 0 ? "" : fmt::format(", for {} vector{} of inputs", vectors, vectors == 1 ? "" : "s");
}

bool is_whole(const Report& report, const CheckOptions& options) {
  return report.result.end == SearchEnd::exhausted && !weakened(report) && options.races != "ignore" &&
         !covers_less(report) && input_vectors(report) == 0;
}

Verdict verdict_of(const WorkerOutcome& outcome, const CheckOptions& options, bool death_test) {
  const Report& report = outcome.report;
  if (!report.result.bugs.empty()) return Verdict::bug;
  if (!outcome.internal.empty()) return Verdict::inconclusive;
  if (death_test) return Verdict::skipped;
  if (skips_itself(report) && !weakened(report)) return Verdict::skipped;
  return is_whole(report, options) ? Verdict::exhausted : Verdict::inconclusive;
}

std::string cost_words(const Bound& bound, std::uint32_t count) {
  const char* word = bound.base == Base::nonpreemptive ? "preemption" : "delay";
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

std::string times(std::uint32_t count) { return count == 1 ? "once" : fmt::format("{} times", count); }

// Where an atomic operation asked for less than sequential consistency, what is claimed says at once that
// nothing less was tried. notes: of a report, or assumptions.
template <typename Notes>
std::string memory_words(const Notes& notes) {
  bool weaker =
      std::any_of(notes.begin(), notes.end(), [](const auto& note) { return note.kind == "weaker-atomics"; });
  return weaker ? ", under sequential consistency" : "";
}

std::string guarantee_words(const Report& report, Verdict verdict, const CheckOptions& options) {
  if (verdict == Verdict::skipped) return "nothing: the test was skipped";
  const Guarantee& guarantee = report.result.guarantee;
  if (report.result.claims.none_passed()) return "nothing: no execution passed the assumptions";
  if (!report.started_threads && weakened(report)) return "nothing: the program was not run to its end";
  if (!report.started_threads)
    return "the one schedule there is: no second thread was started and nothing was left open";
  // What would come behind a failure was not run.
  bool ends = std::any_of(report.result.bugs.begin(), report.result.bugs.end(), [&](const FoundBug& bug) {
    if (bug.failure.kind == BugKind::leak) return false;  // found when it was over
    return options.races != "explore" || bug.failure.kind != BugKind::data_race;
  });
  const std::string failures =
      inputs_words(report) + memory_words(report.notes) + (ends ? " (an execution ends at its bug)" : "");
  const std::string limited =
      report.result.claims.beyond_yields > 0
          ? " in which no thread comes to the same yield more than " + times(options.yields)
          : "";
  const bool of_states = report.result.kept.stateful.has_value();
  const bool ignores_livelocks = of_states && !report.result.kept.stateful->sought_livelocks;
  const char* const what_is_covered = of_states                    ? "every state"
                                      : report.result.withheld > 0 ? "every fair schedule"
                                                                   : "every schedule";
  const std::string every = what_is_covered + limited;
  if (guarantee.complete && !weakened(report))
    return every + (ignores_livelocks ? "; livelocks were not looked for" : "") + failures;
  if (covers_assertions(report) && options.races == "ignore")
    return "nothing: data races were ignored, so what threads read is not known";
  if (covers_assertions(report) && guarantee.exhausted && !weakened(report))
    return "every failed assertion and crash" + limited + ", but neither deadlocks nor data races" + failures;
  if (covers_deadlocks_and_races(report) && guarantee.exhausted && !weakened(report))
    return "every failed assertion, crash, deadlock and data race" + limited +
           ", but not livelocks whose threads change what is shared, leaks, limits, or states at the exit" +
           failures;
  std::string text;
  const std::string what =
      (covers_local_states(report) ? "every failed assertion" + limited : every) + " with ";
  for (const Bound& bound : guarantee.bounds) {
    if (!bound.completed) continue;
    text += (text.empty() ? what : ", and every one with ");
    text += (*bound.completed > 0 ? "up to " : "") + cost_words(bound, *bound.completed);
  }
  if (text.empty() && guarantee.chance && report.result.withheld > 0)
    return "nothing for certain; fairness changed the chances of schedules";
  if (text.empty() && guarantee.chance) return "nothing for certain; " + chance_words(*guarantee.chance);
  if (text.empty()) return "nothing: no bound was completed";
  if (guarantee.chance && guarantee.chance->log_least && report.result.withheld == 0)
    text += "; besides, " + chance_words(*guarantee.chance);
  return text + failures;
}

// What would help where a library that is not instrumented has threads.
std::string advice_of(const Report& report) {
  const Note* note = uncontrolled_note(report);
  if (note == nullptr || note->kind != "uncontrolled-threads") return "";
  for (const Module& module : report.modules) {
    if (!module.instrumented && note->text.starts_with(module.path + " "))
      return thread_pool_advice(module.path);
  }
  return "";
}

// What the user's own budget was, for a search that took all of it.
std::string time_words(const CheckOptions& options, double time_seconds) {
  double whole = options.time_seconds;
  if (time_seconds == 0 || time_seconds == whole) return fmt::format("the time ended (--time {:g})", whole);
  if (time_seconds == options.time_per_test_seconds)
    return fmt::format("the time ended (--time-per-test {:g})", time_seconds);
  return fmt::format("the time ended ({:.2g} s was this test's share of --time {:g})", time_seconds, whole);
}

// Where a thread ran on without an instrumented operation when the time ended; empty: none did.
std::string ran_on_words(const Report& report) {
  for (const Note& note : report.notes) {
    if (note.kind == "ran-on") return ": " + assumption_of(report, note).text;
  }
  return "";
}

std::string reason_words(const WorkerOutcome& outcome, const CheckOptions& options, bool death_test,
                         double time_seconds) {
  const Report& report = outcome.report;
  const SearchResult& search = report.result;
  if (!search.bugs.empty()) {
    return search.bugs.size() == 1 ? "a bug was found"
                                   : fmt::format("{} bugs were found", search.bugs.size());
  }
  if (!outcome.internal.empty()) return outcome.internal;
  if (death_test) return "a death test starts processes, which Thrum does not follow";
  if (outcome.interrupted) return "it was interrupted";
  if (search.end == SearchEnd::lost_control && !search.lost_reason.empty())
    return search.lost_reason + ran_on_words(report);
  if (const Note* note = uncontrolled_note(report)) return assumption_of(report, *note).text;
  if (skips_itself(report)) return report.skip_reason.empty() ? "it skips itself" : report.skip_reason;
  if (search.claims.none_passed()) return "no execution passed the assumptions, so nothing was checked";
  if (std::uint64_t cut = search.claims.count(Cut::steps); cut > 0) {
    return fmt::format("{} of {} executions did not end within {} instrumented operations (--steps)", cut,
                       search.executions, options.steps);
  }
  if (std::uint64_t cut = search.claims.count(Cut::memory); cut > 0) {
    return fmt::format("{} of {} executions took more than {} of memory (--program-memory)", cut,
                       search.executions, size_words(options.program_memory_bytes));
  }
  if (std::uint64_t cut = search.claims.count(Cut::threads); cut > 0) {
    return fmt::format("{} of {} executions started more than {} threads that live at once", cut,
                       search.executions, kThreadsMax);
  }
  if (search.end == SearchEnd::time) return time_words(options, time_seconds) + ran_on_words(report);
  if (search.end == SearchEnd::executions)
    return fmt::format("the number of executions given was reached (--executions {})", search.executions);
  if (options.races == "ignore") return "data races were ignored, and so nothing is proved";
  if (covers_assertions(report))
    return "a deadlock or a data race may have been missed (with --strategy dpor none is)";
  if (covers_local_states(report))
    return "within the bound a deadlock or a data race may have been missed (with --strategy icb none is)";
  if (covers_deadlocks_and_races(report))
    return "each thread was shown in each state that it can be in, and there is neither a deadlock nor a "
           "data "
           "race";
  const char* fair = search.withheld > 0 ? "all fair schedules" : "all schedules";
  const bool bounded = !search.guarantee.complete || search.claims.beyond_yields > 0;
  const bool of_states = search.kept.stateful.has_value();
  return fmt::format("{}{}{} were {}{}{}", input_vectors(report) > 0 ? "some inputs: " : "",
                     of_states ? "all states" : fair, bounded ? " within the bound" : "",
                     of_states ? "visited" : "run", inputs_words(report), memory_words(report.notes));
}

// Libraries that are understood: what they do that matters is intercepted.
bool is_understood(const std::string& name) {
  constexpr std::array kKnown = {"libthrum.so", "ld-linux",     "linux-vdso",    "libc.so",  "libm.so",
                                 "libgcc_s.so", "libstdc++.so", "libpthread.so", "libdl.so", "librt.so"};
  return std::any_of(kKnown.begin(), kKnown.end(),
                     [&](const char* known) { return name.starts_with(known); });
}

constexpr const char* kUnseen =
    ". What they do with memory is not seen, except through the calls that are intercepted.";

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void add_modules(const Report& report, std::vector<Assumption>& assumptions) {
  std::string names;
  std::uint64_t count = 0;
  for (const Module& module : report.modules) {
    std::string name = file_name(module.path);
    if (module.instrumented || is_understood(name)) continue;
    names += (names.empty() ? "" : ", ") + name;
    ++count;
  }
  if (count == 0) return;
  assumptions.push_back(
      {"uninstrumented-modules", count, "Modules not instrumented: " + names + kUnseen, {}});
}

// "A.c, B.c (2 files) and 17 more (in libqueue.so)"
std::string file_words(const std::vector<std::string>& files, const std::string& module) {
  constexpr int kNamesMax = 20;
  std::string text;
  int told = 0;
  for (auto i = files.begin(); i != files.end();) {
    if (told++ == kNamesMax) {
      text += fmt::format(" and {} more", files.end() - i);
      break;
    }
    auto next = std::find_if(i, files.end(), [&](const std::string& name) { return name != *i; });
    text += (text.empty() ? "" : ", ") + *i;
    if (next - i > 1) text += fmt::format(" ({} files)", next - i);
    i = next;
  }
  return text + " (in " + file_name(module) + ")";
}

// Files that were compiled without instrumentation and then linked into modules that have it.
void add_files(const std::vector<LinkedModule>& modules, std::vector<Assumption>& assumptions) {
  std::string names;
  std::string unknown;
  std::uint64_t count = 0;
  std::uint64_t unknown_count = 0;
  for (const LinkedModule& module : modules) {
    if (!module.files.known) {
      unknown += (unknown.empty() ? "" : ", ") + file_name(module.path);
      ++unknown_count;
    } else if (!module.files.uninstrumented.empty()) {
      names += (names.empty() ? "" : ", ") + file_words(module.files.uninstrumented, module.path);
      count += module.files.uninstrumented.size();
    }
  }
  if (count > 0)
    assumptions.push_back({"uninstrumented-files", count, "Files not instrumented: " + names + kUnseen, {}});
  if (unknown_count > 0) {
    assumptions.push_back({"instrumentation-unknown",
                           unknown_count,
                           "Taken to be instrumented throughout: " + unknown +
                               ". Which files it was linked from cannot be told, since its symbols were "
                               "stripped.",
                           {}});
  }
}

void add_old_clang(const std::vector<LinkedModule>& modules, std::vector<Assumption>& assumptions) {
  std::string names;
  std::uint64_t count = 0;
  for (const LinkedModule& module : modules) {
    if (!module.files.by_old_clang) continue;
    names += (names.empty() ? "" : ", ") + file_name(module.path);
    ++count;
  }
  if (count == 0) return;
  assumptions.push_back(
      {"clang-locals",
       count,
       "Compiled by clang before version 21: " + names +
           ". Where a local variable is shared, what its own function does with other parts "
           "of it than the first is not seen; races there may be missed.",
       {}});
}

std::string executions_were(std::uint64_t count) {
  return fmt::format("{} execution{}", count, count == 1 ? " was" : "s were");
}

// What limits cut.
void add_cuts(const SearchResult& result, const CheckOptions& options, std::vector<Assumption>& list) {
  if (std::uint64_t cut = result.claims.count(Cut::steps); cut > 0) {
    list.push_back(
        {"steps-cut", cut,
         fmt::format("{} cut at {} instrumented operations.", executions_were(cut), options.steps)});
  }
  if (std::uint64_t cut = result.claims.count(Cut::memory); cut > 0) {
    list.push_back({"memory-cut", cut,
                    fmt::format("{} cut where the program had taken {} of memory.", executions_were(cut),
                                size_words(options.program_memory_bytes))});
  }
  if (std::uint64_t cut = result.claims.count(Cut::threads); cut > 0) {
    list.push_back(
        {"threads-cut", cut,
         fmt::format("{} cut where {} threads lived at once.", executions_were(cut), kThreadsMax)});
  }
  if (std::uint64_t cut = result.claims.beyond_yields; cut > 0) {
    list.push_back({"yields-cut", cut,
                    fmt::format("{} execution{} ended where a thread came to the same yield or sleep more "
                                "than {} (--bound yields={}).",
                                cut, cut == 1 ? "" : "s", times(options.yields), options.yields)});
  }
}

std::vector<Assumption> assumptions_of(const Report& report, const CheckOptions& options,
                                       const std::vector<LinkedModule>& modules) {
  std::vector<Assumption> list;
  if (options.races == "ignore") {
    list.push_back(
        {"races-not-checked", 1,
         "DATA RACES WERE NOT LOOKED FOR (--races ignore). Threads are switched before synchronization and "
         "atomic operations only, so a bug that takes a switch between plain accesses is missed wherever "
         "such "
         "accesses race."});
  }
  list.push_back(general_assumption("sequential-consistency"));
  if (!report.started_threads && report.result.end == SearchEnd::exhausted) {
    list.push_back(
        {"no-threads", 1, "The program started no thread and left nothing open: it was run once."});
  }
  for (const Note& note : report.notes) {
    if (note.kind != kLateWait) list.push_back(assumption_of(report, note));
  }
  add_late_timeouts(report, options, list);
  add_cuts(report.result, options, list);
  if (std::uint64_t withheld = report.result.withheld; withheld > 0) {
    list.push_back({"fairness",
                    withheld,
                    fmt::format("Scheduling is fair: at {} choice{} a thread that goes round in a loop that "
                                "yields had to let others go first. A bug that takes a thread which "
                                "stands still while another goes round twice or more is not found "
                                "(--fair off looks for it).",
                                withheld, withheld == 1 ? "" : "s"),
                    {}});
  }
  if (std::uint64_t ended = report.result.claims.assumed_away; ended > 0) {
    list.push_back({"executions-assumed-away", ended,
                    fmt::format("{} executions ended at a false thrum_assume.", ended)});
  }
  if (std::uint64_t skipped = report.executions_skipped; skipped > 0) {
    list.push_back(
        {"executions-skipped", skipped,
         fmt::format("In {} executions the test skipped itself: {}", skipped, report.skip_reason)});
  }
  add_modules(report, list);
  add_files(modules, list);
  if (options.races != "ignore") add_old_clang(modules, list);
  bool said = std::any_of(report.notes.begin(), report.notes.end(),
                          [](const Note& note) { return note.kind == kSomeInputs; });
  if (!said) list.push_back(general_assumption(kSomeInputs));
  list.push_back(general_assumption("one-address-assignment"));
  list.push_back(general_assumption("allocation-succeeds"));
  if (options.spurious) {
    list.push_back(
        {"spurious-wakeups-on", 1,
         "Condition variables woke up by themselves too, each thread again only when others had done "
         "something in between; no weak compare-exchange failed so."});
  } else {
    list.push_back(general_assumption("spurious-wakeups-off"));
  }
  list.push_back(general_assumption("timeouts-modelled"));
  list.push_back(general_assumption("spins"));
  return list;
}

StatisticsResult statistics_of(const Statistics& statistics) {
  StatisticsResult result;
  result.cost = statistics.base == Base::nonpreemptive ? "preemptions" : "delays";
  result.classes = statistics.classes;
  result.in_vain = statistics.in_vain;
  result.waited = statistics.waited;
  result.before = statistics.before;
  auto counted = [&](std::uint64_t classes) {
    return statistics.counts_classes ? std::optional(classes) : std::nullopt;
  };
  for (std::size_t cost = 0; cost < statistics.levels.size(); ++cost) {
    const LevelCount& level = statistics.levels[cost];
    if (level.executions == 0) continue;
    result.levels.push_back({static_cast<std::uint32_t>(cost), level.executions,
                             statistics.classes ? std::optional(level.classes) : std::nullopt, level.bugs,
                             level.completed});
  }
  for (const GrowthPoint& point : statistics.growth)
    result.growth.push_back(
        {point.executions, counted(point.classes), point.seconds,
         statistics.local_states ? std::optional(point.local_states.late) : std::nullopt,
         statistics.value_sequences ? std::optional(point.value_sequences) : std::nullopt});
  if (const auto& states = statistics.local_states)
    result.local_states = {states->count, states->is_exact, states->last_new};
  if (const auto& sequences = statistics.value_sequences)
    result.value_sequences = {sequences->count, sequences->is_exact, sequences->last_new};
  for (const MemberCount& member : statistics.members)
    result.strategies.push_back({member.name, member.executions, member.bugs, member.seconds});
  return result;
}

// Of what a search has found besides its executions.
void add_kept(const SearchStatistics& from, StatisticsResult& to) {
  if (const auto& kept = from.unfolding)
    to.unfolding = {kept->local_states, kept->vain,  kept->restarts, kept->queries,
                    kept->denied,       kept->pairs, kept->bytes};
  if (const auto& kept = from.stateful) {
    to.stateful = {kept->states,
                   kept->ends,
                   kept->steps,
                   kept->depth,
                   kept->blocking,
                   kept->preemptions,
                   kept->bytes,
                   kept->restarts,
                   kept->expected_collisions,
                   kept->seconds,
                   kept->is_symmetric,
                   {},
                   {}};
    for (const StatefulStatistics::Bound& bound : kept->bounds)
      to.stateful->bounds.push_back({bound.states, bound.steps});
    for (const StatefulStatistics::Curve& curve : kept->curves)
      to.stateful->curves.push_back({curve.name, curve.points});
  }
}

}  // namespace

TestResult judge(const WorkerOutcome& outcome, const CheckOptions& options, bool death_test,
                 double time_seconds, const std::vector<LinkedModule>& modules) {
  const Report& report = outcome.report;
  const SearchResult& search = report.result;
  TestResult test;
  test.verdict = verdict_of(outcome, options, death_test);
  test.reason = reason_words(outcome, options, death_test, time_seconds);
  if (test.verdict == Verdict::inconclusive) test.advice = advice_of(report);
  test.bounded = (!search.guarantee.complete || search.claims.beyond_yields > 0) && report.started_threads;
  test.fair_only = search.withheld > 0;
  test.complete = test.verdict == Verdict::exhausted && !test.bounded && !test.fair_only;
  test.whole = is_whole(report, options) && outcome.internal.empty();
  test.guarantee = guarantee_words(report, test.verdict, options);
  test.covers = covers_assertions(report)            ? "assertions"
                : covers_deadlocks_and_races(report) ? "deadlocks-and-races"
                                                     : "executions";
  test.heap = options.heap;
  if (input_vectors(report) > 0) test.inputs = "some";
  for (const Bound& bound : search.guarantee.bounds) {
    test.bounds.push_back({bound.base == Base::nonpreemptive ? "preemptions" : "delays", bound.limit,
                           bound.completed,
                           bound.covers == Covers::executions ? "executions" : "local-states"});
  }
  for (std::size_t i = 0; i < kCutCount; ++i) {
    const auto cut = static_cast<Cut>(i);
    if (search.claims.count(cut) > 0) test.cut.push_back({cut_name(cut), search.claims.count(cut)});
  }
  if (options.yields != 0) {
    const bool all = search.end == SearchEnd::exhausted && !weakened(report);
    test.bounds.push_back(
        {"yields", options.yields, all ? std::optional(options.yields) : std::nullopt, "executions"});
  }
  if (search.guarantee.chance && report.started_threads && search.withheld == 0)
    test.probability = probability_of(*search.guarantee.chance);
  test.assumptions = assumptions_of(report, options, modules);
  test.workers = outcome.workers;
  test.workers_killed = outcome.killed;
  if (options.jobs > 1) test.one_worker = report.alone;
  test.strategy = options.strategy;
  test.engine = options.engine;
  test.priorities = options.settings.priorities;
  if (const SearchStatistics& kept = search.kept; kept.nodes_max > 0)
    test.search_memory = {kept.waiting,      kept.nodes, kept.nodes_max, kept.spilled,
                          kept.uncompressed, kept.apart, kept.complete,  kept.remembered};
  test.threads = report.threads == Threads::system ? "system" : "fibers";
  if (options.trace_digest) test.trace_digest = fmt::format("{:016x}", report.trace_digest);
  test.executions = search.executions;
  test.midway = search.midway;
  test.trusted = search.trusted;
  test.audited = search.audited;
  test.steps = search.steps;
  test.seconds = search.seconds;
  test.threads_max = search.threads_max;
  if (report.started_threads) {
    test.statistics = statistics_of(search.statistics);
    add_kept(search.kept, *test.statistics);
    if (const auto& kept = search.kept.causality) {
      test.statistics->causality = {kept->decisions, kept->outcomes,    kept->unreachable,   kept->undecided,
                                    kept->nodes,     kept->states,      kept->clauses,       kept->restarts,
                                    kept->queries,   kept->satisfiable, kept->unsatisfiable, kept->unknown,
                                    kept->seconds};
      add_decisions(outcome, options.decisions, weakened(report), *test.statistics->causality);
    }
    test.statistics->loops = waiting_loops(report);
  }
  test.happens_before_classes = search.statistics.classes;
  if (search.end == SearchEnd::lost_control) test.output = outcome.output;
  return test;
}

void weigh_bugs(TestResult& test) {
  std::size_t found = test.bugs.size();
  std::string suppressed = fmt::format("{} bug{}", test.suppressed, test.suppressed == 1 ? " was" : "s were");
  if (test.verdict != Verdict::bug) {
    if (test.suppressed > 0) test.reason += "; " + suppressed + " suppressed";
    return;
  }
  if (found == 0 && test.suppressed == 0) return;
  if (found == 0 && test.whole && test.suppressed == test.suppressed_without_loss) {
    test.verdict = Verdict::exhausted;
    test.complete = !test.bounded && !test.fair_only;
    test.reason =
        fmt::format("all {}schedules{} were run{}; {} suppressed", test.fair_only ? "fair " : "",
                    test.bounded ? " within the bound" : "", memory_words(test.assumptions), suppressed);
    return;
  }
  if (found == 0) {
    test.verdict = Verdict::inconclusive;
    test.reason = suppressed + " found and suppressed; what comes after one was not run";
    return;
  }
  auto known = static_cast<std::size_t>(
      std::count_if(test.bugs.begin(), test.bugs.end(), [](const BugResult& bug) { return bug.known; }));
  test.reason = found == 1 ? "a bug was found" : fmt::format("{} bugs were found", found);
  if (known == found) {
    test.reason += found == 1 ? ", which the baseline knows" : ", all of which the baseline knows";
  } else if (known > 0) {
    test.reason += fmt::format(", {} of which the baseline knows", known);
  }
  if (test.suppressed > 0) test.reason += fmt::format("; {} more suppressed", test.suppressed);
}

ExitCode exit_code(const WorkerOutcome& outcome, const CheckOptions& options, const TestResult& test) {
  const Report& report = outcome.report;
  if (!outcome.internal.empty()) return kExitInternal;
  bool some_are_new =
      std::any_of(test.bugs.begin(), test.bugs.end(), [](const BugResult& bug) { return !bug.known; });
  bool untold = !report.result.bugs.empty() && test.bugs.empty() && test.suppressed == 0;
  if (some_are_new || untold) return kExitBug;
  if (test.verdict == Verdict::skipped) return kExitDone;
  if (outcome.interrupted || weakened(report)) return kExitInconclusive;
  bool budget_ended =
      report.result.end != SearchEnd::exhausted || covers_less(report) || input_vectors(report) > 0;
  return budget_ended && options.require_exhausted ? kExitInconclusive : kExitDone;
}

ExitCode worse(ExitCode a, ExitCode b) {
  for (ExitCode code : {kExitInternal, kExitUsage, kExitBug, kExitInconclusive}) {
    if (a == code || b == code) return code;
  }
  return kExitDone;
}

bool is_death_test(const Report& report) {
  if (!uncontrolled_note(report)) return false;
  auto assumes_role = [&](const Place& place) {
    if (place.space != Place::Space::module || place.owner >= report.modules.size()) return false;
    const std::vector<SourceLine>& lines = symbolizer().code(report.modules[place.owner].path, place.offset);
    return std::any_of(lines.begin(), lines.end(), [](const SourceLine& line) {
      return line.function.ends_with("DeathTest::AssumeRole");
    });
  };
  return std::any_of(report.notes.begin(), report.notes.end(), [&](const Note& note) {
    return note.uncontrolled && std::any_of(note.stack.begin(), note.stack.end(), assumes_role);
  });
}

}  // namespace thrum
