// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "campaign/confirm.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "order/planned_step.hpp"

namespace thrum {

namespace {

// Compares events by lasting names; by addresses only if they have no better name.
bool same_event(const Trace& a, const Trace& b, std::size_t i) {
  const Event& x = a.events[i];
  const Event& y = b.events[i];
  const EventPlaces& p = a.details.places[i];
  const EventPlaces& q = b.details.places[i];
  auto same_value = [](std::uint64_t u, const Place& at_u, std::uint64_t v, const Place& at_v) {
    return at_u.space == Place::Space::none && at_v.space == Place::Space::none ? u == v : at_u == at_v;
  };
  return x.thread == y.thread && x.index == y.index && x.operation == y.operation && x.outcome == y.outcome &&
         x.size == y.size && same_value(x.object, p.object, y.object, q.object) &&
         same_value(x.value, p.value, y.value, q.value) &&
         same_value(x.operand, p.operand, y.operand, q.operand) && p.stack == q.stack;
}

std::string describe_event(const Trace& trace, std::size_t i, const ThreadNames& names) {
  if (i >= trace.events.size()) return "the end of the execution";
  const Event& event = trace.events[i];
  return "thread " + names.name(event.thread) + " " + std::string(operation_name(event.operation)) +
         " (its event " + std::to_string(event.index) + ", value " + std::to_string(event.value) + ")";
}

}  // namespace

std::string describe(const Divergence& divergence, const ThreadNames& names) {
  const Trace& a = divergence.first;
  const Trace& b = divergence.second;
  const std::uint64_t at = divergence.event;
  if (at >= a.events.size() && at >= b.events.size())
    return "the executions end differently after the same events";
  return "event " + std::to_string(at + 1) + " was " + describe_event(a, at, names) + ", then " +
         describe_event(b, at, names);
}

std::optional<std::uint64_t> first_difference(const Trace& a, const Trace& b) {
  const std::size_t count = std::min(a.events.size(), b.events.size());
  std::size_t i = 0;
  while (i < count && same_event(a, b, i)) ++i;
  const bool same_end =
      a.end == b.end &&
      (a.end != End::bug || (same_bug(a.failure, b.failure) && a.failure.message == b.failure.message));
  if (i == count && a.events.size() == b.events.size() && same_end) return std::nullopt;
  return i;
}

std::optional<Divergence> find_divergence(Program& program, Plan& plan, Trace& trace) {
  program.run(plan, nullptr, Wanted::everything(), trace);
  if (trace.end == End::time) return std::nullopt;
  std::uint32_t preemptions = 0;
  plan = departures_from_base(trace, preemptions);
  Trace again;
  program.run(plan, nullptr, Wanted::everything(), again);
  if (again.end == End::time) return std::nullopt;
  const std::optional<std::uint64_t> event = first_difference(trace, again);
  if (!event) return std::nullopt;
  return Divergence{trace, std::move(again), *event};
}

namespace {

// Which of the visible events a choice comes before, or in the middle of.
std::size_t position_of(const ChoicePoint& point, const std::vector<Event>& events) {
  const bool is_between = point.key.kind == ChoiceKind::thread;
  const auto at = std::ranges::find_if(events, [&](const Event& event) {
    return event.thread == point.key.thread && event.index + (is_between ? 1 : 0) == point.key.index;
  });
  if (at == events.end()) return is_between ? 0 : events.size();
  return static_cast<std::size_t>(at - events.begin()) + (is_between ? 1 : 0);
}

}  // namespace

Plan with_all_rounds(Program& program, const Plan& plan, Trace& trace) {
  program.run(plan, nullptr, Wanted::all_events(), trace);
  return with_all_rounds(plan, trace);
}

Plan with_all_rounds(const Plan& plan, const Trace& trace) {
  Plan all;
  all.policy = plan.policy;
  all.policy.rounds = Rounds::repeat;
  all.inputs = plan.inputs;
  std::vector<Event> events;
  std::ranges::copy_if(trace.events, std::back_inserter(events),
                       [](const Event& event) { return is_visible(event.operation); });
  std::size_t choice = 0;
  const auto is_next = [&](std::optional<ChoiceKind> kind, std::size_t at) {
    if (choice == trace.choices.size()) return false;
    const ChoicePoint& point = trace.choices[choice];
    return (!kind || point.key.kind == *kind) && position_of(point, events) <= at;
  };
  const auto take = [&] {
    const ChoicePoint& point = trace.choices[choice++];
    all.departures.push_back({point.key, trace.options_of(point)[point.taken]});
  };
  for (std::size_t at = 0; at <= events.size(); ++at) {
    bool is_chosen = false;
    for (; is_next(ChoiceKind::thread, at); is_chosen = true) take();
    const ThreadId before = at == 0 ? kMainThread : events[at - 1].thread;
    const std::uint32_t done = at == 0 ? 0 : events[at - 1].index + 1;
    // It had no alternative where the others could not go on.
    if (!is_chosen && at < events.size() && before != events[at].thread)
      all.departures.push_back({{before, ChoiceKind::thread, done}, {events[at].thread, via_of(events[at])}});
    // In the middle of the event.
    while (is_next(std::nullopt, at)) take();
  }
  return all;
}

Plan departures_from_base(const Trace& trace, std::uint32_t& preemptions) {
  Plan plan;
  plan.policy.fairness = trace.fairness;
  plan.policy.waiting = trace.waiting;
  plan.policy.rounds = trace.rounds;
  preemptions = 0;
  for (const ChoicePoint& point : trace.choices) {
    std::span<const Option> options = trace.options_of(point);
    if (point.taken == default_option(point, options, Base::nonpreemptive)) continue;
    plan.departures.push_back({point.key, options[point.taken]});
    preemptions += option_cost(point, options, point.taken, Base::nonpreemptive);
  }
  return plan;
}

}  // namespace thrum
