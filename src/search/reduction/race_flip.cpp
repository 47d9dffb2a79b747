// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/race_flip.hpp"

#include <algorithm>

namespace thrum {

void RaceFlip::find_branches(const Trace& trace, Index branch) {
  path_.keep_waking_sleepers(branch);
  Dpor::find_branches(trace, branch);
}

// A thread that could not go on after all is postponed, so that it is not chosen again; it covers nothing.
void RaceFlip::end_subtree() {
  if (!path_.back().is_void) return Dpor::end_subtree();
  const Step step = path_.back().step;
  path_.add_sleeper().planned = unknown_step(step);
}

void RaceFlip::insert(Index late, Index early, const Step& taken) {
  const bool was_flipped =
      path_.order().was_pending(late, early) && is_postponed(early, taken) && !find_needed(early, late);
  if (!was_flipped) flip(early);
}

bool RaceFlip::is_postponed(Index depth, const Step& step) const {
  const std::span<const Sleeper> postponed = path_.sleepers(depth);
  return std::any_of(postponed.begin(), postponed.end(), [&](const Sleeper& sleeper) {
    return sleeper.planned.step == step && sleeper.planned.event.operation != Operation::process_exit;
  });
}

// The step of the point is in a race. Unless some other thread waits to be run there, the first one does that
// was not run yet. What comes by chance is no such thread, but may be run.
void RaceFlip::flip(Index depth) {
  const Option taken = path_[depth].step.option;
  const std::span<const Option> options = path_.options(depth);
  const bool waits = std::any_of(options.begin(), options.end(), [&](const Option& option) {
    return option != taken && !is_by_chance(option.via) && trees_.holds(path_[depth].branches, {option, 0});
  });
  if (waits) return;
  for (const Option& option : options) {
    const Step step{option, 0};
    if (option != taken && !is_known(depth, step)) return add_step(depth, unknown_step(step));
  }
}

}  // namespace thrum
