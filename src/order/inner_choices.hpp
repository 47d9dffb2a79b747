// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choices (values, waiters) that a step made in its middle and that differ from the default, as one
// number: Step::choices. A step without choices, or with defaults only, has 0.
//
// Example: a step asks for two values, and gets the default and then 7. It has a list of one departure. Every
// step with the same choices has the number of that list.
//
// Lists are numbered in the order in which they are first seen; numbers do not change. Thread safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/plan.hpp"
#include "support/bytes.hpp"

namespace thrum {

class InnerChoices {
 public:
  using List = std::vector<Departure>;
  std::uint32_t number_of(const List& list);
  // REQUIRES: number_of() returned the number.
  const List& operator[](std::uint32_t number) const { return lists_[number]; }

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Less {
    bool operator()(const List& a, const List& b) const;
  };
  std::vector<List> lists_{{}};
  std::map<List, std::uint32_t, Less> numbers_;
};

}  // namespace thrum
