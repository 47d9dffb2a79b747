// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Toy programs: a few threads, each a short list of instructions over a few shared objects. Small enough that
// a brute-force enumerator can run every interleaving, rich enough that every kind of choice occurs.
//
// There are no loops: branches go forward only. What an instruction does stands in toy_program.cpp and, once
// more and independently, in interpreter.cpp.
//
// Thread 0 is main and runs from the start; the others run from the instruction that creates them. A thread's
// end, main's too, ends that thread only (as pthread_exit does); the execution ends when nothing can go on.
// All values are 0 at first. They have 32 bits, and sums and differences wrap around.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/bug.hpp"

namespace thrum {

inline constexpr int kToyThreads = 20;    // at most
inline constexpr int kOracleThreads = 5;  // at most, of programs that the oracle enumerates
// Of each kind: variables, plain data, mutexes, condition variables, semaphores.
inline constexpr int kToyObjects = 3;
inline constexpr int kToyRegisters = 4;

enum class Opcode : std::uint8_t {
  load,        // x r     r = x
  store,       // x v     x = v
  add,         // x r v   r = x; x += v, in one
  cas,         // x r v w if x is v then x = w; r = whether it was
  read,        // p r     r = p: plain data, no scheduling point
  write,       // p v     p = v: likewise
  lock,        // m
  try_lock,    // m r     r = whether it got m
  unlock,      // m
  wait,        // c m
  timed_wait,  // c m r n until time n at most; r = whether it timed out
  signal,      // c
  broadcast,   // c
  down,        // s       semaphore wait
  up,          // s       semaphore post
  yield,
  create,   // t
  join,     // t       by the thread that created it; nothing to do where it was not created
  choose,   // r n     r = one of 0..n-1
  equal,    // r v     assert that r is v
  unequal,  // r v     assert that r is not v
  skip,     // r v n   if r is v then leave out the next n instructions
  fence,
  move,       // x x r r = the second, the second = the first, in an atomic section
  add_both,   // x x v both variables += v, in an atomic section
  input,      // r n   r = an input of n bits, 1 to 3, from the environment
  sum,        // r v   r += v
  subtract,   // r v   r -= v
  below,      // r v n if r < v, both without a sign, then leave out the next n instructions
  load_at,    // r r   the second = x[the first % 3]
  store_at,   // r v   x[r % 3] = v
  peek,       // x r   r = x, but not atomically: as read
  poke,       // x v   x = v, likewise
  read_two,   // q r   r = the sum of two neighbours, read at once: q0 is p0 and p1, q1 is p1 and p2
  write_two,  // q v   both = v, at once
};
inline constexpr int kOpcodeCount = static_cast<int>(Opcode::write_two) + 1;

constexpr bool is_section(Opcode opcode) { return opcode == Opcode::move || opcode == Opcode::add_both; }

// Atomic operations on a variable whose number a register has.
constexpr bool is_indexed(Opcode opcode) { return opcode == Opcode::load_at || opcode == Opcode::store_at; }

// What depends on registers and inputs only, and changes nothing but registers.
constexpr bool is_local(Opcode opcode) {
  return (opcode >= Opcode::equal && opcode <= Opcode::skip) ||
         (opcode >= Opcode::input && opcode <= Opcode::below);
}

// These stand only in programs whose values have terms (family F).
constexpr bool is_for_terms(Opcode opcode) { return opcode >= Opcode::input && opcode <= Opcode::store_at; }

// Accesses to memory that are not atomic and no scheduling points.
constexpr bool is_plain(Opcode opcode) {
  return opcode == Opcode::read || opcode == Opcode::write || opcode >= Opcode::peek;
}

// What an atomic operation or a fence orders, as in C++: it changes which executions have races, and no
// execution. In the text it stands behind the instruction's name: `load.acquire x0 r1`; where there is none,
// it is seq_cst. A compare-and-swap that fails has the order less its release.
enum class Order : std::uint8_t { seq_cst, relaxed, acquire, release, acq_rel };
inline constexpr int kOrderCount = static_cast<int>(Order::acq_rel) + 1;

std::string_view order_name(Order order);
constexpr bool acquires(Order order) {
  return order == Order::seq_cst || order == Order::acquire || order == Order::acq_rel;
}
constexpr bool releases(Order order) {
  return order == Order::seq_cst || order == Order::release || order == Order::acq_rel;
}

// Whether there is such an operation in C++.
bool may_have(Opcode opcode, Order order);

// Operands stand in the order of the table above. An operand v or w is a constant, or kRegisterOperand + a
// register.
struct Instruction {
  Opcode opcode = Opcode::yield;
  std::array<std::uint8_t, 4> operands{};
  Order order = Order::seq_cst;

