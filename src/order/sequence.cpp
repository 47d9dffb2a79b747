// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/sequence.hpp"

namespace thrum {

std::size_t Sequence::first_of(ThreadId thread) const {
  std::span<const Item> all = items();
  auto found = std::find_if(all.begin(), all.end(),
                            [&](const Item& item) { return item.planned.event->thread == thread; });
  return found == all.end() ? kNone : static_cast<std::size_t>(found - all.begin());
}

bool Sequence::needs(const Item& early, const Item& late) const {
  if (early.at == PartialOrder::kNone) return false;  // later steps do not depend on it
  if (late.at == PartialOrder::kNone) return early.needed;
  return order_->ordered(early.at, late.at);
}

bool Sequence::may_begin_with(const StepView& step, std::size_t& at) const {
  at = first_of(step.event->thread);
  std::span<const Item> all = items();
  if (at == kNone) {
    return std::all_of(all.begin(), all.end(), [&](const Item& item) { return commute(item.planned, step); });
  }
  const Item& first = all[at];
  return first.planned.step == step.step &&
         std::none_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(at), [&](const Item& item) {
           return needs(item, first) || keep_their_order(item.planned, step);
         });
}

bool Sequence::rules_out(const StepView& step, std::size_t at) const {
  if (at != kNone && is_common(at)) return true;
  std::span<const Item> common = items().first(common_ - begun_);
  return std::any_of(common.begin(), common.end(),
                     [&](const Item& item) { return !commute(item.planned, step); });
}

}  // namespace thrum
