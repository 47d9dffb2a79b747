// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle's own interpreter of toy programs: what each step does to a state that can be copied. Written a
// second time and in another way than toy_program.cpp on purpose; where the two differ, one of them is wrong.
#pragma once

#include <string>
#include <vector>

#include "model/event.hpp"
#include "oracle/local_path.hpp"
#include "oracle/toy_code.hpp"

namespace thrum {

// One component for each thread: how far that thread had come.
using Clock = std::array<int, kOracleThreads>;

// All of it is copied at each step.
struct OracleThread {
  bool created = false;
  bool ended = false;
  bool asleep = false;
  bool woken = false;
  bool timed_out = false;
  bool woke_last = false;  // has woken up for no reason, and no other thread has done an event since
  int creator = 0;
  int at = 0;
  int events = 0;
  int children = 0;
  std::array<int, kOracleThreads> path{};  // ordinals from main down; 0 behind the last
  std::array<int, kToyRegisters> registers{};
  LocalPath path_taken;
  Clock clock{};
  Clock read_relaxed{};   // what an acquire fence would let it know
  Clock at_last_fence{};  // what it knew at its last release fence

  bool lives() const { return created && !ended; }
};

// When each thread last did that to an object.
struct Accesses {
  Clock written{};
  Clock read{};
  Clock written_atomically{};
  Clock read_atomically{};
};

struct OracleState {
  std::array<OracleThread, kOracleThreads> threads;
  FinalState::Objects shared{};
  FinalState::Objects plain{};
  FinalState::Objects holder{-1, -1, -1};
  FinalState::Objects semaphores{};
  // What synchronizes with whoever acquires the object next.
  std::array<Clock, kToyObjects> shared_released{};
  std::array<Clock, kToyObjects> mutex_released{};
  std::array<Clock, kToyObjects> semaphore_released{};
  std::array<Accesses, kToyObjects> shared_accesses{};
  std::array<Accesses, kToyObjects> plain_accesses{};
  bool racy = false;
  bool stopped = false;
  ToyBug bug;
  // Inputs of the step: what was given, and how many of it are used up. Beyond, an input is 0; the first such
  // one says how many bits it has.
  std::vector<int> inputs;
  std::size_t inputs_taken = 0;
  int missing_bits = 0;

  OracleThread& operator[](int thread) { return threads[static_cast<std::size_t>(thread)]; }
  const OracleThread& operator[](int thread) const { return threads[static_cast<std::size_t>(thread)]; }
};

// One of the ways in which an execution can go on.
struct Move {
  enum class Kind : std::uint8_t { step, timeout, spurious };
  int thread = 0;
  Kind kind = Kind::step;
};

class Interpreter {
 public:
  // What it writes down in the paths of threads.
  enum class PathItems : std::uint8_t { none, outcomes, all };

  // code must outlive it. plain_is_visible: scheduling points before plain data too.
  Interpreter(const ToyCode& code, bool plain_is_visible, PathItems items = PathItems::none)
      : code_(code), plain_is_visible_(plain_is_visible), items_(items) {}

  // Main stands before its first visible operation, and so do those that it has created until then.
  // inputs: the values of what they take as input, in order.
  OracleState start(const std::vector<int>& inputs = {}) const;

  // The instruction that the thread stands before, or in; nullptr at its end.
  const Instruction* next(const OracleState& state, int thread) const;

  bool enabled(const OracleState& state, int thread) const;

  // The threads created so far, in the order of docs/semantics.md.
  std::vector<int> by_name(const OracleState& state) const;

  // How many ways the move can go: the waiter that a signal wakes, the value chosen.
  int count_ways(const OracleState& state, Move move) const;

  // Does the move and all that follows at once, and adds its event to the schedule. Gives the event.
  Event step(OracleState& state, Move move, int way, std::string& schedule,
             const std::vector<int>& inputs = {}) const;

 private:
  bool is_hidden(Opcode opcode) const;
  std::vector<int> sleepers(const OracleState& state, int condition) const;
  void execute(OracleState& state, int thread, int way, Event& event, std::string& schedule) const;
  void execute_section(OracleState& state, int thread, Event& event) const;
  void execute_memory(OracleState& state, int thread, Event& event) const;
  void execute_plain(OracleState& state, int thread, Event& event) const;
  void execute_mutex(OracleState& state, int thread, Event& event) const;
  void execute_wait(OracleState& state, int thread, Event& event) const;
  void release(OracleState& state, int thread, int mutex) const;
  void settle(OracleState& state, int thread) const;
  void hidden(OracleState& state, int thread) const;
  void compute(OracleState& state, int thread, const Instruction& instruction) const;
  void plain_access(OracleState& state, int thread, const Instruction& instruction) const;
  void fail(OracleState& state, BugKind kind, int thread) const;
  void note_outcome(OracleThread& thread, int at, int outcome) const;
  int note_value(OracleThread& thread, int value) const;  // gives the value

  const ToyCode& code_;
  bool plain_is_visible_;
  PathItems items_;
};

}  // namespace thrum