  friend bool operator==(const Instruction&, const Instruction&) = default;
};
inline constexpr std::uint8_t kRegisterOperand = 64;
inline constexpr std::uint8_t kConstantMax = 9;
inline constexpr std::uint8_t kInputBitsMax = 3;

struct ToyCode {
  std::vector<std::vector<Instruction>> threads;
  bool spurious = false;  // a wait may also end for no reason; in the text: `spurious`, before the threads

  friend bool operator==(const ToyCode&, const ToyCode&) = default;
};

// The letters of an opcode's operands: what each may be.
std::string_view operand_letters(Opcode opcode);

// How many values an operand of that letter may take from 0 up (a 'v' may name a register besides).
int operand_limit(char letter);

// Whether threads are created at most once, and joined only by their creator, behind the creation.
bool is_valid(const ToyCode& code);

// Whether some thread waits for a condition variable.
bool has_waits(const ToyCode& code);
// Whether some operation asks for less than sequential consistency.
bool has_weak_orders(const ToyCode& code);

// Text and back. '#' begins a comment; parse() gives nothing where the text is no valid program.
std::string print(const ToyCode& code);
std::optional<ToyCode> parse(std::string_view text);

// Where in the code a failure happened, as Failure::code.
constexpr std::uint64_t toy_place(int thread, int at) {
  return static_cast<std::uint64_t>(thread) * 256 + static_cast<std::uint64_t>(at) + 1;
}

// What is left when nothing more runs (docs/semantics.md, "Classes and states").
struct FinalState {
  struct Thread {
    enum class Status : std::uint8_t { absent, live, ended };
    Status status = Status::absent;
    std::uint8_t at = 0;   // the instruction that it stands before, or in
    bool in_wait = false;  // has released the mutex and not got it back
    std::array<int, kToyRegisters> registers{};

    friend bool operator==(const Thread&, const Thread&) = default;
  };
  using Objects = std::array<int, kToyObjects>;
  Objects shared{};
  Objects plain{};
  Objects holder{};  // of each mutex: the thread, or -1
  Objects semaphores{};
  std::array<Thread, kToyThreads> threads{};

  friend bool operator==(const FinalState&, const FinalState&) = default;
};

// One line for people.
std::string print(const FinalState& state);

// Whether the thread waits there for the end of another. That it does is no state of its own: it goes on at
// once where the other is over.
bool stands_at_join(const ToyCode& code, int thread, std::size_t at);

// What a thread knows by itself: where it stands (kToyOver: nowhere any more) and its registers.
inline constexpr std::size_t kToyOver = ~std::size_t{0};
std::string print_local_state(int thread, std::size_t at, const std::array<int, kToyRegisters>& registers);

// Bugs are compared as a set of (kind, place).
struct ToyBug {
  BugKind kind = BugKind::assertion;
  std::uint64_t place = 0;
  std::set<std::uint64_t> waits = {};  // of a deadlock: where threads wait, but for those that join

  friend auto operator<=>(const ToyBug&, const ToyBug&) = default;
};

}  // namespace thrum
