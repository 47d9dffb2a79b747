// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "campaign/session.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "support/check.hpp"

namespace thrum {

namespace {

// Moves the bugs of a run to `before`.
void take_bugs(std::vector<FoundBug>& from, SearchResult& before) {
  for (FoundBug& bug : from) {
    if (find_bug(before.bugs, bug.failure) != nullptr) continue;
    bug.execution += before.executions;
    bug.seconds += before.seconds;
    before.bugs.push_back(std::move(bug));
  }
}

void add_counts(SearchResult& to, const SearchResult& from) {
  to.executions += from.executions;
  to.steps += from.steps;
  to.seconds += from.seconds;
}

}  // namespace

SearchSoFar Session::Host::run(Program& program, Run run) {
  return explore_part(program, run.strategy, run.limits, std::move(run.from));
}

SearchResult Session::run() {
  SearchResult result = search_repeatedly();
  host_.complete_bugs(result);
  // Simpler schedules are found by advisors that lead an execution near a known one.
  if (settings_.simplifies && settings_.repeat == 1 && program_.takes_advice()) simplify_bugs(result);
  return result;
}

Limits Session::limits(std::uint64_t executions_before, Fairness fairness) const {
  Limits limits = settings_.limits;
  if (limits.executions != 0)
    limits.executions = limits.executions > executions_before ? limits.executions - executions_before : 1;
  limits.end_at_races = settings_.explores_races;
  limits.fairness = fairness;
  limits.waiting = host_.waiting();
  return limits;
}

// Passes on the races that ended the run (several workers may have met several). False if no race that is to
// be explored ended it.
bool Session::learn_races(const SearchResult& result) {
  if (!settings_.explores_races || result.end != SearchEnd::bug) return false;
  bool any = false;
  for (const FoundBug& bug : result.bugs) {
    if (bug.failure.kind != BugKind::data_race) continue;
    host_.explore_race(bug.failure);
    any = true;
  }
  return any;
}

// One search to its end. If it had to begin again, `before` holds the earlier runs' counts and bugs.
SearchResult Session::search_once(SearchResult& before) {
  Fairness fairness = settings_.limits.fairness;
  while (true) {
    host_.begin();
    // By value: who runs a part of the search in a copy of this process has another stack.
    const std::function<std::unique_ptr<Strategy>()> make = [make_one = settings_.make, fairness] {
      return make_one(fairness == Fairness::on);
    };
    const std::unique_ptr<Strategy> strategy = make();
    THRUM_CHECK(strategy != nullptr);
    SearchSoFar from = host_.resume(*strategy, before, fairness).value_or(SearchSoFar());
    SearchSoFar so_far = host_.run(
        program_, {*strategy, make, limits(before.executions, fairness), std::move(from), before, fairness});
    SearchResult one = conclude(std::move(so_far), *strategy);
    const bool restarts = host_.restarts();
    const bool by_race = !restarts && learn_races(one);
    const bool starved = !restarts && one.starved;
    if (!restarts && !by_race && !starved) return one;
    if (starved) fairness = Fairness::on;
    if (by_race || starved) take_bugs(one.bugs, before);  // else they are found again
    add_counts(before, one);
    before.statistics.before += one.executions;
  }
}

// Runs SessionSettings::repeat searches as one: the result of the first, with the executions, steps and
// seconds of all.
SearchResult Session::search_repeatedly() {
  SearchResult before;
  SearchResult all = search_once(before);
  take_bugs(all.bugs, before);
  all.bugs = std::move(before.bugs);
  // A later search may begin with what an earlier one has learned of loops.
  const auto counted = [](const SearchResult& one) { return one.executions - one.statistics.before; };
  for (std::uint64_t i = 1; i < settings_.repeat; ++i) {
    const SearchResult one = search_once(before);
    const bool is_stopped = one.end == SearchEnd::time;
    THRUM_CHECK(is_stopped || (counted(one) * i == counted(all) && one.end == all.end));
    add_counts(all, one);
    all.statistics.before += one.statistics.before;
    all.end = one.end;
    if (is_stopped) break;
  }
  add_counts(all, before);
  all.statistics.before += before.statistics.before;
  return all;
}

// Replaces each bug's schedule by the simplest that can be found.
void Session::simplify_bugs(SearchResult& result) {
  constexpr std::uint64_t kExecutions = 20'000;  // for all bugs
  constexpr std::uint64_t kLeastExecutions = 200;
  constexpr double kSeconds = 5;
  if (result.bugs.empty()) return;
  SimplifyBudget budget;
  budget.executions = std::max<std::uint64_t>(kExecutions / result.bugs.size(), kLeastExecutions);
  budget.seconds = kSeconds / static_cast<double>(result.bugs.size());
  budget.out_of_time = settings_.limits.out_of_time;
  budget.announce = settings_.limits.announce;
  budget.now = settings_.limits.now;
  for (FoundBug& bug : result.bugs) {
    const bool may_be = host_.begin_simplifying(bug);
    if (!may_be || host_.restarts() || bug.failure.is_fatal || !bug.unconfirmed.empty()) continue;
    simplify(program_, bug, budget);
    if (settings_.limits.note_bug) settings_.limits.note_bug(bug);
  }
}

}  // namespace thrum
