// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What threads do in the events of a prefix, each once: many events are the same step in other pasts.
#pragma once

#include <cstdint>
#include <tuple>

#include "model/event.hpp"
#include "support/hash.hpp"
#include "support/interned.hpp"

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
    return steps_.number_of(step, hash);
  }
  const Event& operator[](Number number) const { return steps_[number]; }

  std::uint64_t bytes() const { return steps_.bytes(); }

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.steps_);
  }

 private:
  Interned<Event> steps_;
};

}  // namespace thrum
