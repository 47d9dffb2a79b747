// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The BDD variables that encode the states of a boolean program.
//
// A state of one thread is a valuation of the globals and of the locals of its top frame. Each of their bits
// has several copies, which are adjacent in the variable order:
//   entry   the value when the procedure was entered; of locals, only parameters have this copy
//   now     the current value
//   next    the value after a step; of locals, also the parameters of a procedure that is called
// A global also has copies for the boundaries 1, 2, ...: its value at the end of context 1, 2, ... A local
// also has a copy for each thread if a state is of all threads at once (full_exploration.hpp).
//
// The parameters of all procedures share the first bits of the locals, so a call needs no further copies. All
// other locals have their own bits, so each can be placed where its procedure needs it.
//
// Bits that occur in the same statements are placed near each other (FORCE: Aloul, Markov and Sakallah,
// GLSVLSI 2003), until the diagrams of a small search give a better order (check.cpp).
//
// Besides the program's globals there are registers, as far as the program needs them. They say whether the
// thread that moves is inside an atomic section, waits for a broadcast, or has ended in this context. Started
// threads have slots. A slot is free, or its thread has not moved yet (then it holds the entry and the
// parameters or copied locals), or its thread has moved. It also says whether its thread has ended. Slots are
// numbered in the order in which their threads first move, so the slot of a started thread is guessed. A
// thread that never moves needs none (fork and join: Qadeer and Rehof's slides, 51 to 53).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "boolprog/bdd.hpp"
#include "boolprog/flow.hpp"

namespace thrum::bp {

// Adjacent bits.
struct Bits {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

// Where a started thread begins.
struct Start {
  Pc entry = 0;
  std::uint32_t procedure = 0;
  std::uint32_t held = 0;  // bits of its first locals that the parent passes on; the others are arbitrary
};

class Encoding {
 public:
  // boundaries: contexts that another one may follow. slots: started threads that ever move. threads: in a
  // state of all threads, how many there are; else 0. order: of the bits, globals numbered before locals;
  // empty: the constructor finds one.
  Encoding(const Flow& flow, std::uint32_t boundaries, std::uint32_t slots, std::uint32_t threads = 0,
           const std::vector<std::uint32_t>& order = {});

  const Flow& flow() const { return flow_; }
  std::uint32_t variables() const { return variables_; }
  std::uint32_t globals() const { return globals_; }        // bits
  std::uint32_t locals() const { return locals_; }          // of all procedures
  std::uint32_t parameters() const { return parameters_; }  // of the procedure that has most
  std::uint32_t results() const { return results_; }
  std::uint32_t choices() const { return choices_; }
  // Of the number of a place: in the code, or that of a thread that has ended or has not begun.
  std::uint32_t place_bits() const { return place_bits_; }
  std::uint32_t boundaries() const { return boundaries_; }
  std::uint32_t slots() const { return slots_; }
  std::uint32_t thread_bits() const { return thread_bits_; }  // of a variable that holds a thread

  // The first and the last variable of each bit's copies.
  std::vector<std::pair<int, int>> blocks() const;

  // Numbers of variables.
  int global_entry(std::uint32_t bit) const { return global_at(bit, 0); }
  int global_now(std::uint32_t bit) const { return global_at(bit, 1); }
  int global_next(std::uint32_t bit) const { return global_at(bit, 2); }
  int global_boundary(std::uint32_t bit, std::uint32_t boundary) const {
    return global_at(bit, 2 + boundary);
  }
  int local_entry(std::uint32_t bit) const { return local_at(bit, 0); }
  int local_now(std::uint32_t bit) const { return local_at(bit, 1); }
  int local_next(std::uint32_t bit) const { return local_at(bit, 2); }
  int local_of(std::uint32_t bit, std::uint32_t thread) const { return local_at(bit, 3 + thread); }
  // The place of the thread in the code, as a number.
  int place_of(std::uint32_t bit, std::uint32_t thread) const {
    return static_cast<int>(first_result_ + 2 * results_ + choices_ + bit * threads_ + thread);
  }
  int result(std::uint32_t bit) const { return static_cast<int>(first_result_ + bit); }
  // What the frame will return, in the analysis backwards (predecessors.hpp).
  int exit_result(std::uint32_t bit) const { return static_cast<int>(first_result_ + results_ + bit); }
  int choice(std::uint32_t number) const { return static_cast<int>(first_result_ + 2 * results_ + number); }

