// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/compare_waiting.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "oracle/compare.hpp"
#include "oracle/team.hpp"
#include "oracle/waiting_program.hpp"
#include "search/frontier/memory_file.hpp"
#include "search/reduction/best_first_dpor.hpp"
#include "search/reduction/reads_from_search.hpp"
#include "unfolding/unfolding_search.hpp"

namespace thrum {

namespace {

// Whether it ended since no thread could go on.
bool count_waiting(const Trace& trace, const WaitingState& state, WaitingShown& shown) {
  switch (trace.end) {
    case End::finished:
      ++shown.complete;
      shown.finals.insert(state.key());
      return true;
    case End::waiting: ++shown.in_vain; return true;
    case End::bug:
      if (trace.failure.kind == BugKind::assertion) {
        ++shown.failed;
        shown.failed_places.insert(trace.failure.code);
        return false;
      }
      ++shown.stuck;
      shown.stuck_states.insert(state.key());
      return true;
    case End::stopped: ++shown.stopped; return false;
    default: shown.gave_up = true; return false;
  }
}

// Leads executions along all interleavings, one after the other.
class AllWays final : public Advisor {
 public:
  // False: there is none left.
  bool next() {
    while (!levels_.empty() && levels_.back().taken + 1 == levels_.back().options.size()) levels_.pop_back();
    if (levels_.empty()) return false;
    ++levels_.back().taken;
    planned_ = levels_.size();
    return true;
  }

  void begin() override {
    at_ = 0;
    levels_.resize(planned_);
  }

  Advice at_point(const View& view) override {
    if (at_ == levels_.size()) levels_.push_back({{view.options.begin(), view.options.end()}, 0});
    const Level& level = levels_[at_++];
    auto found = std::ranges::find(view.options, level.options[level.taken]);
    // Since then it was learned that it leads to nothing.
    if (found == view.options.end()) return {Advice::Kind::stop};
    return {Advice::Kind::take, static_cast<std::uint16_t>(found - view.options.begin())};
  }

