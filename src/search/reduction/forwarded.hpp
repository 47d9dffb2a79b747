// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a part of a reduced search has found to be run at points that are not its own (dpor_split.cpp).
//
// Of the order in which its steps came a sequence says no more than which comes before which.
#pragma once

#include <cstdint>
#include <vector>

#include "order/partial_order.hpp"
#include "search/reduction/wakeup_tree.hpp"

namespace thrum {

class Forwarded {
 public:
  using Index = PartialOrder::Index;

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  void clear() { *this = Forwarded(); }

  // A step, or a sequence, to be run at that depth. cut_off: the execution that showed it ended by a bug.
  void add(Index depth, const StepView& step);
  void add(Index depth, const Sequence& sequence, bool cut_off);

  // An entry as it was added. It refers to what lies here, and the sequence to the entry.
  struct Entry {
    Index depth = 0;
    bool is_sequence = false;
    bool cut_off = false;
    std::vector<StepView> steps;  // of the sequence; or the one
    PartialOrder order;
    std::vector<std::uint8_t> roles;

    void fill(Sequence& sequence) const;
  };
  void read(std::size_t i, Entry& entry) const;

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Place {
    Index depth;
    bool is_sequence;
    bool cut_off;
    std::uint32_t begin;  // of its steps, in steps_ and roles_
    std::uint32_t count;
    std::uint64_t order_begin;  // a bit
  };

  void begin(Index depth, bool is_sequence, bool cut_off, std::size_t count);

  std::vector<Place> entries_;
  PlannedSteps kinds_;  // few steps are different
  std::vector<PlannedSteps::Number> steps_;
  std::vector<std::uint8_t> roles_;
  // For each step of a sequence but the turned one, whether those before it come before it: a bit each.
  std::vector<std::uint64_t> order_;
  std::uint64_t order_bits_ = 0;
  std::vector<Index> places_;  // add()
};

}  // namespace thrum
