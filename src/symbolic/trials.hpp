// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tries values of the symbols: small ones, those at a border, and the constants of the conditions with their
// neighbours. Most conditions of programs hold for one of these, and an evaluation takes a thousandth of what
// a solver takes.
//
// Tested by conditions_test.cpp.
#pragma once

#include <cstdint>
#include <span>

#include "support/random.hpp"
#include "symbolic/conditions.hpp"

namespace thrum {

class Trials final : public Conditions {
 public:
  Trials(const Terms& terms, Conditions& next, std::uint64_t seed = 1)
      : terms_(terms), next_(next), random_(seed) {}

  ConditionAnswer ask(std::span<const Term> conditions) override;

  std::uint64_t hits() const { return hits_; }

 private:
  static constexpr int kTrials = 64;

  const Terms& terms_;
  Conditions& next_;
  Random random_;
  std::uint64_t hits_ = 0;
};

}  // namespace thrum