 private:
  struct Level {
    std::vector<Option> options;
    std::size_t taken = 0;
  };
  std::vector<Level> levels_;
  std::size_t planned_ = 0;
  std::size_t at_ = 0;
};

std::unique_ptr<Strategy> make_search(const WaitingSearch& how) {
  switch (how.by) {
    case WaitingBy::classes: break;
    case WaitingBy::reads_from: return std::make_unique<ReadsFromSearch>();
    case WaitingBy::maker: return how.make();
    case WaitingBy::unfolding: return std::make_unique<UnfoldingSearch>();
    case WaitingBy::replicated: return std::make_unique<UnfoldingSearch>(UnfoldingSearch::Mode::replicated);
  }
  if (!how.is_best_first) return make_reduction(how.algorithm);
  static const std::vector<std::string> kLists[] = {{"rand"}, {"mdpor", "db"}, {}, {"pb", "rand"}};
  BestFirstDpor::Settings settings{*PriorityList::make(kLists[how.seed % std::size(kLists)]), how.seed};
  settings.rounds = how.rounds;
  if (how.searched == Searched::in_parts) settings.fringe = {2'000 + how.seed % 16 * 2'000, MemoryFile::make};
  return std::make_unique<BestFirstDpor>(std::move(settings));
}

bool is_lost(const Strategy& search) {
  if (const auto* best_first = dynamic_cast<const BestFirstDpor*>(&search)) return best_first->is_lost();
  if (const auto* reads_from = dynamic_cast<const ReadsFromSearch*>(&search)) return reads_from->is_lost();
  if (const auto* unfolding = dynamic_cast<const UnfoldingSearch*>(&search)) return unfolding->is_lost();
  const auto* dpor = dynamic_cast<const Dpor*>(&search);
  return dpor != nullptr && dpor->is_lost();
}

std::string numbers(const char* what, std::size_t found, std::size_t of) {
  return std::string(what) + ": " + std::to_string(found) + " instead of " + std::to_string(of);
}

}  // namespace

std::string WaitingShown::counts() const {
  std::string text = std::to_string(complete) + "+" + std::to_string(in_vain);
  return stuck == 0 ? text : text + "+" + std::to_string(stuck);
}

WaitingShown search_waiting(const WaitingCode& code, const WaitingSearch& how) {
  WaitingProgram program(code, how.mutations);
  if (how.searched == Searched::attempted) program.begin_again();
  const bool is_shared = how.searched == Searched::shared;
  Team team(make_search(how), is_shared ? std::optional<std::uint64_t>(how.seed) : std::nullopt);
  WaitingShown shown;
  std::unordered_set<std::uint64_t> classes;
  Plan plan;
  Trace trace;
  while (Team::Worker* worker = shown.gave_up ? nullptr : team.next(plan)) {
    plan.policy.rounds = how.rounds;
    program.run(plan, worker->search->advisor(), worker->search->wanted(), trace);
    const bool repeats = worker->search->reporting().repeats();
    shown.is_lost = shown.is_lost || trace.end == End::diverged;
    shown.claims_too_soon = shown.claims_too_soon || (repeats && worker->search->guarantee().complete);
    if (shown.is_lost) return shown;
    worker->search->learn(plan, trace);
    shown.problem = worker->search->reporting().problem();
    shown.gave_up = shown.executions++ == how.executions_max ||
                    !worker->search->reporting().problem().empty();  // memory did not suffice
    if (how.searched == Searched::in_parts && shown.executions % 3 == 0) {
      std::unique_ptr<Strategy> other = make_search(how);
      shown.is_lost = shown.is_lost || !take_up(*worker->search, *other, program.names());
      worker->search = std::move(other);
    }
    if (repeats) continue;
    worker->take_down(trace);
    if (count_waiting(trace, program.final_state(), shown) && !classes.insert(worker->class_of_last()).second)
      ++shown.twice;
  }
  shown.is_lost = shown.is_lost || is_lost(team.search());
  const Guarantee guarantee = team.search().guarantee();
  shown.claims_all = how.by == WaitingBy::classes ? guarantee.complete : guarantee.exhausted;
  if (how.by >= WaitingBy::unfolding && guarantee.covers != Covers::deadlocks_and_races)
    shown.claims_all = false;
  shown.refusals = program.refusals();
  return shown;
}

WaitingShown search_interleavings(const WaitingCode& code, const WaitingSearch& how) {
  WaitingProgram program(code, how.mutations);
  WaitingShown shown;
  std::unordered_map<std::uint64_t, End> classes;
  Plan plan;
  plan.policy.rounds = how.rounds;
  Trace trace;
  AllWays ways;
  do {
    program.run(plan, &ways, Wanted::all_events(), trace);
    shown.gave_up = shown.executions++ == how.executions_max;
    if (trace.end == End::stopped) continue;
    PartialOrder order;
    for (const Event& event : trace.events) order.append(event);
    const auto [known, is_new] = classes.try_emplace(order.fingerprint(), trace.end);
    shown.torn += known->second == trace.end ? 0 : 1;
    if (is_new || trace.end != known->second) count_waiting(trace, program.final_state(), shown);
  } while (!shown.gave_up && ways.next());
  shown.claims_all = true;
  shown.refusals = program.refusals();
  return shown;
}

std::string difference(const WaitingTruth& truth, const WaitingShown& shown, const WaitingSearch& how) {
  if (shown.is_lost) return "a plan could not be followed";
  if (!shown.claims_all) return "does not claim to be complete: " + shown.problem;
  if (shown.claims_too_soon) return "claims to be complete before attempts are made";
  if (how.by == WaitingBy::classes && shown.finals != truth.finals)
    return numbers("final states", shown.finals.size(), truth.finals.size());
  if (shown.failed_places != truth.failed)
    return numbers("failed assertions", shown.failed_places.size(), truth.failed.size());
  if (how.by >= WaitingBy::unfolding && (shown.stuck_states.empty() != truth.stuck.empty() ||
                                         !std::ranges::includes(truth.stuck, shown.stuck_states)))
    return numbers("stuck states", shown.stuck_states.size(), truth.stuck.size());
  if (how.by != WaitingBy::classes) return "";
  // Where reads wait, a thread that one who circles would let go on, if it looked in time, goes on.
  const std::set<std::string>& least = how.rounds >= Rounds::await ? truth.hopeless : truth.stuck;
  if (!std::ranges::includes(shown.stuck_states, least) ||
      !std::ranges::includes(truth.stuck, shown.stuck_states))
    return numbers("stuck states", shown.stuck_states.size(), least.size());
  if (shown.torn != 0)
    return std::to_string(shown.torn) + " executions end otherwise than others of their class";
  if (how.algorithm != Reduction::optimal || how.searched == Searched::shared) return "";
  if (shown.twice != 0) return std::to_string(shown.twice) + " executions of a class that was run before";
  // What would have come behind a failure is not known, and so not all that is asleep there.
  if (shown.stopped != 0 && shown.failed == 0) return std::to_string(shown.stopped) + " executions in vain";
  return "";
}

std::string compare_waiting(const WaitingCode& code, const WaitingSearch& how, std::string_view counts,
                            WaitingSearcher search) {
  const WaitingTruth truth = all_states(code, 300'000);
  if (truth.gave_up) return code.name + ": too many states";
  const WaitingShown shown = search(code, how);
  if (shown.gave_up) return code.name + ": too many executions";
  if (std::string wrong = difference(truth, shown, how); !wrong.empty()) return code.name + ": " + wrong;
  return counts.empty() || counts == shown.counts() ? "" : code.name + ": " + shown.counts();
}

namespace {

constexpr std::uint64_t kRandomExecutionsMax = 4'000;
constexpr std::uint64_t kRandomInterleavingsMax = 1'500;
constexpr std::size_t kRandomStatesMax = 20'000;

std::optional<std::string> compare_with_states(const WaitingCode& code, WaitingSearch how,
                                               WaitingSearcher search, WaitingTotals& totals) {
  how.executions_max = search == search_waiting ? kRandomExecutionsMax : kRandomInterleavingsMax;
  const WaitingTruth truth = all_states(code, kRandomStatesMax);
  if (truth.gave_up) return {};
  const WaitingShown shown = search(code, how);
  if (shown.gave_up && !shown.is_lost) return {};
  totals.add(shown);
  return difference(truth, shown, how);
}

}  // namespace

std::optional<std::string> search_and_states(const WaitingCode& code, const WaitingSearch& how,
                                             WaitingTotals& totals) {
  return compare_with_states(code, how, search_waiting, totals);
}

std::optional<std::string> interleavings_and_states(const WaitingCode& code, const WaitingSearch& how,
                                                    WaitingTotals& totals) {
  return compare_with_states(code, how, search_interleavings, totals);
}

std::optional<std::string> search_and_interleavings(const WaitingCode& code, const WaitingSearch& how,
                                                    WaitingTotals& totals) {
  WaitingSearch bounded = how;
  bounded.executions_max = kRandomInterleavingsMax;
  const WaitingShown all = search_interleavings(code, bounded);
  if (all.gave_up || all.failed != 0) return {};
  const WaitingShown shown = search_waiting(code, bounded);
  totals.add(shown);
  if (shown.is_lost) return "a plan could not be followed";
  if (shown.twice + shown.stopped != 0) return numbers("executions in vain", shown.twice + shown.stopped, 0);
  return shown.counts() == all.counts() ? "" : shown.counts() + " instead of " + all.counts();
}

void WaitingTotals::add(const WaitingShown& shown) {
  ++programs;
  with_stuck += shown.stuck == 0 ? 0 : 1;
  with_failed += shown.failed == 0 ? 0 : 1;
  executions += shown.executions;
  in_vain += shown.in_vain;
}

std::ostream& operator<<(std::ostream& out, const WaitingTotals& totals) {
  return out << totals.programs << " programs, " << totals.left_out << " left out, " << totals.with_stuck
             << " get stuck, " << totals.with_failed << " fail; " << totals.executions << " executions, "
             << totals.in_vain << " in vain";
}

std::string compare_random_waiting(WaitingFamily family, WaitingComparison compare, const WaitingSearch& how,
                                   std::uint64_t first_seed, std::uint64_t count, WaitingTotals& totals) {
  for (std::uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
    WaitingSearch search = how;
    search.seed = seed;
    const WaitingIdioms idioms = random_waiting(seed, family);
    const std::string name = "seed " + std::to_string(seed);
    const std::optional<std::string> wrong = compare(assemble(idioms, name), search, totals);
    if (!wrong) ++totals.left_out;
    if (!wrong || wrong->empty()) continue;
    auto why = [&](const WaitingIdioms& some) {
      WaitingTotals ignored;
      return compare(assemble(some, name), search, ignored).value_or("");
    };
    const WaitingIdioms small =
        shrink_waiting(idioms, [&](const WaitingIdioms& some) { return !why(some).empty(); });
    return *wrong + "; shrunk: " + why(small) + "\n" + print(assemble(small, name));
  }
  return "";
}

}  // namespace thrum
