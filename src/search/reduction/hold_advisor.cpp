// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/hold_advisor.hpp"

#include <algorithm>
#include <optional>

namespace thrum {

void HoldAdvisor::begin() {
  steps_.assign(holds_.size(), 0);
  seen_ = 0;
}

bool HoldAdvisor::is_held(ThreadId thread) const {
  for (std::size_t i = 0; i < holds_.size(); ++i) {
    if (holds_[i].thread == thread && steps_[i] >= holds_[i].steps) return true;
  }
  return false;
}

Advice HoldAdvisor::at_point(const View& view) {
  for (; seen_ < view.trace.events.size(); ++seen_) {
    const Event& event = view.trace.events[seen_];
    if (!is_visible(event.operation)) continue;
    for (std::size_t i = 0; i < holds_.size(); ++i) {
      if (holds_[i].thread == event.thread) ++steps_[i];
    }
  }
  if (view.point.key.kind != ChoiceKind::thread) return {};
  const auto exits = [&](ThreadId thread) {
    const std::span<const PendingOperation> live = view.threads.pending();
    const auto own = std::ranges::find(live, thread, &PendingOperation::thread);
    return own != live.end() && own->operation == Operation::process_exit;
  };
  std::optional<std::uint16_t> last_resort;  // the process exits, or a timeout and the like
  const auto takes = [&](std::uint16_t option) {
    const ThreadId thread = view.options[option].value;
    if (is_held(thread)) return false;
    if (view.options[option].via == Via::run && (view.options.size() == 1 || !exits(thread))) return true;
    if (!last_resort) last_resort = option;
    return false;
  };
  if (takes(view.default_option)) return {};
  for (std::uint16_t i = 0; i < view.options.size(); ++i) {
    if (i != view.default_option && takes(i)) return {Advice::Kind::take, i};
  }
  if (last_resort) return {Advice::Kind::take, *last_resort};
  return {Advice::Kind::stop};
}

}  // namespace thrum
