// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sequence of steps that reverses a race: it is inserted into a wakeup tree.
//
// Tested by wakeup_tree_test.cpp and linearize_test.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "order/partial_order.hpp"
#include "order/planned_step.hpp"

namespace thrum {

// Steps of an execution in another order: steps in their old order, and the reversed step. The step with
// which it races is left out.
class Sequence {
 public:
  struct Item {
    StepView planned;
    PartialOrder::Index at;  // its number in the order; kNone: the reversed step
    bool needed;             // by the reversed step
  };

  // Begins an empty sequence. order: the partial order of the steps. It and the events of the steps must
  // outlive the sequence.
  void begin(const PartialOrder& order) {
    order_ = &order;
    items_.clear();
    begun_ = common_ = 0;
  }

  bool empty() const { return begun_ == items_.size(); }

  // Adds a step of the execution. needed: by the reversed step.
  void add(const StepView& step, PartialOrder::Index at, bool needed) {
    items_.emplace_back(step, at, needed);
  }
  // Adds the reversed step.
  void add_reversed(const StepView& step) {
    items_.emplace_back(step, PartialOrder::kNone, false);
    common_ = items_.size();
  }

  // Up to the reversed step, the sequence is the same in all executions that have the race. Whether item i
  // belongs to this part; and whether this part is erased completely.
  bool is_common(std::size_t i) const { return begun_ + i < common_; }
  bool common_is_erased() const { return begun_ == common_; }

  // The index of the thread's first step; kNone if it has none.
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t first_of(ThreadId thread) const;

  // Whether the step is a weak initial of the sequence (section 3.4): no step before it in the sequence is
  // needed for it; or, if its thread has no step here, it is independent of all steps. at: set to first_of().
  bool may_begin_with(const StepView& step, std::size_t& at) const;

  // Whether a step for which may_begin_with() is false is no weak initial in any execution that has the race.
  // at: as set by may_begin_with().
  bool rules_out(const StepView& step, std::size_t at) const;

  const StepView& operator[](std::size_t i) const { return items_[begun_ + i].planned; }
  std::size_t size() const { return items_.size() - begun_; }
  // The steps before it move up by one; mostly it is the first.
  void erase(std::size_t i) {
    if (!is_common(i)) ++common_;
    const auto begin = items_.begin() + static_cast<std::ptrdiff_t>(begun_++);
    const auto erased = begin + static_cast<std::ptrdiff_t>(i);
    std::move_backward(begin, erased, erased + 1);
  }

 private:
  std::span<const Item> items() const { return std::span(items_).subspan(begun_); }
  bool needs(const Item& early, const Item& late) const;

  const PartialOrder* order_ = nullptr;
  std::vector<Item> items_;
  std::size_t begun_ = 0;   // index of the first item that is not erased
  std::size_t common_ = 0;  // items before this index are in all executions that have the race
};

}  // namespace thrum
