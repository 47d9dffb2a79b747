// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Toy programs with loops: threads of bytecode over cells and locks. All threads are there from the start,
// thread 0 is main. Cells and registers are bytes, all sums are modulo 256.
//
// Besides what a loop is meant to read, its state is its thread's registers. A register that is dead at the
// head of a loop counts, too; where it should not, the code clears it (`set r 0`).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace thrum {

inline constexpr std::size_t kWaitingCells = 32;
inline constexpr std::size_t kWaitingLocks = 2;
inline constexpr std::size_t kWaitingRegisters = 6;

// r: a register; [a]: the cell b, or b + r[c] if c is a register (c = kNoIndex: it is none).
enum class WaitingOpcode : std::uint8_t {
  // Visible.
  load,              // a b c      ra = [b]
  store,             // a b c      [b] = a
  store_register,    // a b c      [b] = ra
  exchange,          // a b c d    ra = [b]; [b] = d
  fetch_add,         // a b c d    ra = [b]; [b] += d
  compare_exchange,  // a b c d e  if [b] is rd then [b] = re; ra = whether it was
  compare_load,      // a b c d e  the same; if it was not, rd = what it was
  lock,              // b
  unlock,            // b
  try_lock,          // a b        ra = whether it got the lock
  // Hidden.
  set,           // a b    ra = b
  copy,          // a b    ra = rb
  add,           // a b c  ra = rb + c
  sum,           // a b c  ra = rb + rc
  mask,          // a b c  ra = rb & c
  shift,         // a b c  ra = rb >> c
  if_equal,      // a b c  if ra is b then go to c
  if_unequal,    // a b c
  if_same,       // a b c  if ra is rb then go to c
  if_different,  // a b c
  jump,          // c
  check,         // a b    assert that ra is b
  end,           // a      the thread ends; a = 0: its registers count no more
};
inline constexpr int kNoIndex = -1;

constexpr bool is_visible(WaitingOpcode opcode) { return opcode <= WaitingOpcode::try_lock; }
constexpr bool is_on_lock(WaitingOpcode opcode) {
  return opcode == WaitingOpcode::lock || opcode == WaitingOpcode::unlock ||
         opcode == WaitingOpcode::try_lock;
}
// Whether it reads a cell, so that it may be what a waiting loop waits at.
constexpr bool reads_cell(WaitingOpcode opcode) {
  return opcode == WaitingOpcode::load ||
         (opcode >= WaitingOpcode::exchange && opcode <= WaitingOpcode::compare_load);
}

struct WaitingInstruction {
  WaitingOpcode opcode = WaitingOpcode::end;
  int a = 0;
  int b = 0;
  int c = kNoIndex;
  int d = 0;
  int e = 0;
};

struct WaitingCode {
  std::string name;
  std::vector<std::vector<WaitingInstruction>> threads;
  std::array<std::uint8_t, kWaitingCells> cells{};  // at first
};

// For people: an instruction a line.
std::string print(const WaitingCode& code);

// Writes a thread's code, with labels for places.
class WaitingAssembler {
 public:
  WaitingAssembler& label(const std::string& name);

  WaitingAssembler& load(int to, int cell, int index = kNoIndex) {
    return put({WaitingOpcode::load, to, cell, index});
  }
  WaitingAssembler& store(int value, int cell, int index = kNoIndex) {
    return put({WaitingOpcode::store, value, cell, index});
  }
  WaitingAssembler& store_register(int from, int cell, int index = kNoIndex) {
    return put({WaitingOpcode::store_register, from, cell, index});
  }
  WaitingAssembler& exchange(int to, int cell, int value) {
    return put({WaitingOpcode::exchange, to, cell, kNoIndex, value});
  }
  WaitingAssembler& fetch_add(int to, int cell, int value) {
    return put({WaitingOpcode::fetch_add, to, cell, kNoIndex, value});
  }
  WaitingAssembler& compare_exchange(int to, int cell, int expected, int desired) {
    return put({WaitingOpcode::compare_exchange, to, cell, kNoIndex, expected, desired});
  }
  WaitingAssembler& compare_load(int to, int cell, int expected, int desired) {
    return put({WaitingOpcode::compare_load, to, cell, kNoIndex, expected, desired});
  }
  WaitingAssembler& lock(int number) { return put({WaitingOpcode::lock, 0, number}); }
  WaitingAssembler& unlock(int number) { return put({WaitingOpcode::unlock, 0, number}); }
  WaitingAssembler& try_lock(int to, int number) { return put({WaitingOpcode::try_lock, to, number}); }

  WaitingAssembler& set(int to, int value) { return put({WaitingOpcode::set, to, value}); }
  // The registers from 0 up to that one.
  WaitingAssembler& clear(int last);
  WaitingAssembler& copy(int to, int from) { return put({WaitingOpcode::copy, to, from}); }
  WaitingAssembler& add(int to, int from, int value) { return put({WaitingOpcode::add, to, from, value}); }
  WaitingAssembler& sum(int to, int from, int other) { return put({WaitingOpcode::sum, to, from, other}); }
  WaitingAssembler& mask(int to, int from, int bits) { return put({WaitingOpcode::mask, to, from, bits}); }
  WaitingAssembler& shift(int to, int from, int bits) { return put({WaitingOpcode::shift, to, from, bits}); }
  WaitingAssembler& if_equal(int from, int value, const std::string& to) {
    return jump_with({WaitingOpcode::if_equal, from, value}, to);
  }
  WaitingAssembler& if_unequal(int from, int value, const std::string& to) {
    return jump_with({WaitingOpcode::if_unequal, from, value}, to);
  }
  WaitingAssembler& if_same(int from, int other, const std::string& to) {
    return jump_with({WaitingOpcode::if_same, from, other}, to);
  }
  WaitingAssembler& if_different(int from, int other, const std::string& to) {
    return jump_with({WaitingOpcode::if_different, from, other}, to);
  }
  WaitingAssembler& jump(const std::string& to) { return jump_with({WaitingOpcode::jump}, to); }
  WaitingAssembler& check(int from, int value) { return put({WaitingOpcode::check, from, value}); }
  WaitingAssembler& end(bool keeps_registers = false) {
    return put({WaitingOpcode::end, keeps_registers ? 1 : 0});
  }

  // The code, with an end behind it.
  std::vector<WaitingInstruction> code(bool keeps_registers = false);

 private:
  WaitingAssembler& put(const WaitingInstruction& instruction);
  WaitingAssembler& jump_with(const WaitingInstruction& instruction, const std::string& to);

  std::vector<WaitingInstruction> code_;
  std::vector<std::pair<std::string, int>> labels_;
  std::vector<std::pair<std::size_t, std::string>> jumps_;  // an instruction, and where it goes
};

}  // namespace thrum
