// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs as small steps, and the states that these lead through. The oracle runs them; nothing of
// src/sequentialize has a part in it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "sequentialize/tree.hpp"

namespace thrum::seq::random {

// The tree is no program: a break outside of loops, say. Trees that were made smaller may be so.
class NoProgram : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Do : std::uint8_t {
  // What only the thread itself sees. a: the register that is written.
  number,       // b: the value
  copy,         // b
  binary,       // b, c; d: the operator
  negation,     // b
  jump,         // b: where to
  jump_if_not,  // a is read; b: where to
  call,         // a: of the result; b: the function; c: the first argument's register; d: how many
  give_back,    // a is read
  forget,       // registers from a on
  assume,       // a is read
  fail,         // b: the identity
  create,       // a: of the handle; b: the function; c: of the argument
  leave,        // a is read: pthread_exit
  atomic_end,
  // What others may see: a scheduling point stands before each.
  read,       // b: of the cell's number
  write,      // a: of the cell's number; b is read
  fetch_add,  // b: of the cell's number; c is read
  fetch_xor,
  exchange,
  compare,  // c: of what is expected; d: of what is wished
  lock,     // b: the mutex, the condition or the semaphore
  unlock,
  try_lock,
  sleep,  // b: the condition, c: the mutex
  wake,
  signal,
  broadcast,
  down,
  try_down,
  up,
  atomic_begin,
  join,  // a: of the result or -1; b: of the handle
  quit,
};

inline bool is_visible(Do what) { return what >= Do::read; }

struct Instruction {
  Do what;
  int a = 0;
  int b = 0;
  int c = 0;
  int d = 0;
};

struct Routine {
  std::vector<Instruction> code{};
  int registers = 0;
  bool is_main = false;
};

struct Machine {
  std::vector<Routine> routines{};
  std::vector<int> memory{};  // at first
  std::vector<int> semaphores{};
  int mutexes = 0;
  int conditions = 0;
  int creations = 0;  // places where threads are created
};

Machine machine_of(const Program& program);

struct Frame {
  int routine = 0;
  int at = 0;
  int result = -1;  // the caller's register
  std::vector<int> registers{};
};

struct Thread {
  enum class Status : std::uint8_t { created, running, finished, ended };
  Status status = Status::created;
  int result = 0;
  std::vector<Frame> frames{};
};

struct State {
  std::vector<Thread> threads{};
  std::vector<int> memory{};
  std::vector<int> owners{};  // of mutexes: a thread's number plus 1
  std::vector<int> semaphores{};
  std::vector<std::vector<bool>> waits{};  // by condition and thread
  int atomic = 0;
};

// Identities of failing assertions; this one is an unlock by a thread that does not hold the mutex.
constexpr int kWrongUnlock = 1000;

enum class Stop : std::uint8_t {
  point,     // before a visible step
  finished,  // the thread
  created,   // another thread, just now
  failed,
  pruned,
};

bool is_at_point(const Machine& machine, const State& state, int thread);
State first_state(const Machine& machine);
// The thread goes on until something of these happens; failed: the identity.
Stop run_local(const Machine& machine, State& state, int thread, int& failed);
// The visible step that the thread stands before; one state for each outcome, none where it is blocked. True:
// the process ends.
bool step(const Machine& machine, const State& state, int thread, std::vector<State>& outcomes, int& failed);
void write_down(const State& state, std::string& text);

}  // namespace thrum::seq::random
