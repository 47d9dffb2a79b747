// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sequence of steps that reverses a race: what is inserted into a wakeup tree.
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

// Steps of an execution that are to come in another order: some of it as they came, and one that is turned
// round with a step that is left out.
class Sequence {
 public:
  struct Item {
    StepView planned;
    PartialOrder::Index at;  // in the order; kNone: the reversed one
    bool needed;             // by the reversed one
  };

  // An empty one. order says what comes before what. It must outlive what is done here, and so must the
  // events of the steps.
  void begin(const PartialOrder& order) {
    order_ = &order;
    items_.clear();
    begun_ = common_ = 0;
  }

  bool empty() const { return begun_ == items_.size(); }

  // A step as it came, and whether the one that is turned round needs it.
  void add(const StepView& step, PartialOrder::Index at, bool needed) {
    items_.emplace_back(step, at, needed);
  }
  // The one that is turned round.
  void add_reversed(const StepView& step) {
    items_.emplace_back(step, PartialOrder::kNone, false);
    common_ = items_.size();
  }

  // Up to the one that is turned round the sequence is the same in all executions that have the race. Whether
  // the item is one of those; and whether all of those are erased.
  bool is_common(std::size_t i) const { return begun_ + i < common_; }
  bool common_is_erased() const { return begun_ == common_; }

  // Where the thread's first step stands; kNone where it has none.
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t first_of(ThreadId thread) const;

  // Whether the step could come first (a weak initial; section 3.4): nothing before it in the sequence is
  // needed for it, or, where its thread has no step here, it is independent of all that is. at: as
  // first_of().
  bool may_begin_with(const StepView& step, std::size_t& at) const;

  // Whether a step that could not cannot in any execution that has the race. at: what that gave.
  bool rules_out(const StepView& step, std::size_t at) const;

  const StepView& operator[](std::size_t i) const { return items_[begun_ + i].planned; }
  std::span<const Item> items() const { return std::span(items_).subspan(begun_); }
  const PartialOrder& order() const { return *order_; }
  std::size_t size() const { return items_.size() - begun_; }
  // What stands before it moves up: mostly it is the first.
  void erase(std::size_t i) {
    if (!is_common(i)) ++common_;
    const auto begin = items_.begin() + static_cast<std::ptrdiff_t>(begun_++);
    const auto erased = begin + static_cast<std::ptrdiff_t>(i);
    std::move_backward(begin, erased, erased + 1);
  }

 private:
  bool needs(const Item& early, const Item& late) const;

  const PartialOrder* order_ = nullptr;
  std::vector<Item> items_;
  std::size_t begun_ = 0;   // those before are erased
  std::size_t common_ = 0;  // those before are in all executions that have the race
};

}  // namespace thrum
