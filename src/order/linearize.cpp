// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/linearize.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <utility>

#include "order/partial_order.hpp"
#include "order/sequence.hpp"

namespace thrum {

namespace {

using Index = PartialOrder::Index;

constexpr std::ptrdiff_t kStepsMax = 1'000;
constexpr std::size_t kBeam = 400;

// Whether an operation that waits in the order of the trace may really have been blocked.
bool may_block(Operation operation) {
  switch (operation) {
    case Operation::lock:
    case Operation::shared_lock:
    case Operation::wait_reacquire:
    case Operation::semaphore_wait:
    case Operation::once_enter:
    case Operation::try_join:
    case Operation::signal_accept:
    case Operation::sleep: return true;
    default: return false;
  }
}

struct Cost {
  std::uint32_t preemptions = 0;
  std::uint32_t switches = 0;

  friend auto operator<=>(const Cost&, const Cost&) = default;
};

// A set of steps that are done: the first few of each thread.
struct State {
  std::vector<std::uint16_t> done;  // by thread
  std::size_t running = 0;          // the thread that did the last step
  Cost cost;
  std::size_t before = 0;  // index, in the layer before, of the state that this one extends
};

class Linearizer {
 public:
  explicit Linearizer(const Trace& trace);
  std::vector<Event> run();

 private:
  void drop_what_is_not_needed(const Trace& trace);
  bool is_ready(const State& state, std::size_t thread) const;
  bool could_go_on(const State& state, std::size_t thread) const;
  std::vector<State> expand(const std::vector<State>& layer) const;

  PartialOrder order_;
  std::vector<std::vector<Index>> steps_;  // by thread
  std::vector<std::size_t> needed_;        // by thread: how many of its steps are needed
  // By step: how many steps of each thread come before it.
  std::vector<std::vector<std::uint16_t>> before_;
};

Linearizer::Linearizer(const Trace& trace) {
  // Checked first, since the partial order of n steps takes n * n comparisons.
  const auto steps = std::count_if(trace.events.begin(), trace.events.end(),
                                   [](const Event& event) { return is_visible(event.operation); });
  if (steps > kStepsMax) return;
  for (const Event& event : trace.events) order_.append(event, event.forced || is_by_chance(via_of(event)));
  for (Index i = 0; i < order_.size(); ++i) {
    const ThreadId thread = order_.event(i).thread;
    if (steps_.size() <= thread) steps_.resize(thread + std::size_t{1});
    steps_[thread].push_back(i);
  }
  before_.resize(order_.size());
  for (Index i = 0; i < order_.size(); ++i) {
    for (const std::vector<Index>& own : steps_) {
      auto end = std::partition_point(own.begin(), own.end(),
                                      [&](Index step) { return step < i && order_.ordered(step, i); });
      before_[i].push_back(static_cast<std::uint16_t>(end - own.begin()));
    }
  }
  for (const std::vector<Index>& own : steps_) needed_.push_back(own.size());
  drop_what_is_not_needed(trace);
}

// A thread that fails by itself does so whatever the other threads do.
void Linearizer::drop_what_is_not_needed(const Trace& trace) {
  const ThreadId thread = trace.failure.thread;
  switch (trace.failure.kind) {
    case BugKind::deadlock:
    case BugKind::livelock:
    case BugKind::leak:
    case BugKind::data_race: return;
    default: break;
  }
  if (thread >= steps_.size() || steps_[thread].empty()) return;
  const Index last = steps_[thread].back();
  for (std::size_t i = 0; i < steps_.size(); ++i) needed_[i] = before_[last][i];
  needed_[thread] = steps_[thread].size();
}

bool Linearizer::is_ready(const State& state, std::size_t thread) const {
  if (state.done[thread] >= needed_[thread]) return false;
  const std::vector<std::uint16_t>& before = before_[steps_[thread][state.done[thread]]];
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (i != thread && state.done[i] < before[i]) return false;
  }
  return true;
}

// Whether the thread stood before a step that it could have done, so that leaving it is a preemption.
bool Linearizer::could_go_on(const State& state, std::size_t thread) const {
  const std::vector<Index>& own = steps_[thread];
  if (state.done[thread] >= own.size()) return false;
  const Index next = own[state.done[thread]];
  const Operation operation = order_.event(next).operation;
  if (operation == Operation::yield) return false;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (i == thread || state.done[i] >= before_[next][i]) continue;
    const Index awaited = steps_[i][before_[next][i] - std::size_t{1}];
    if (may_block(operation) || order_.causes(awaited, next)) return false;
  }
  return true;
}

// The best states with one more step.
std::vector<State> Linearizer::expand(const std::vector<State>& layer) const {
  std::map<std::pair<std::vector<std::uint16_t>, std::size_t>, State> next;
  for (std::size_t i = 0; i < layer.size(); ++i) {
    const State& state = layer[i];
    const bool leaves_free = !could_go_on(state, state.running);
    for (std::size_t thread = 0; thread < steps_.size(); ++thread) {
      if (!is_ready(state, thread)) continue;
      State after = state;
      ++after.done[thread];
      after.before = i;
      if (thread != state.running) {
        ++after.cost.switches;
        if (!leaves_free) ++after.cost.preemptions;
      }
      after.running = thread;
      auto [known, added] = next.try_emplace({after.done, thread}, after);
      if (!added && after.cost < known->second.cost) known->second = std::move(after);
    }
  }
  std::vector<State> states;
  for (auto& [key, state] : next) states.push_back(std::move(state));
  auto cheaper = [](const State& a, const State& b) { return a.cost < b.cost; };
  if (states.size() > kBeam) {
    std::stable_sort(states.begin(), states.end(), cheaper);
    states.resize(kBeam);
  }
  return states;
}

std::vector<Event> Linearizer::run() {
  if (steps_.empty()) return {};
  std::vector<std::vector<State>> layers(1);
  layers[0].push_back({std::vector<std::uint16_t>(steps_.size()), 0, {}, 0});
  while (true) {
    std::vector<State> next = expand(layers.back());
    if (next.empty()) break;
    layers.push_back(std::move(next));
  }
  auto cheaper = [](const State& a, const State& b) { return a.cost < b.cost; };
  const std::vector<State>& last = layers.back();
  auto at = static_cast<std::size_t>(std::min_element(last.begin(), last.end(), cheaper) - last.begin());
  std::vector<Event> events;
  for (std::size_t layer = layers.size(); --layer > 0;) {
    const State& state = layers[layer][at];
    events.push_back(order_.event(steps_[state.running][state.done[state.running] - std::size_t{1}]));
    at = state.before;
  }
  std::reverse(events.begin(), events.end());
  return events;
}

}  // namespace

std::vector<Event> cheapest_order(const Trace& trace) { return Linearizer(trace).run(); }

}  // namespace thrum
