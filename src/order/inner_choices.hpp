// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a step chose in its middle otherwise than by default (values, waiters), as one number: Step::choices.
//
// Example: a step that asks for two values, and gets the default and then 7, has a list of one departure.
// Every step that chooses likewise has the number of that list; one that chooses nothing, or the defaults,
// has 0.
//
// Numbers are given in the order in which lists are first seen, and stay. Thread safety: none.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/plan.hpp"
#include "support/bytes.hpp"

namespace thrum {

class InnerChoices {
 public:
  std::uint32_t number_of(const std::vector<Departure>& list);
  // REQUIRES: number_of() gave the number
  const std::vector<Departure>& operator[](std::uint32_t number) const { return lists_[number]; }

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  std::vector<std::vector<Departure>> lists_{{}};
  std::unordered_multimap<std::uint64_t, std::uint32_t> numbers_;  // by hash
};

}  // namespace thrum
