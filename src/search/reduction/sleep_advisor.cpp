// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/sleep_advisor.hpp"

#include <algorithm>
#include <optional>

namespace thrum {

void SleepAdvisor::set(std::span<const Path::Sleeper> sleepers, std::size_t event) {
  sleepers_ = sleepers;
  event_ = event;
}

void SleepAdvisor::begin() {
  asleep_.clear();
  for (const Path::Sleeper& sleeper : sleepers_) asleep_.push_back(&sleeper);
  seen_ = event_;
}

Advice SleepAdvisor::at_point(const View& view) {
  using Sleeper = Path::Sleeper;
  for (seen_ = std::max<std::size_t>(seen_, view.trace.branch); seen_ < view.trace.events.size(); ++seen_) {
    const Event& event = view.trace.events[seen_];
    if (creates_thread(event))
      std::erase_if(asleep_, [](const Sleeper* sleeper) { return sleeper->planned.creates; });
    if (!is_visible(event.operation)) continue;
    const StepView step{{{event.thread, via_of(event)}, 0}, event};
    std::erase_if(asleep_, [&](const Sleeper* sleeper) { return !commute(sleeper->planned, step); });
  }
  if (asleep_.empty()) return {Advice::Kind::leave};
  if (view.point.key.kind != ChoiceKind::thread) return {};
  auto sleeper_of = [&](const Option& option) {
    return std::find_if(asleep_.begin(), asleep_.end(),
                        [&](const Sleeper* sleeper) { return sleeper->planned.step.option == option; });
  };
  if (sleeper_of(view.options[view.default_option]) == asleep_.end()) return {};
  auto has_ended = [&](ThreadId thread) {
    std::span<const PendingOperation> live = view.threads.pending();
    return std::ranges::find(live, thread, &PendingOperation::thread) == live.end();
  };
  // A step that ends the execution is run again where nothing else is left.
  std::optional<std::uint16_t> last_resort;
  for (std::size_t i = 0; i < view.options.size(); ++i) {
    auto sleeper = sleeper_of(view.options[i]);
    auto option = static_cast<std::uint16_t>(i);
    if (sleeper == asleep_.end()) return {Advice::Kind::take, option};
    const ThreadId foe = (*sleeper)->planned.foe.thread;
    if ((*sleeper)->stops || (foe != kNoThread && has_ended(foe))) last_resort = option;
  }
  if (otherwise_ == Otherwise::runs_on) return {};
  if (last_resort) return {Advice::Kind::take, *last_resort};
  return {Advice::Kind::stop};
}

}  // namespace thrum
