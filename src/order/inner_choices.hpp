// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choices (values, waiters) that a step made in its middle and that differ from the default, as one
// number: Step::choices.
//
// Example: a step asks for two values, and gets the default and then 7. It has a list of one departure. Every
// step with the same choices has the number of that list. A step without choices, or with defaults only, has
// 0.
//
// Lists are numbered in the order in which they are first seen; numbers do not change. Thread safety: none.
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
  // REQUIRES: number_of() returned the number.
  const std::vector<Departure>& operator[](std::uint32_t number) const { return lists_[number]; }

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  std::vector<std::vector<Departure>> lists_{{}};
  std::unordered_multimap<std::uint64_t, std::uint32_t> numbers_;  // by hash
};

}  // namespace thrum
