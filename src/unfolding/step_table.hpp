// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What threads do in the events of a prefix, each once: many events are the same step in other pasts.
#pragma once

#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "model/event.hpp"
#include "support/hash.hpp"

namespace thrum {

class StepTable {
 public:
  using Number = std::uint32_t;

  // The number of the step, but for its index in its thread and for what woke the thread.
  Number number_of(const Event& event) {
    Event step = event;
    step.index = 0;
    step.woken_by = 0;
    std::uint64_t hash = mixed(step.thread, static_cast<std::uint64_t>(step.operation));
    for (const std::uint64_t part : {step.object, step.value, step.operand, step.argument, step.code})
      hash = mixed(hash, part);
    for (auto [known, end] = numbers_.equal_range(hash); known != end; ++known) {
      if (steps_[known->second] == step) return known->second;
    }
    const auto number = static_cast<Number>(steps_.size());
    steps_.push_back(step);
    numbers_.emplace(hash, number);
    return number;
  }
  const Event& operator[](Number number) const { return steps_[number]; }

  // Of memory, about.
  std::uint64_t bytes() const {
    constexpr std::uint64_t kNode = 48;
    return steps_.capacity() * sizeof(Event) + numbers_.size() * kNode;
  }

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.steps_, self.numbers_);
  }

 private:
  std::vector<Event> steps_;
  std::unordered_multimap<std::uint64_t, Number> numbers_;  // by hash
};

}  // namespace thrum
