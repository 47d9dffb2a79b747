// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether conditions can hold together: a chain of links, of which each answers what it can and asks the next
// one for the rest (as in KLEE: Cadar, Dunbar, Engler, OSDI 2008, section 3.3). Such a question is about
// inputs alone. Where steps of several threads have to be put in order, a Solver is asked (solver.hpp).
//
//   constants       what is true or false whatever the symbols are
//   known answers   models and cores of earlier questions (known_answers.hpp)
//   trials          a few values of each symbol (trials.hpp)
//   a solver        by assumptions (solved_conditions.hpp)
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "symbolic/solver.hpp"
#include "symbolic/terms.hpp"

namespace thrum {

struct ConditionAnswer {
  Solver::Answer answer = Solver::Answer::unknown;
  std::vector<Bits> symbols{};  // satisfiable: values with which all hold, by number; missing ones are 0
  std::vector<Term> core{};     // unsatisfiable: conditions that cannot hold together
};

class Conditions {
 public:
  virtual ~Conditions() = default;

  // conditions: terms of one bit.
  virtual ConditionAnswer ask(std::span<const Term> conditions) = 0;
};

// Answers questions of which a condition is constant, and leaves out constants that are true.
class ConstantConditions final : public Conditions {
 public:
  // Both must outlive it.
  ConstantConditions(const Terms& terms, Conditions& next) : terms_(terms), next_(next) {}

  ConditionAnswer ask(std::span<const Term> conditions) override;

 private:
  const Terms& terms_;
  Conditions& next_;
};

// Looks at each model whether all conditions hold there, before anybody uses it. A model that is none is a
// bug of the link behind it: the answer is unknown then, and wrong() counts it.
class CheckedConditions final : public Conditions {
 public:
  CheckedConditions(const Terms& terms, Conditions& next) : terms_(terms), next_(next) {}

  ConditionAnswer ask(std::span<const Term> conditions) override;
  std::uint64_t wrong() const { return wrong_; }

 private:
  const Terms& terms_;
  Conditions& next_;
  std::uint64_t wrong_ = 0;
};

// Whether all hold where the symbols have these values.
bool all_hold(const Terms& terms, std::span<const Term> conditions, std::span<const Bits> symbols);

}  // namespace thrum
