// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a boolean program does, one concrete step at a time: the definition that the engines are held against.
// docs/boolean-programs.md says it in words.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "boolprog/flow.hpp"

namespace thrum::bp {

// 0 or 1; of a variable that holds a thread 0 for none, else the thread's number counted from 1.
using Value = std::uint16_t;

struct Frame {
  Pc pc = 0;  // of a frame below the top: the call that it waits for
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
  // All of it, as the key of a table.
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
  State first{};         // with what `init` has left, if there is one
  bool in_init = false;  // `init` itself goes wrong, and is the only thread
  std::vector<Step> steps{};
  std::uint32_t failing = 0;  // the thread that then stands before what is wrong
};

// What a search looks for.
struct Goal {
  bool assertions = true;    // one that fails
  std::vector<Pc> labels{};  // a thread that moves stands there
};

// Raised where a step has more outcomes than can be listed.
class TooManyOutcomes : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

Goal goal_of(const Flow& flow, bool assertions, const std::vector<std::string>& labels);

class Interpreter {
 public:
  explicit Interpreter(const Flow& flow);

  using Visit = std::function<void(State&&)>;

  // States before `init`, which is then the only thread, or before the program's threads.
  void begin(const Visit& visit) const;
  // The program's threads, put in the place of an `init` that has ended; with_any_locals: each may begin with
  // any.
  State started(State state) const;
  void with_any_locals(State state, const Visit& visit) const;

  // Whether another thread than the last one may go on.
  bool may_switch(const State& state) const;

  bool can_step(const State& state, std::uint32_t thread) const;
  // Switches away from a thread that could have gone on.
  std::uint32_t preemptions(const Execution& execution) const;

  // The assertion that the thread stands before may fail in this state.
  bool may_fail(const State& state, std::uint32_t thread) const;

  // Whether the thread, which moves, is where the search wants to get.
  bool is_reached(const Goal& goal, const State& state, std::uint32_t thread) const;

  // Each state that a step of the thread may lead to; some may come more than once. entered: the locals of a
  // frame that the step makes, where only those are asked for. Throws TooManyOutcomes.
  void step(const State& state, std::uint32_t thread, const Visit& visit,
            const std::vector<Value>* entered = nullptr) const;

 private:
  struct Context;  // what an expression is evaluated in

  bool evaluate(const Expression& expression, Context& context) const;
  bool may_hold(const Expression& expression, const State& state, std::uint32_t thread, bool wanted) const;
  bool is_allowed(const State& state, std::uint32_t thread) const;
  void assign(const State& state, std::uint32_t thread, const Visit& visit) const;
  void call(const State& state, std::uint32_t thread, const Visit& visit,
            const std::vector<Value>* entered) const;
  void give_back(const State& state, std::uint32_t thread, const Visit& visit) const;
  void start(const State& state, std::uint32_t thread, const Visit& visit,
             const std::vector<Value>* entered) const;
  // Once for each outcome of the choices in `values` and `constraint`, with the values.
  void outcomes(const State& state, std::uint32_t thread, const std::vector<Expression>& values,
                const std::function<void(const std::vector<Value>&, Context&)>& visit) const;
  void any_values(std::vector<Value>& values, std::size_t from, const std::vector<Declaration>& declared,
                  const std::vector<Value>* wanted, const std::function<void()>& visit) const;
  Frame new_frame(std::uint32_t procedure, const std::vector<Value>& arguments) const;

  const Flow& flow_;
};

}  // namespace thrum::bp
