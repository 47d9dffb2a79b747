// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small concurrent C programs as trees, for random tests: they can be made, printed, run by the oracle, and
// made smaller. Statements and expressions are of one type, so that each pass over them is one function.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace thrum::seq::random {

// In brackets: what `a` and `b` mean, then the children.
enum class Kind : std::uint8_t {
  // Expressions.
  number,       // [value]
  local,        // [local]
  load,         // place
  binary,       // [operator] left, right
  negation,     // operand
  both,         // left, right: &&
  either,       // left, right: ||
  choice,       // condition, yes, no
  call,         // [function] arguments
  call_either,  // [function, function] condition, arguments: through a pointer
  step_before,  // [+1 or -1] place: ++x
  step_behind,  // [+1 or -1] place: x++
  assigned,     // place, value: x = v, as a value
  try_lock,     // [mutex]
  fetch_add,    // [global] operand
  fetch_xor,    // [global] operand
  exchange,     // [global] operand
  compare,      // [global, local that holds what is expected] wished
  try_down,     // [semaphore]
  // Places.
  global,         // [global]
  element,        // [global] index
  field,          // [global, 0 or 1]
  behind_local,   // [pointer]
  behind_global,  // [global]
  // Statements.
  block,         // statements
  evaluate,      // expression
  set,           // place, value
  set_local,     // [local] value
  update,        // [operator] place, value
  update_local,  // [local, operator] value
  point_local,   // [pointer] place
  point_global,  // [global] place
  if_,           // condition, block, block
  for_,          // [local, rounds] block
  while_,        // [local, rounds] condition, block
  do_,           // [local, rounds] condition, block
  switch_,       // [which fall through] value, blocks; the last one is the default
  break_,
  continue_,
  return_,    // value
  jump,       // [label]
  label,      // [label]
  lock,       // [mutex]
  unlock,     // [mutex]
  wait,       // [condition, mutex]
  signal,     // [condition]
  broadcast,  // [condition]
  down,       // [semaphore]
  up,         // [semaphore]
  atomic,     // block
  assume,     // condition
  check,      // [identity] condition
  create,     // [handle, function] argument
  join,       // [handle, local for the result or -1]
  leave,      // value: pthread_exit
  spin,       // [form] condition: while (!condition);
  quit,       // exit(0)
};

enum Operator { plus, minus, bit_and, bit_or, bit_xor, equal, different, less, at_most };

struct Node {
  Kind kind = Kind::number;
  int a = 0;
  int b = 0;
  std::vector<Node> children{};
};

struct Global {
  enum class Type : std::uint8_t { plain, atomic, array, structure, pointer };
  Type type = Type::plain;
  int first = 0;   // initial values; of a pointer: the cell it leads to
  int second = 0;  // arrays and structures have two
};

inline int cells_of(const Global& global) {
  return global.type == Global::Type::array || global.type == Global::Type::structure ? 2 : 1;
}

struct Function {
  enum class Role : std::uint8_t { main, thread, helper, atomic_helper };
  Role role = Role::helper;
  int parameters = 0;           // of helpers; a thread's is its first local
  int locals = 0;               // parameters included
  std::vector<int> pointers{};  // local ones: the cells they lead to at first
  int handles = 0;
  Node body{Kind::block};
};

struct Program {
  std::vector<Global> globals{};
  int mutexes = 0;
  int conditions = 0;
  std::vector<int> semaphores{};      // initial values
  std::vector<Function> functions{};  // the first one is main
};

// The first cell of each global.
std::vector<int> cells(const Program& program);
std::string to_c(const Program& program);
// narrow: with little shared memory, and nothing that is reached by pointers.
Program random_program(std::uint64_t seed, bool narrow = false);

}  // namespace thrum::seq::random
