// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A boolean program as a control-flow graph: all names are resolved, and structured statements are replaced
// by instructions with successors. All engines run this form.
//
// An instruction is one atomic step of a thread. A thread stands at the instruction that it executes next:
// its place in the code. Places are numbered through all procedures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "boolprog/syntax.hpp"

namespace thrum::bp {

using Pc = std::uint32_t;

struct Instruction {
  enum class Kind : std::uint8_t {
    skip,
    assume,        // values[0]
    assertion,     // values[0]: if it may be false, the program fails
    assign,        // targets := values, simultaneously; only if the constraint holds afterwards
    branch,        // to next[0] if values[0], else to next[1]
    jump,          // to any of next
    call,          // targets := procedure(values); the return continues at next[0]
    give_back,     // values
    start_thread,  // at `entry`, with a copy of the locals, or with values as the procedure's parameters
    end_thread,
    join,  // targets[0]
    atomic_begin,
    atomic_end,
    wait,       // until another thread broadcasts
    broadcast,  // all waiting threads go on
  };

  Kind kind = Kind::skip;
  std::uint32_t procedure = 0;  // to which it belongs
  std::uint32_t callee = 0;     // call; start_thread
  Pc entry = 0;                 // start_thread
  bool copies_locals = false;   // start_thread
  std::vector<Variable> targets{};
  std::vector<Expression> values{};
  std::optional<Expression> constraint{};
  std::vector<Pc> next{};
  std::vector<std::string> labels{};
  Pc source = 0;       // without_calls(): the instruction that this one is a copy of
  std::string text{};  // the statement, in one line
  Position where{};
};

struct Procedure {
  std::string name;
  std::uint32_t parameters = 0;  // the first of `locals`
  std::uint32_t results = 0;
  std::vector<Declaration> locals{};
  std::vector<Expression> enforce{};  // all hold before each step of the procedure
  Pc entry = 0;
  // If the procedure was inlined (inline.hpp): the procedure whose frame it uses.
  std::optional<std::uint32_t> frame_of{};
};

struct Flow {
  std::vector<Declaration> globals{};
  std::vector<Procedure> procedures{};
  std::vector<Instruction> code{};
  // The initial threads: procedures without parameters.
  std::vector<std::uint32_t> threads{};
  // A procedure that runs to its end before the threads begin.
  std::optional<std::uint32_t> init{};
  // Procedures may share instructions, and their code need not be contiguous.
  bool shares_code = false;
  // While one of these globals is true, no other thread may move: `atomic` of Getafix.
  std::vector<std::uint32_t> atomic_globals{};

  const Declaration& declaration(Variable variable, std::uint32_t procedure) const {
    return variable.is_global ? globals[variable.index] : procedures[procedure].locals[variable.index];
  }
  bool uses(Instruction::Kind kind) const;
  // The instructions that carry the label, in any procedure.
  std::vector<Pc> labelled(const std::string& label) const;
};

// threads: names of procedures. Empty: `main`, or, in a file of Getafix, each function that no other one
// calls. Throws InputError if the program is not correct.
Flow to_flow(const Program& program, const std::vector<std::string>& threads);

}  // namespace thrum::bp
