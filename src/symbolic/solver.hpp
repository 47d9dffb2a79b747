// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is asked of a solver: clauses over truth values, orders of steps, and conditions over bit vectors.
//
// Example, whether b can come before a, and c behind both:
//
//   solver.add({solver.before(b, a)});
//   solver.add({solver.before(a, c)});
//   solver.add({solver.before(b, c)});
//   solver.solve({}, limit) == Solver::Answer::satisfiable
//
// Clauses are never taken back. What may change is assumed: of assumptions that cannot hold together, core()
// names some. Z3 implements it (src/solver), in a module that is loaded where it is needed.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "support/interrupt.hpp"
#include "symbolic/terms.hpp"

namespace thrum {

class Solver {
 public:
  // A truth value, or with a minus what it is not; never 0.
  using Literal = std::int32_t;
  // The place of a step in an execution.
  using Step = std::uint32_t;
  // unknown: a limit was met, or the solver gave up or was interrupted. It is never taken for
  // unsatisfiable.
  enum class Answer : std::uint8_t { satisfiable, unsatisfiable, unknown };
  struct Limit {
    double seconds = 10;
    Interrupt* interrupt = nullptr;  // nullptr: nobody interrupts it
    std::uint64_t bytes = 0;         // of all solvers of the process; 0: no limit
    // Of its own work, in units that the same question always takes the same number of; 0: no limit.
    std::uint32_t work = 0;
  };

  virtual ~Solver() = default;

  virtual Literal make_literal() = 0;
  virtual Step make_step() = 0;
  // Whether the first one comes before the second one. Two steps may have one place, unless a clause forbids
  // it.
  virtual Literal before(Step first, Step second) = 0;
  // Whether the condition holds: a term of one bit. Its symbols are the solver's, by their numbers and
  // widths.
  virtual Literal holds(Term condition) = 0;
  // One of them is true.
  virtual void add(std::span<const Literal> clause) = 0;
  void add(std::initializer_list<Literal> clause) { add(std::span(clause.begin(), clause.size())); }

  virtual Answer solve(std::span<const Literal> assumptions, Limit limit) = 0;

  // Of the last answer, if it was satisfiable: a model. Where it does not matter what something is, it is
  // false, or 0.
  virtual bool is_true(Literal literal) = 0;
  virtual std::int64_t place(Step step) = 0;
  virtual Bits value(std::uint32_t symbol, unsigned width) = 0;
  // If it was unsatisfiable: assumptions that cannot hold together. Empty: the clauses cannot.
  virtual const std::vector<Literal>& core() = 0;
  // If it was unknown: whether that was for want of memory.
  virtual bool lacked_memory() const { return false; }

  // What all questions have taken so far, in the units of Limit::work.
  virtual std::uint64_t work() const { return 0; }

  // The memory that all solvers of the process take, about.
  virtual std::uint64_t bytes() const { return 0; }
};

using MakeSolver = std::function<std::unique_ptr<Solver>(const Terms&)>;

}  // namespace thrum
