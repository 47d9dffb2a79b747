// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/planned_steps.hpp"

#include <vector>

#include "search/ordered_plan.hpp"

namespace thrum {

namespace {

// For the plan: as far as it matters there.
Event event_of(const ThreadTrees& trees, ThreadTrees::Node node) {
  Event event;
  event.thread = trees[node].thread;
  event.operation = trees.operation(node).operation;
  return event;
}

}  // namespace

void write_steps(Plan& plan, const ThreadTrees& trees, std::span<const ThreadTrees::Node> order,
                 const std::function<ThreadTrees::Node(ThreadTrees::Node)>& chosen_by) {
  plan.policy.rounds = Rounds::block;
  OrderedPlan steps(plan, {kMainThread, ChoiceKind::thread, trees[0].events});
  for (const ThreadTrees::Node node : order) {
    if (trees[node].kind != ThreadTrees::Kind::event) continue;
    const ThreadTrees::Operation& own = trees.operation(node);
    if (!is_visible(own.operation)) continue;
    std::vector<Departure> choices;
    const ChoiceKey key{trees[node].thread, ChoiceKind::value, trees[node].events - 1};
    if (own.operation == Operation::choose) choices.push_back({key, {own.way}});
    const bool may_wake_one = own.operation == Operation::futex_wake && trees.effect(node) == 1;
    if (own.operation == Operation::signal || may_wake_one) {
      const ThreadTrees::Node woken = chosen_by(node);
      if (woken != ThreadTrees::kNone)
        choices.push_back({{key.thread, ChoiceKind::waiter, key.index}, {trees[woken].thread}});
    }
    const Via via = own.operation == Operation::timeout ? Via::timeout : Via::run;
    steps.add(event_of(trees, node), choices, trees[node].events, via);
  }
}

void write_inputs(Plan& plan, std::span<const RecordedInput> inputs, Solver& solver) {
  for (const RecordedInput& input : inputs) {
    const Bits value = solver.value(input.symbol, input.bits);
    InputValue& given = plan.inputs.emplace_back(InputValue{input.thread, input.number, input.bits, {}});
    for (unsigned bit = 0; bit < input.bits; bit += 8) given.bytes += static_cast<char>(value >> bit & 0xff);
  }
}

}  // namespace thrum
