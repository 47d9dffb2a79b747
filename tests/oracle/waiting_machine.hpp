// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each step of a toy program with loops does to a state that can be copied; and all states that the
// program has, which is the truth for searches that drop rounds of its loops: finite, and no loop is
// unrolled.
#pragma once

#include <compare>
#include <set>
#include <string>
#include <vector>

#include "oracle/waiting_code.hpp"

namespace thrum {

// What a thread knows by itself.
struct WaitingLocal {
  std::uint16_t at = 0;
  std::array<std::uint8_t, kWaitingRegisters> registers{};

  friend auto operator<=>(const WaitingLocal&, const WaitingLocal&) = default;
};

// Between two steps each thread stands before a visible instruction, or has ended.
struct WaitingState {
  struct Thread {
    WaitingLocal local;
    bool ended = false;
  };
  std::array<std::uint8_t, kWaitingCells> cells{};
  std::array<std::uint8_t, kWaitingLocks> held{};
  std::vector<Thread> threads;
  std::uint64_t failed = 0;  // the toy place of the assertion that has ended the execution; 0: none

  // The same for equal states.
  std::string key() const;
  bool has_memory_of(const WaitingState& other) const { return cells == other.cells && held == other.held; }
};

std::string print(const WaitingState& state);

// The numbers of objects in events. Cells are one byte each.
constexpr std::uint64_t waiting_cell(int number) { return 0x1000 + static_cast<std::uint64_t>(number); }
constexpr std::uint64_t waiting_lock(int number) { return 0x2000 + static_cast<std::uint64_t>(number); }

// What a step did.
struct WaitingAccess {
  WaitingOpcode opcode = WaitingOpcode::load;
  std::uint64_t object = 0;
  std::uint8_t before = 0;
  std::uint8_t after = 0;
  std::uint8_t argument = 0;  // what it adds, exchanges or expects
  std::uint8_t desired = 0;   // of a compare-exchange
  bool writes = false;        // a store; or something else, and the value is another one now
  bool failed = false;        // a compare-exchange or try-lock
};

class WaitingMachine {
 public:
  // code must outlive it.
  explicit WaitingMachine(const WaitingCode& code) : code_(code) {}

  WaitingState start() const;

  // REQUIRES: the thread has not ended
  const WaitingInstruction& next(const WaitingState& state, std::size_t thread) const;
  // The object that it accesses, and what is there now.
  std::uint64_t object(const WaitingState& state, std::size_t thread) const;
  std::uint8_t value(const WaitingState& state, std::size_t thread) const;

  // Whether it lives, and does not wait for a lock.
  bool enabled(const WaitingState& state, std::size_t thread) const;

  // The thread's next instruction, and the hidden ones behind it. REQUIRES: it is enabled
  WaitingAccess step(WaitingState& state, std::size_t thread) const;

  // What a thread comes to that runs alone.
  struct Alone {
    enum class End : std::uint8_t {
      passes,   // it does something that lasts, or ends
      circles,  // it comes into a circle, with the memory as it was at first
      blocks,   // it comes to a lock that is held, likewise
    };
    End end = End::passes;
    int steps = 0;  // up to there; circles: to where its local state is the lowest of the circle
  };
  // REQUIRES: it lives
  Alone run_alone(const WaitingState& state, std::size_t thread) const;

 private:
  int number(const WaitingState& state, std::size_t thread) const;  // of the cell or lock
  void settle(WaitingState& state, std::size_t thread) const;

  const WaitingCode& code_;
};

// All that executions come to. An execution ends at a failed assertion.
struct WaitingTruth {
  bool gave_up = false;  // more states than that
  std::size_t states = 0;
  std::set<std::string> finals;  // in which all threads have ended; by WaitingState::key()
  // In which no thread, alone, does something that lasts: each circles, and stands lowest, or waits for a
  // lock.
  std::set<std::string> stuck;
  // Those of them that no interleaving leads out of, either: from all that comes behind there is a way back.
  // Where nothing is written in circles that is all of them.
  std::set<std::string> hopeless;
  std::set<std::uint64_t> failed;  // toy places of assertions
};

WaitingTruth all_states(const WaitingCode& code, std::size_t states_max);

}  // namespace thrum