  Bits bits(Variable variable, std::uint32_t procedure) const {
    return variable.is_global ? global_bits_[variable.index] : local_bits_[procedure][variable.index];
  }
  std::uint32_t parameter_bits(std::uint32_t procedure) const { return parameter_bits_[procedure]; }
  // Bit number i of the procedure's locals; the parameters come first.
  std::uint32_t local_bit(std::uint32_t procedure, std::uint32_t i) const {
    std::uint32_t parameters = parameter_bits_[procedure];
    return i < parameters ? i : first_other_[procedure] + i - parameters;
  }

  // Registers, as bits of the globals.
  std::optional<std::uint32_t> atomic() const { return atomic_; }
  std::optional<std::uint32_t> waits() const { return waits_; }
  std::optional<std::uint32_t> ended() const { return ended_; }
  // Threads are numbered: first the initial ones, then the slots.
  std::optional<std::uint32_t> waiting(std::uint32_t thread) const;
  // Slots are numbered from 1.
  Bits slot_code(std::uint32_t slot) const { return {slot_at(slot), code_bits_}; }
  std::optional<std::uint32_t> slot_ended(std::uint32_t slot) const;
  Bits slot_held(std::uint32_t slot) const;

  const std::vector<Start>& starts() const { return starts_; }
  std::uint32_t start_of(const Instruction& instruction) const;

  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kMoved = 1;
  static constexpr std::uint32_t kFirstStart = 2;  // code of a slot: this plus the number of the start

 private:
  int global_at(std::uint32_t bit, std::uint32_t copy) const {
    return static_cast<int>(first_variable_[bit] + copy);
  }
  int local_at(std::uint32_t bit, std::uint32_t copy) const {
    return static_cast<int>(first_variable_[globals_ + bit] + copy);
  }
  std::uint32_t slot_at(std::uint32_t slot) const;
  // Sets of bits that belong together. Globals are numbered before locals.
  std::vector<std::vector<std::uint32_t>> edges() const;
  void place_starts();
  void place_globals();
  void place_locals();
  void place_variables(const std::vector<std::uint32_t>& order);
  std::uint32_t copies(std::uint32_t bit) const { return bit < globals_ ? 3 + boundaries_ : 3 + threads_; }

  const Flow& flow_;
  std::uint32_t boundaries_;
  std::uint32_t slots_;
  std::uint32_t threads_;
  std::uint32_t thread_bits_ = 0;
  std::uint32_t globals_ = 0;
  std::uint32_t locals_ = 0;
  std::uint32_t parameters_ = 0;
  std::uint32_t results_ = 0;
  std::uint32_t choices_ = 0;
  std::uint32_t place_bits_ = 0;
  std::uint32_t first_result_ = 0;
  std::uint32_t variables_ = 0;
  std::vector<std::uint32_t> first_variable_;  // of each bit's copies; globals before locals
  std::vector<Bits> global_bits_;
  std::vector<std::vector<Bits>> local_bits_;
  std::vector<std::uint32_t> parameter_bits_;
  std::vector<std::uint32_t> first_other_;  // of each procedure's locals that are not parameters
  std::optional<std::uint32_t> atomic_, waits_, ended_, first_waiting_, first_slot_;
  bool slots_end_ = false;
  std::uint32_t code_bits_ = 0;
  std::uint32_t held_bits_ = 0;
  std::vector<Start> starts_;
};

}  // namespace thrum::bp
