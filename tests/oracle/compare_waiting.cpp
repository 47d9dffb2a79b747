// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/compare_waiting.hpp"

#include <optional>
#include <unordered_set>

#include "oracle/waiting_program.hpp"

namespace thrum {

namespace {

bool next_waiting(Dpor& search, Rounds rounds, Plan& plan) {
  const bool any = search.next(plan);
  plan.policy.rounds = rounds;
  return any;
}

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
  const std::unique_ptr<Dpor> search = make_reduction(how.algorithm);
  WaitingShown shown;
  std::unordered_set<std::uint64_t> classes;
  Plan plan;
  Trace trace;
  while (!shown.gave_up && next_waiting(*search, how.rounds, plan)) {
    program.run(plan, search->advisor(), search->wanted(), trace);
    search->learn(plan, trace);
    ++shown.executions;
    if (count_waiting(trace, program.final_state(), shown) &&
        !classes.insert(search->last_order()->fingerprint()).second)
      ++shown.twice;
    shown.gave_up = shown.gave_up || shown.executions > how.executions_max;
  }
  shown.is_lost = search->is_lost();
  shown.claims_all = search->guarantee().complete;
  shown.refusals = program.refusals();
  return shown;
}

std::string difference(const WaitingTruth& truth, const WaitingShown& shown, const WaitingSearch& how) {
  if (shown.is_lost) return "a plan could not be followed";
  if (!shown.claims_all) return "does not claim to be complete";
  if (shown.finals != truth.finals) return numbers("final states", shown.finals.size(), truth.finals.size());
  if (shown.failed_places != truth.failed)
    return numbers("failed assertions", shown.failed_places.size(), truth.failed.size());
  if (shown.stuck_states != truth.stuck)
    return numbers("stuck states", shown.stuck_states.size(), truth.stuck.size());
  if (how.algorithm != Reduction::optimal) return "";
  if (shown.twice != 0) return std::to_string(shown.twice) + " executions of a class that was run before";
  // What would have come behind a failure is not known, and so not all that is asleep there.
  if (shown.stopped != 0 && shown.failed == 0) return std::to_string(shown.stopped) + " executions in vain";
  return "";
}

std::string compare_waiting(const WaitingCode& code, const WaitingSearch& how, std::string_view counts) {
  const WaitingTruth truth = all_states(code, 300'000);
  if (truth.gave_up) return code.name + ": too many states";
  const WaitingShown shown = search_waiting(code, how);
  if (shown.gave_up) return code.name + ": too many executions";
  if (std::string wrong = difference(truth, shown, how); !wrong.empty()) return code.name + ": " + wrong;
  return counts.empty() || counts == shown.counts() ? "" : code.name + ": " + shown.counts();
}

namespace {

// Nothing: it is too large.
std::optional<std::string> compare_random(const WaitingIdioms& idioms, WaitingSearch how,
                                          WaitingTotals& totals) {
  how.executions_max = 4'000;
  const WaitingCode code = assemble(idioms, "random");
  const WaitingTruth truth = all_states(code, 20'000);
  if (truth.gave_up) return {};
  const WaitingShown shown = search_waiting(code, how);
  if (shown.gave_up) return {};
  ++totals.programs;
  totals.with_stuck += truth.stuck.empty() ? 0 : 1;
  totals.with_failed += truth.failed.empty() ? 0 : 1;
  totals.executions += shown.executions;
  totals.in_vain += shown.in_vain;
  return difference(truth, shown, how);
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const WaitingTotals& totals) {
  return out << totals.programs << " programs, " << totals.left_out << " left out, " << totals.with_stuck
             << " get stuck, " << totals.with_failed << " fail; " << totals.executions << " executions, "
             << totals.in_vain << " in vain";
}

std::string compare_random_waiting(WaitingFamily family, const WaitingSearch& how, std::uint64_t first_seed,
                                   std::uint64_t count, WaitingTotals& totals) {
  for (std::uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
    const WaitingIdioms idioms = random_waiting(seed, family);
    const std::optional<std::string> wrong = compare_random(idioms, how, totals);
    if (!wrong) ++totals.left_out;
    if (!wrong || wrong->empty()) continue;
    auto why = [&](const WaitingIdioms& some) {
      WaitingTotals ignored;
      return compare_random(some, how, ignored).value_or("");
    };
    const WaitingIdioms small =
        shrink_waiting(idioms, [&](const WaitingIdioms& some) { return !why(some).empty(); });
    return "seed " + std::to_string(seed) + ": " + *wrong + "\nshrunk: " + why(small) + "\n" +
           print(assemble(small, "of seed " + std::to_string(seed)));
  }
  return "";
}

}  // namespace thrum
