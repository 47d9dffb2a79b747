// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a part of a reduced search has found to be run at points that are not its own (dpor_split.cpp).
//
// There is one at most for each step that can come first at such a point. Of the order in which its steps
// came they say no more than which comes before which.
#pragma once

#include <cstdint>
#include <vector>

#include "search/partial_order.hpp"
#include "search/wakeup_tree.hpp"

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

  // An entry as it was added. The sequence refers to what lies here.
  struct Entry {
    Index depth = 0;
    bool is_sequence = false;
    bool cut_off = false;
    std::vector<PlannedStep> steps;  // of the sequence; or the one
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
    std::uint64_t order_begin;
  };

  void begin(Index depth, bool is_sequence, bool cut_off, std::size_t count);

  std::vector<Place> entries_;
  std::vector<PlannedStep> steps_;
  std::vector<std::uint8_t> roles_;
  std::vector<std::uint64_t> order_;  // for each step but the turned one: of those before it, bits
};

}  // namespace thrum
