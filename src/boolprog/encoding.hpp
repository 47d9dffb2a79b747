// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which variables of the diagrams stand for what of a boolean program.
//
// A state of one thread is the globals and the locals of its top frame. Each of their bits has copies, which
// lie beside each other in the order of variables:
//   entry   when the procedure was entered; of locals its parameters only
//   now     now
//   next    behind a step; of locals, also the parameters of a procedure that is called
//   and of a global the boundaries 1, 2, ...: its value where context 1, 2, ... has ended;
//   of a local, one for each thread, where a state is of all threads at once (full_exploration.hpp).
//
// Parameters of all procedures have the same bits, the first ones of the locals, so that a call needs no more
// copies; the other locals have bits of their own, so that each lies where its procedure wants it.
//
// Bits that occur in the same statements lie near each other (FORCE: Aloul, Markov and Sakallah, GLSVLSI
// 2003), until the diagrams of a small search tell of a better order (check.cpp).
//
// Beside the program's own globals there are registers, as far as the program needs them: whether the thread
// that moves is inside an atomic section, waits for a broadcast, or has ended in this context; and for
// threads that are started, slots. A slot is free, holds a thread that has not moved yet (where it begins,
// with its parameters or copied locals), or one that has; and says whether that has ended. Slots are numbered
// in the order in which their threads first move, so the slot of a thread that is started is guessed; a
// thread that will never move needs none (fork and join of the seed, slides 51 to 53).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "boolprog/bdd.hpp"
#include "boolprog/flow.hpp"

namespace thrum::bp {

// Bits that follow each other.
struct Bits {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

// Where threads begin that are started.
struct Start {
  Pc entry = 0;
  std::uint32_t procedure = 0;
  std::uint32_t held = 0;  // its first locals, in bits, are handed over; the others are arbitrary
};

class Encoding {
 public:
  // boundaries: contexts that may be followed by another. slots: threads that are started and ever move.
  // threads: that a state is of at once. order: of bits, those of globals numbered before those of locals;
  // empty: is found.
  Encoding(const Flow& flow, std::uint32_t boundaries, std::uint32_t slots, std::uint32_t threads = 0,
           const std::vector<std::uint32_t>& order = {});

  const Flow& flow() const { return flow_; }
  std::uint32_t variables() const { return variables_; }
  std::uint32_t globals() const { return globals_; }        // bits
  std::uint32_t locals() const { return locals_; }          // of all procedures
  std::uint32_t parameters() const { return parameters_; }  // of the procedure with most
  std::uint32_t results() const { return results_; }
  std::uint32_t choices() const { return choices_; }
  // Of a number that tells all places in the code apart, one behind them and one more.
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
  // Where the thread stands, as a number.
  int place_of(std::uint32_t bit, std::uint32_t thread) const {
    return static_cast<int>(first_result_ + 2 * results_ + choices_ + bit * threads_ + thread);
  }
  int result(std::uint32_t bit) const { return static_cast<int>(first_result_ + bit); }
  // What the frame that is looked at from behind will return (predecessors.hpp).
  int exit_result(std::uint32_t bit) const { return static_cast<int>(first_result_ + results_ + bit); }
  int choice(std::uint32_t number) const { return static_cast<int>(first_result_ + 2 * results_ + number); }

  Bits bits(Variable variable, std::uint32_t procedure) const {
    return variable.is_global ? global_bits_[variable.index] : local_bits_[procedure][variable.index];
  }
  std::uint32_t parameter_bits(std::uint32_t procedure) const { return parameter_bits_[procedure]; }
  // The procedure's own bit number i, of its parameters first.
  std::uint32_t local_bit(std::uint32_t procedure, std::uint32_t i) const {
    std::uint32_t parameters = parameter_bits_[procedure];
    return i < parameters ? i : first_other_[procedure] + i - parameters;
  }

  // Registers, as bits of the globals.
  std::optional<std::uint32_t> atomic() const { return atomic_; }
  std::optional<std::uint32_t> waits() const { return waits_; }
  std::optional<std::uint32_t> ended() const { return ended_; }
  // Of a thread, those that are there from the beginning first, then the slots.
  std::optional<std::uint32_t> waiting(std::uint32_t thread) const;
  // Of a slot, counted from 1.
  Bits slot_code(std::uint32_t slot) const { return {slot_at(slot), code_bits_}; }
  std::optional<std::uint32_t> slot_ended(std::uint32_t slot) const;
  Bits slot_held(std::uint32_t slot) const;

  const std::vector<Start>& starts() const { return starts_; }
  std::uint32_t start_of(const Instruction& instruction) const;

  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kMoved = 1;
  static constexpr std::uint32_t kFirstStart = 2;  // codes of slots: this and the number of the start

 private:
  int global_at(std::uint32_t bit, std::uint32_t copy) const {
    return static_cast<int>(first_variable_[bit] + copy);
  }
  int local_at(std::uint32_t bit, std::uint32_t copy) const {
    return static_cast<int>(first_variable_[globals_ + bit] + copy);
  }
  std::uint32_t slot_at(std::uint32_t slot) const;
  // Bits that belong together, as numbers: of globals, then of locals.
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
  std::vector<std::uint32_t> first_variable_;  // of each bit's copies: of globals, then of locals
  std::vector<Bits> global_bits_;
  std::vector<std::vector<Bits>> local_bits_;
  std::vector<std::uint32_t> parameter_bits_;
  std::vector<std::uint32_t> first_other_;  // of each procedure's locals that are no parameters
  std::optional<std::uint32_t> atomic_, waits_, ended_, first_waiting_, first_slot_;
  bool slots_end_ = false;
  std::uint32_t code_bits_ = 0;
  std::uint32_t held_bits_ = 0;
  std::vector<Start> starts_;
};

}  // namespace thrum::bp
