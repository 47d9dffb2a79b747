// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The concrete semantics of boolean programs, one step at a time. All engines are tested against this
// definition. docs/boolean-programs.md describes it in words.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "boolprog/flow.hpp"

namespace thrum::bp {

// 0 or 1. Of a variable that holds a thread: the number of the thread, counted from 1, or 0 for none.
using Value = std::uint16_t;

struct Frame {
  Pc pc = 0;  // in a frame below the top: the call that has not returned yet
  std::vector<Value> locals{};

  friend bool operator==(const Frame&, const Frame&) = default;
};

struct Thread {
  std::vector<Frame> stack{};  // the top is at the back; empty: the thread has ended
  bool waits = false;          // for a broadcast

  friend bool operator==(const Thread&, const Thread&) = default;
};

struct State {
  std::vector<Value> globals{};
  bool atomic = false;  // inside an atomic section, of the thread that moved last
  std::vector<Thread> threads{};

  friend bool operator==(const State&, const State&) = default;
  // The whole state, as the key of a table.
  std::string key() const;
  static State from_key(const std::string& key, const Flow& flow);
};

// A step of an execution.
struct Step {
  std::uint32_t thread = 0;
  Pc pc = 0;  // of the instruction
  State after{};
};

struct Execution {
  State first{};         // after `init`, if there is one that does not fail
  bool in_init = false;  // `init` itself fails, and is the only thread
  std::vector<Step> steps{};
  std::uint32_t failing = 0;  // the thread that reaches the goal after these steps
};

// What a search looks for.
struct Goal {
  bool assertions = true;    // an assertion that fails
  std::vector<Pc> labels{};  // or a thread that moves and stands at one of these places
};

// Thrown if a step has too many outcomes to enumerate.
class TooManyOutcomes : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

Goal goal_of(const Flow& flow, bool assertions, const std::vector<std::string>& labels);

class Interpreter {
 public:
  explicit Interpreter(const Flow& flow);

  using Visit = std::function<void(State&&)>;

  // Visits the initial states: of `init`, which is then the only thread, or else of the program's threads.
  void begin(const Visit& visit) const;
  // started: the state with the program's threads instead of an `init` that has ended. with_any_locals:
  // visits the state with each valuation of the threads' locals.
  State started(State state) const;
  void with_any_locals(State state, const Visit& visit) const;

  // Whether a context switch is possible in this state.
  bool may_switch(const State& state) const;

  bool can_step(const State& state, std::uint32_t thread) const;
  // Counts the context switches away from a thread that could have gone on.
  std::uint32_t preemptions(const Execution& execution) const;

  // Whether the next instruction of the thread is an assertion that may fail in this state.
  bool may_fail(const State& state, std::uint32_t thread) const;

  // Whether this thread, which is the one that moves, has reached the goal.
  bool is_reached(const Goal& goal, const State& state, std::uint32_t thread) const;

  // Visits each successor state by a step of the thread, some of them more than once. entered: if given, only
  // the successors whose new frame has these locals. Throws TooManyOutcomes.
  void step(const State& state, std::uint32_t thread, const Visit& visit,
            const std::vector<Value>* entered = nullptr) const;

 private:
  struct Context;  // the valuations in which an expression is evaluated

  bool evaluate(const Expression& expression, Context& context) const;
  bool may_hold(const Expression& expression, const State& state, std::uint32_t thread, bool wanted) const;
  bool is_allowed(const State& state, std::uint32_t thread) const;
  void assign(const State& state, std::uint32_t thread, const Visit& visit) const;
  void call(const State& state, std::uint32_t thread, const Visit& visit,
            const std::vector<Value>* entered) const;
  void give_back(const State& state, std::uint32_t thread, const Visit& visit) const;
  void start(const State& state, std::uint32_t thread, const Visit& visit,
             const std::vector<Value>* entered) const;
  // Calls `visit` with the values once for each outcome of the choices in `values` and the constraint.
  void outcomes(const State& state, std::uint32_t thread, const std::vector<Expression>& values,
                const std::function<void(const std::vector<Value>&, Context&)>& visit) const;
  void any_values(std::vector<Value>& values, std::size_t from, const std::vector<Declaration>& declared,
                  const std::vector<Value>* wanted, const std::function<void()>& visit) const;
  Frame new_frame(std::uint32_t procedure, const std::vector<Value>& arguments) const;

  const Flow& flow_;
};

}  // namespace thrum::bp
