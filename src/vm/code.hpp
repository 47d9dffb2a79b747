// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program in the form that the machine runs: functions as arrays of instructions of 16 bytes, whose
// operands are slots of the function's frame (operations.def). The reader of bitcode makes it (bitcode/), and
// nothing changes it afterwards, except that a function is decoded when it is first called.
//
// A value of up to 64 bits, an address or a float is one slot; 128 bits and a long double are two, the low
// half first; a struct, an array or a vector is one after the other of its elements.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/event.hpp"

namespace thrum::vm {

using Slot = std::uint16_t;

enum class Opcode : std::uint16_t {
#define THRUM_VM_OPERATION(name, text) name,
#include "vm/operations.def"
#undef THRUM_VM_OPERATION
  count,
};

std::string_view opcode_name(Opcode opcode);
// What it computes, as operations.def has it.
std::string_view opcode_text(Opcode opcode);

struct Instruction {
  std::uint32_t handler = 0;  // of the operation: its distance from the loop's first one
  Slot d = 0;
  Slot a = 0;
  Slot b = 0;
  Slot c = 0;
  std::int32_t immediate = 0;
};
static_assert(sizeof(Instruction) == 16);

struct Function;

// Where an exception goes in a function that called something.
struct LandingPad {
  std::uint32_t target = 0;  // the instruction there
  Slot exception = 0;        // gets its address
  Slot selector = 0;
  bool cleanup = false;
  struct Clause {
    bool is_filter = false;
    std::uint64_t type = 0;            // of a catch clause: address of its type; 0: all
    std::vector<std::uint64_t> types;  // of a filter: those that pass
  };
  std::vector<Clause> clauses;
};

struct CallSite {
  static constexpr std::uint32_t kNoPad = ~std::uint32_t{0};

  Function* callee = nullptr;  // nullptr: by address
  std::vector<Slot> arguments;
  // Of a call of a function with variable arguments: how many of `arguments` are fixed, and how each other
  // value lies in memory.
  std::uint32_t fixed = 0;
  struct Variable {
    std::uint8_t slots = 1;
    std::uint8_t slot_bytes = 8;  // the elements of a vector lie side by side
    bool aligned16 = false;
    std::uint32_t bytes = 0;  // not 0: the slot has the address of so many bytes, which are the argument
    // A whole number of words.
    std::uint64_t size() const {
      return ((bytes != 0 ? bytes : slots * slot_bytes) + 7U) & ~std::uint64_t{7};
    }
  };
  std::vector<Variable> variable;
  Slot result = 0;
  std::uint16_t results = 0;           // slots
  std::uint32_t landing_pad = kNoPad;  // in Function::pads
  bool takes_variable = false;
  bool cannot_unwind = false;  // an exception that leaves it ends the program
};

// An atomic operation that is a visible one.
struct AtomicSite {
  Operation operation = Operation::load;
  Update update = Update::exchange;
  std::uint8_t size = 0;   // bytes; 16: two slots each
  std::uint8_t order = 0;  // as __ATOMIC_SEQ_CST and so on
  std::uint8_t order_if_failed = 0;
  bool is_volatile =
      false;  // a plain access to a volatile object: a visible operation that synchronizes nothing
  bool expected_in_memory = false;  // of a compare-exchange: `value` is the expected value's address
  Slot address = 0;
  Slot value = 0;    // to store, to combine with; of a compare-exchange: expected
  Slot desired = 0;  // of a compare-exchange
  Slot result = 0;
};

struct SwitchTable {
  // Where the values are dense: targets of first, first + 1 …; else sorted values with their targets.
  std::uint64_t first = 0;
  std::vector<std::uint32_t> dense;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> sparse;
  std::uint32_t otherwise = 0;
};

// A place in the source, with the functions that were inlined there.
struct SourceLocation {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t function = 0;  // its name, in Code::texts
  std::uint32_t file = 0;      // in Code::texts
  std::uint32_t line = 0;      // 0: not known
  std::uint32_t column = 0;
  std::uint32_t inlined_at = kNone;  // in Code::locations
};

struct Function {
  std::string name;
  std::uint32_t number = 0;
  bool is_defined = false;
  bool has_body = false;  // a library defines it; the machine may do it all the same
  // Its atomic operations and accesses are no events, as those of a library that is not instrumented.
  bool is_quiet = false;
  bool is_section = false;  // it is an atomic section as a whole
  bool takes_variable = false;
  bool cannot_unwind = false;
  std::uint32_t external = 0;  // of one that is not defined: what it is to the machine (externals)

  // From here on: once it is decoded.
  bool is_decoded = false;
  std::uint32_t slots = 0;  // of its frame: parameters, then constants, then the others
  std::uint32_t parameters = 0;
  Slot variable_arguments = 0;  // takes_variable: the slot with their address
  std::vector<std::uint64_t> constants;
  std::vector<Instruction> code;
  std::vector<Opcode> opcodes;           // of the code
  std::vector<std::uint32_t> locations;  // of the code, in Code::locations
  std::vector<CallSite> calls;
  std::vector<AtomicSite> atomics;
  std::vector<SwitchTable> switches;
  std::vector<std::vector<Slot>> lists;
  std::vector<LandingPad> pads;
  // Variables in its frame.
  struct Local {
    Slot address = 0;  // holds it
    std::uint64_t size = 0;
    std::string of;  // the function that declares it, which may be inlined here
    std::string name;
  };
  std::vector<Local> locals;

  std::string text() const;  // for people who debug the decoder
};

// A variable that is not of a function, as the program's memory has it before it runs.
struct Variable {
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  bool is_constant = false;
  bool is_thread_local = false;  // address: in the thread-local storage
};

struct Code {
  std::vector<std::unique_ptr<Function>> functions;  // by number
  std::vector<Variable> variables;                   // by address
  // What memory holds at first.
  struct Content {
    std::uint64_t address = 0;
    std::vector<std::uint8_t> bytes;
  };
  std::vector<Content> contents;
  std::vector<std::uint8_t> thread_local_content;  // of each thread's storage
  std::uint64_t thread_local_alignment = 16;
  std::vector<Function*> constructors;  // in the order in which they run before main
  std::vector<Function*> destructors;   // in the order in which they run at exit
  Function* main = nullptr;
  Function* match_exception = nullptr;           // of the C++ library; nullptr: no exceptions
  std::vector<std::int64_t> compared_constants;  // which inputs should have as values (inputs.hpp)
  std::vector<std::string> texts;
  std::vector<SourceLocation> locations;
  // Makes a function's code. Throws Refused for code that the machine does not run.
  std::function<void(Function&)> decode;

  Function* find(std::string_view name) const;
};

// What cannot be run: one line for the user.
struct Refused {
  std::string why;
  std::string
      missing{};  // the function or variable, as the linker knows it, that has no definition; or empty
};

}  // namespace thrum::vm
