// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/path.hpp"

#include <algorithm>

namespace thrum {

std::span<const Option> Path::options(Index depth) const {
  return std::span(options_).subspan(points_[depth].options_begin, points_[depth].options_count);
}

bool Path::is_option(Index depth, const Option& option) const {
  std::span<const Option> here = options(depth);
  return std::find(here.begin(), here.end(), option) != here.end();
}

std::span<const Path::Sleeper> Path::sleepers(Index depth) const {
  if (depth >= points_.size()) return {};
  return std::span(sleepers_).subspan(points_[depth].sleepers_begin, points_[depth].sleepers_count);
}

std::span<Path::Sleeper> Path::sleepers(Index depth) {
  if (depth >= points_.size()) return {};
  return std::span(sleepers_).subspan(points_[depth].sleepers_begin, points_[depth].sleepers_count);
}

bool Path::sleeps(Index depth, const Step& step) const {
  std::span<const Sleeper> asleep = sleepers(depth);
  return std::any_of(asleep.begin(), asleep.end(),
                     [&](const Sleeper& sleeper) { return sleeper.planned.step == step; });
}

Path::Sleeper& Path::add_sleeper() {
  ++points_.back().sleepers_count;
  return sleepers_.emplace_back();
}

void Path::share() {
  for (Point& point : points_) point.is_shared = true;
  for (Sleeper& sleeper : sleepers_) sleeper.weak = true;
}

Path::Point& Path::push_planned(const PlannedStep& planned) {
  const Point& before = points_.back();
  Point point;
  point.key = {before.step.option.value, ChoiceKind::thread, before.events_after};
  plan(point, planned);
  return points_.emplace_back(point);
}

void Path::plan(Point& point, const PlannedStep& planned) {
  static_cast<StepTraits&>(point) = planned;
  point.foe = {};
  point.by_default = point.stops = point.is_void = false;
  point.is_guess =
      planned.event.operation == Operation::process_exit || is_by_chance(planned.step.option.via);
}

void Path::truncate(Index depth) {
  if (depth == points_.size()) return;
  order_.truncate(depth);
  options_.resize(points_[depth].options_begin);
  sleepers_.resize(points_[depth].sleepers_begin);
  points_.resize(depth);
}

bool Path::read_next(const Trace& trace, Reading& reading, Index branch) {
  auto& [i, choice, depth] = reading;
  while (i < trace.events.size()) {
    const Event& event = trace.events[i];
    const auto watches = std::ranges::equal_range(trace.watches, i, {}, &Watched::event);
    const auto await = std::ranges::lower_bound(trace.awaits, i, {}, &Await::event);
    const bool awaits = await != trace.awaits.end() && await->event == i;
    order_.append(event, event.forced || is_by_chance(via_of(event)), watches, awaits ? await->condition : 0);
    const std::size_t at = i++;
    if (!is_visible(event.operation)) {
      if (depth > 0 && depth > branch && creates_thread(event)) points_[depth - 1].creates = true;
      continue;
    }
    static constexpr Point kNewPoint;  // to copy one is faster than to build one
    if (depth == points_.size()) points_.push_back(kNewPoint);
    points_[depth].creates = false;
    if (depth != branch) inherit_sleepers(depth);
    points_[depth].event = static_cast<std::uint32_t>(at);
    read_choices(trace, depth, branch, choice, at);
    ++depth;
    return true;
  }
  return false;
}

// The choice before the first step is main's.
ChoiceKey Path::first_key(const Trace& trace) {
  const Event& first = trace.events[0];
  if (first.thread == kMainThread) return {kMainThread, ChoiceKind::thread, first.index};
  const bool is_main = !trace.choices.empty() && trace.choices[0].key.thread == kMainThread;
  return {kMainThread, ChoiceKind::thread, is_main ? trace.choices[0].key.index : 0};
}

void Path::read_choices(const Trace& trace, Index depth, Index branch, std::size_t& choice, std::size_t at) {
  Point& point = points_[depth];
  if (depth == 0) {
    point.key = first_key(trace);
  } else {
    const Point& before = points_[depth - 1];
    point.key = {before.step.option.value, ChoiceKind::thread, before.events_after};
  }
  const Event& event = trace.events[at];
  point.step = {{event.thread, via_of(event)}, 0};
  if (depth != branch) point.options_begin = static_cast<std::uint32_t>(options_.size());
  options_.resize(point.options_begin);
  point.by_default = true;
  point.choice = kNoChoice;
  if (choice < trace.choices.size() && trace.choices[choice].key == point.key) {
    point.choice = static_cast<std::uint32_t>(choice);
    const ChoicePoint& made = trace.choices[choice++];
    std::span<const Option> options = trace.options_of(made);
    options_.insert(options_.end(), options.begin(), options.end());
    point.step.option = options[made.taken];
    point.by_default = made.taken == default_option(made, options, Base::nonpreemptive);
    point.made = made;
  } else {
    options_.push_back(point.step.option);
  }
  point.options_count = static_cast<std::uint32_t>(options_.size()) - point.options_begin;
  point.has_chances = std::any_of(options_.begin() + point.options_begin, options_.end(),
                                  [](const Option& option) { return option.via != Via::run; });

  // What it chose in its middle has keys of its own thread, before that thread's next event.
  std::uint32_t end = event.index + 1;
  bool is_section = event.operation == Operation::atomic_section;
  point.inner_begin = static_cast<std::uint32_t>(choice);
  std::vector<Departure> choices;
  while (choice < trace.choices.size()) {
    const ChoicePoint& made = trace.choices[choice];
    if (made.key.kind == ChoiceKind::thread || made.key.thread != event.thread) break;
    if (made.key.index != (is_section ? end : event.index)) break;
    if (is_section) ++end;
    std::span<const Option> options = trace.options_of(made);
    if (made.taken != default_option(made, options, Base::nonpreemptive))
      choices.push_back({made.key, options[made.taken]});
    ++choice;
  }
  point.inner_count = static_cast<std::uint32_t>(choice) - point.inner_begin;
  point.step.choices = choices_.number_of(choices);
  point.events_after = end;
}

// Nobody should sleep behind the last step of a plan, since that is or holds what does not commute with
// whoever slept. Where it was only expected not to, races of the sleepers may have been left to this plan.
void Path::inherit_sleepers(Index depth) {
  points_[depth].sleepers_begin = static_cast<std::uint32_t>(sleepers_.size());
  points_[depth].sleepers_count = 0;
  const Point& before = points_[depth - 1];
  if (before.sleepers_count == 0) return;
  const StepView step = planned(depth - 1);
  for (std::size_t i = 0; i < before.sleepers_count; ++i) {
    const Sleeper& sleeper = sleepers_[before.sleepers_begin + i];
    if (!commute(sleeper.planned, step)) continue;
    sleepers_.push_back(sleeper);
    if (depth == planned_) sleepers_.back().weak = true;
  }
  points_[depth].sleepers_count =
      static_cast<std::uint32_t>(sleepers_.size()) - points_[depth].sleepers_begin;
}

void Path::keep_waking_sleepers(Index branch) {
  std::uint32_t kept = points_[branch].sleepers_begin + points_[branch].sleepers_count;
  for (Index depth = branch + 1; depth < size(); ++depth) {
    const std::span<const Sleeper> here = sleepers(depth);
    const StepView step = planned(depth);
    const std::uint32_t begin = kept;
    for (const Sleeper& sleeper : here) {
      if (!commute(sleeper.planned, step)) sleepers_[kept++] = sleeper;
    }
    points_[depth].sleepers_begin = begin;
    points_[depth].sleepers_count = kept - begin;
  }
  sleepers_.resize(kept);
}

void Path::unread(Index branch) {
  order_.truncate(branch);
  const Index behind = planned_ > branch ? branch + 1 : branch;
  if (behind < size()) {
    options_.resize(points_[behind].options_begin);
    sleepers_.resize(points_[behind].sleepers_begin);
  }
  points_.resize(std::min<std::size_t>(planned_, points_.size()));
  for (Index depth = branch; depth < size(); ++depth) points_[depth].by_default = false;
}

void Path::push_unread() {
  Point& point = points_.emplace_back();
  point.options_begin = static_cast<std::uint32_t>(options_.size());
  if (size() > 1) inherit_sleepers(size() - 1);
}

void Path::keep_points_only() {
  order_ = PartialOrder();
  options_.clear();
  sleepers_.clear();
}

}  // namespace thrum
