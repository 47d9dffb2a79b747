// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/native_search.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "runtime/focus.hpp"
#include "runtime/judging.hpp"
#include "runtime/leaks.hpp"
#include "runtime/native_program.hpp"
#include "runtime/race_judge.hpp"
#include "runtime/round_detector.hpp"
#include "runtime/search_state.hpp"
#include "runtime/shared_search.hpp"
#include "runtime/temporary_file.hpp"
#include "runtime/warnings.hpp"
#include "runtime/waypoints.hpp"
#include "runtime/world.hpp"
#include "search/explore.hpp"
#include "search/simplify.hpp"
#include "search/strategies.hpp"
#include "support/check.hpp"
#include "support/digest.hpp"

namespace thrum {

namespace {

const FatalPlan* find_fatal(const Plan& plan) {
  const Board& board = *world.board;
  const std::uint32_t count = board.fatal_count.load(std::memory_order_acquire);
  if (count == 0) return nullptr;
  ByteWriter bytes;
  write_plan(bytes, plan, *world.names);
  Digest digest;
  digest.add(bytes.bytes().data(), bytes.bytes().size());
  const FatalPlan* end = board.fatal + std::min(count, Board::kFatalMax);
  const FatalPlan* found =
      std::find_if(board.fatal, end, [&](const FatalPlan& fatal) { return fatal.plan == digest.value(); });
  return found == end ? nullptr : found;
}

void announce(const Plan& plan) {
  world.fatal = find_fatal(plan);
  world.repeats = false;
  Channel& channel = *world.channel;
  const Policy& policy = plan.policy;
  channel.policy = {policy.kind,  policy.base, policy.fairness, policy.waiting,
                    policy.depth, policy.seed, policy.steps,    policy.object};
  auto counts = std::min<std::size_t>(policy.counts.size(), Channel::kCountsMax);
  std::copy_n(policy.counts.begin(), counts, channel.counts);
  channel.count_count = static_cast<std::uint32_t>(counts);
  auto count = std::min<std::size_t>(plan.departures.size(), Channel::kDeparturesMax);
  std::memcpy(static_cast<void*>(channel.departures), plan.departures.data(), count * sizeof(Departure));
  channel.departure_count = static_cast<std::uint32_t>(count);
  std::uint64_t executions = channel.executions.load(std::memory_order_relaxed);
  channel.executions.store(executions + 1, std::memory_order_relaxed);
}

// Tells the supervisor how far the search is, where it has asked since it was told last.
void answer(const std::function<Progress()>& ask) {
  Channel& channel = *world.channel;
  std::uint32_t asked = channel.asked.load(std::memory_order_acquire);
  if (asked == channel.answered.load(std::memory_order_relaxed)) return;
  pass_progress(ask());
  channel.answered.store(asked, std::memory_order_release);
}

void note_bug(const FoundBug& bug) {
  ByteWriter out;
  write_bug(out, bug, *world.names);
  world.ledger->add(Ledger::Kind::bug, out.bytes());
}

void note_level(const SearchResult& so_far) {
  Report report;
  report.started_threads = true;
  report.result = so_far;
  describe_search(report);
  ByteWriter out;
  write_report(out, report, *world.names);
  world.ledger->add(Ledger::Kind::level, out.bytes());
}

Limits limits_of(const Job& job, std::uint64_t executions_before, Fairness fairness) {
  Limits limits;
  if (job.executions != 0)
    limits.executions = job.executions > executions_before ? job.executions - executions_before : 1;
  limits.keep_going = job.keep_going;
  limits.end_at_races = job.races == Races::explore;
  limits.fairness = fairness;
  limits.waiting = round_detector().waiting();
  limits.out_of_time = [] { return world.board->stop.load(std::memory_order_relaxed) != 0; };
  limits.announce = announce;
  limits.answer = answer;
  limits.count_classes = job.count_classes;
  limits.audits = !job.digest_traces && job.repeat == 1;  // which want each execution once
  limits.now = search_seconds;
  limits.note_bug = note_bug;
  limits.note_level = note_level;
  if (!job.leaks) limits.last_suspect = [] { return leak_search().take_suspect(); };
  return limits;
}

// What races in the program is visible from now on. False: the search did not end by a race that is to be
// explored, or by several that several workers met.
bool learn_races(const SearchResult& result, const Job& job) {
  if (job.races != Races::explore || result.end != SearchEnd::bug) return false;
  bool any = false;
  for (const FoundBug& bug : result.bugs) {
    if (bug.failure.kind != BugKind::data_race) continue;
    race_judge().known().add(bug.failure);
    any = true;
  }
  return any;
}

// The bugs of a search that came after `before`.
void take_bugs(std::vector<FoundBug>& from, SearchResult& before) {
  for (FoundBug& bug : from) {
    if (find_bug(before.bugs, bug.failure) != nullptr) continue;
    bug.execution += before.executions;
    bug.seconds += before.seconds;
    before.bugs.push_back(std::move(bug));
  }
}

[[noreturn]] void refuse(std::string why) {
  Report report;
  report.refused = std::move(why);
  send_report(report);
}

// The bugs of a search that is taken up have the places and addresses of this process from now on.
void confirm_bugs(NativeProgram& program, std::vector<FoundBug>& bugs) {
  KnownRaces& races = race_judge().known();
  const std::size_t known = races.count();
  for (FoundBug& bug : bugs) {
    races.use(bug.trace.known_races.size());
    const bool same = !find_divergence(program, bug.plan, bug.trace) && bug.trace.end == End::bug &&
                      bug.trace.failure.kind == bug.failure.kind;
    if (!same || world.restarts)
      refuse("the program behaves otherwise than it did then: a bug is not shown again");
    bug.failure = bug.trace.failure;
  }
  races.use(known);
}

// Where another process has put the search down.
SearchSoFar take_up(NativeProgram& program, Strategy& strategy, SearchResult& before, Fairness& fairness) {
  SearchSoFar so_far;
  Digest digest;
  std::string problem = search_state().take_up(so_far, before, strategy, digest, fairness, load_library);
  if (!problem.empty()) refuse(std::move(problem));
  warnings().watch(false);
  confirm_bugs(program, before.bugs);
  confirm_bugs(program, so_far.result.bugs);
  warnings().watch(true);
  trace_digest() = digest;
  world.channel->executions.store(before.executions + so_far.result.executions, std::memory_order_relaxed);
  return so_far;
}

// One search to its end. What was run before it had to begin anew is counted, and its bugs kept, in `before`.
SearchResult search_once(NativeProgram& program, const Job& job, SearchResult& before) {
  Fairness fairness = job.fairness;
  while (true) {
    world.restarts = false;
    waypoints().forget();
    const auto make = [&job, fairness] {
      StrategySettings settings = job.settings;
      settings.make_file = make_temporary_file;
      settings.is_fair = fairness == Fairness::on;
      return make_strategy(job.strategy, settings);
    };
    std::unique_ptr<Strategy> strategy = make();
    THRUM_CHECK(strategy != nullptr);
    SearchSoFar from;
    if (search_state().is_there()) from = take_up(program, *strategy, before, fairness);
    SharedSearch::PutDown put_down;
    if (search_state().is_wanted()) {
      put_down = [&](const SearchSoFar& so_far) {
        search_state().put_down(so_far, before, *strategy, trace_digest(), fairness);
      };
    }
    SharedSearch search(program, *strategy, make, limits_of(job, before.executions, fairness),
                        before.executions, std::move(put_down));
    SearchResult one = conclude(search.run_whole(std::move(from)), *strategy);
    bool by_race = !world.restarts && learn_races(one, job);
    bool starved = !world.restarts && one.starved;
    if (!world.restarts && !by_race && !starved) return one;
    if (starved) fairness = Fairness::on;
    if (by_race || starved) take_bugs(one.bugs, before);  // else they are found again
    before.executions += one.executions;
    before.steps += one.steps;
    before.seconds += one.seconds;
    before.statistics.before += one.executions;
  }
}

// Job::repeat searches as one: the first one's result, with the executions, steps and seconds of all.
SearchResult search_repeatedly(NativeProgram& program, const Job& job) {
  SearchResult all;
  SearchResult before;
  for (std::uint64_t i = 0; i < job.repeat; ++i) {
    SearchResult one = search_once(program, job, before);
    if (i == 0) {
      take_bugs(one.bugs, before);
      all = std::move(one);
      all.bugs = std::move(before.bugs);
      all.statistics.before = before.statistics.before;
      continue;
    }
    const bool is_stopped = one.end == SearchEnd::time;
    THRUM_CHECK(is_stopped || (one.executions * i == all.executions && one.end == all.end));
    all.executions += one.executions;
    all.steps += one.steps;
    all.seconds += one.seconds;
    all.end = one.end;
    if (is_stopped) break;
  }
  all.executions += before.executions;
  all.steps += before.steps;
  all.seconds += before.seconds;
  return all;
}

// Beside each leak that only some schedules have, an execution without it.
void add_executions_without(NativeProgram& program, const Job& job, SearchResult& result) {
  for (FoundBug& bug : result.bugs) {
    if (bug.failure.kind != BugKind::leak || job.leaks || leak_search().clean() == nullptr) continue;
    FoundBug::Without without{*leak_search().clean(), {}};
    program.run(without.plan, nullptr, Recording::full, without.trace);
    if (without.trace.end != End::finished) continue;
    bug.without = std::move(without);
    note_bug(bug);
  }
}

// Each bug by a schedule that is as simple as can be found.
void simplify_bugs(NativeProgram& program, const Job& job, SearchResult& result) {
  // Benchmarks count their own executions, and digests theirs.
  if (job.repeat > 1 || job.digest_traces || result.bugs.empty()) return;
  constexpr std::uint64_t kExecutions = 20'000;  // for all of them
  constexpr double kSeconds = 5;
  Limits limits = limits_of(job, 0, Fairness::off);
  SimplifyBudget budget;
  budget.executions = std::max<std::uint64_t>(kExecutions / result.bugs.size(), 200);
  budget.seconds = kSeconds / static_cast<double>(result.bugs.size());
  budget.out_of_time = limits.out_of_time;
  budget.announce = limits.announce;
  budget.now = limits.now;
  judging().judge_all();
  for (FoundBug& bug : result.bugs) {
    race_judge().known().use(bug.trace.known_races.size());
    if (world.restarts || bug.failure.is_fatal || !bug.unconfirmed.empty()) continue;
    simplify(program, bug, budget);
    note_bug(bug);
  }
}

}  // namespace

void run_search() {
  NativeProgram program;
  Report report;
  report.started_threads = true;
  const Job& job = *world.job;
  race_judge().known().add(job.known_races);
  focus().begin(job.focus_code, job.focus_data);
  if (job.replay) {
    Trace& trace = report.replayed.emplace();
    announce(*job.replay);
    double start = search_seconds();
    do {
      world.restarts = false;
      program.run(*job.replay, nullptr, Recording::full, trace);
    } while (world.restarts);
    report.result.seconds = search_seconds() - start;
    report.result.executions = 1;
    report.result.steps = trace.steps;
    report.result.threads_max = trace.threads;
  } else {
    warnings().watch(true);
    report.result = search_repeatedly(program, job);
    warnings().watch(false);
    add_executions_without(program, job, report.result);
    simplify_bugs(program, job, report.result);
    if (!world.restarts) report.warnings = warnings().explain(program, report.result.bugs);
  }
  send_report(report);
}

}  // namespace thrum
