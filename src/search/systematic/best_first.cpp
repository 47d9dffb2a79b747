// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/systematic/best_first.hpp"

#include <utility>

namespace thrum {

BestFirst::BestFirst(Settings settings)
    : settings_(std::move(settings)),
      wanted_(settings_.priorities.needs_events() ? Wanted::all_events() : Wanted::new_choices()),
      fringe_(settings_.fringe) {
  fringe_.push_plan({}, 0, 0);
}

bool BestFirst::next(Plan& plan) {
  if (!fringe_.pop(running_)) return false;
  plan.policy = Policy{Policy::Kind::base, settings_.base, 0};
  if (settings_.base == Base::nonpreemptive) plan.policy.waiting = Waiting::values;
  fringe_.path(running_, plan.departures);
  return true;
}

void BestFirst::learn(const Plan& plan, const Trace& trace) {
  std::size_t first = 0;  // of new choices all are
  if (wanted_.has(Wanted::kEvents)) {
    analysis_.begin(plan, trace);
    first = analysis_.first_new();
  }
  Execution execution{plan, trace, analysis_, settings_.seed};
  fringe_.note_length(trace.counts.points);
  // Among equals the deepest choice is pushed last and so served first; of one choice's options the first.
  // As in Systematic: where a limit has cut the execution, the first choice is served first of those alike.
  const std::size_t end = trace.choices.size();
  const bool backward = is_cut_by_limit(trace.end);
  for (std::size_t n = first; n < end; ++n) {
    const std::size_t choice = backward ? first + end - 1 - n : n;
    const ChoicePoint& point = trace.choices[choice];
    std::span<const Option> options = trace.options_of(point);
    for (std::size_t i = options.size(); i-- > 0;) {
      auto option = static_cast<std::uint16_t>(i);
      if (option == point.taken) continue;
      std::uint32_t cost = point.cost_before + option_cost(point, options, option, settings_.base);
      if (settings_.limit && cost > *settings_.limit) {
        fringe_.exclude();
        continue;
      }
      fringe_.push(running_.node, {point.key, options[i]}, point.step,
                   settings_.priorities.key(execution, choice, option), cost);
    }
  }
  fringe_.release(running_);
  fringe_.settle();
}

std::unique_ptr<Strategy> BestFirst::split() {
  if (fringe_.size() < 2) return nullptr;
  auto other = std::make_unique<BestFirst>(settings_);
  other->fringe_ = Fringe(settings_.fringe);
  fringe_.split(other->fringe_);
  if (other->fringe_.size() == 0) return nullptr;
  return other;
}

void BestFirst::merge(Strategy& other) { fringe_.merge(dynamic_cast<BestFirst&>(other).fringe_); }

void BestFirst::save(ByteWriter& out, const ThreadNames& names) const { fringe_.save(out, names); }

bool BestFirst::load(ByteReader& in, ThreadNames& names) {
  fringe_ = Fringe(settings_.fringe);
  fringe_.load(in, names);
  return in.ok();
}

Guarantee BestFirst::guarantee() const { return fringe_.guarantee(settings_.base, settings_.limit); }

}  // namespace thrum
