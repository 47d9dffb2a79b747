// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A boolean program as code: every name looked up, every structured statement taken apart into instructions
// that say where control goes next. All engines run this form.
//
// An instruction is one step of a thread: nothing of another thread comes between its evaluation and its
// effect. A thread stands before an instruction; the places in the code are counted through all procedures.
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
    assertion,     // values[0]: where it may be false, the program fails
    assign,        // targets := values, at once, and only so that constraint holds behind it
    branch,        // to next[0] if values[0], else to next[1]
    jump,          // to any of next
    call,          // targets := procedure(values); goes on at next[0]
    give_back,     // values
    start_thread,  // at `entry`, with a copy of the locals, or with values as the procedure's parameters
    end_thread,
    join,  // targets[0]
    atomic_begin,
    atomic_end,
    wait,       // until another thread broadcasts
    broadcast,  // all that wait go on
  };

  Kind kind = Kind::skip;
  std::uint32_t procedure = 0;  // that it belongs to
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
  std::vector<Expression> enforce{};  // all hold wherever the procedure goes on
  Pc entry = 0;
  // The procedure whose frame it works on, where that is not its own: it was inlined there (inline.hpp).
  std::optional<std::uint32_t> frame_of{};
};

struct Flow {
  std::vector<Declaration> globals{};
  std::vector<Procedure> procedures{};
  std::vector<Instruction> code{};
  // Threads that are there from the beginning: procedures without parameters.
  std::vector<std::uint32_t> threads{};
  // Runs to its end before them.
  std::optional<std::uint32_t> init{};
  // Procedures may have instructions in common, and need not lie one behind the other.
  bool shares_code = false;
  // Globals that keep other threads from moving while they are true: `atomic` of Getafix.
  std::vector<std::uint32_t> atomic_globals{};

  const Declaration& declaration(Variable variable, std::uint32_t procedure) const {
    return variable.is_global ? globals[variable.index] : procedures[procedure].locals[variable.index];
  }
  bool uses(Instruction::Kind kind) const;
  // The instructions that carry the label, in any procedure.
  std::vector<Pc> labelled(const std::string& label) const;
};

// threads: names of procedures; empty: as the file says, which is `main`, or, in a file of Getafix's, each
// function that no other one calls. Throws InputError for what is no correct program.
Flow to_flow(const Program& program, const std::vector<std::string>& threads);

}  // namespace thrum::bp
