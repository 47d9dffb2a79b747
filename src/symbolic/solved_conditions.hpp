// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last link of the chain: asks a solver, which keeps what it has learned of conditions.
#pragma once

#include <cstdint>
#include <span>

#include "symbolic/conditions.hpp"

namespace thrum {

class SolvedConditions final : public Conditions {
 public:
  // Both must outlive it. Nothing but this adds to the solver.
  SolvedConditions(const Terms& terms, Solver& solver, Solver::Limit limit = {})
      : terms_(terms), solver_(solver), limit_(limit) {}

  ConditionAnswer ask(std::span<const Term> conditions) override;

  std::uint64_t questions() const { return questions_; }

 private:
  const Terms& terms_;
  Solver& solver_;
  Solver::Limit limit_;
  std::uint64_t questions_ = 0;
};

}  // namespace thrum
