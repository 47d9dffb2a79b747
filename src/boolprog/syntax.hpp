// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The syntax tree of a boolean program, which the parser makes and the printer writes. Names are not resolved
// here; flow.hpp does that.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace thrum::bp {

// A position in a source text, counted from 1.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

// An error in an input, with its position. what() is only the message.
class InputError : public std::runtime_error {
 public:
  InputError(Position where, const std::string& message) : std::runtime_error(message), where_(where) {}
  Position where() const { return where_; }

 private:
  Position where_;
};

// A resolved name: a variable of the program or of the procedure.
struct Variable {
  bool is_global = false;
  std::uint32_t index = 0;

  friend bool operator==(const Variable&, const Variable&) = default;
};

struct Expression {
  enum class Kind : std::uint8_t {
    constant,
    nondeterministic,  // *: each occurrence is a choice of its own, each time it is evaluated
    variable,
    next,  // 'x in a constraint: the value of x after the statement
    negation,
    equal,
    different,
    conjunction,
    exclusive,
    disjunction,
    implication,
    conditional,  // a ? b : c
    choose,       // schoose[p, n]: true if p, else false if n, else arbitrary
  };

  Kind kind = Kind::constant;
  bool value = false;   // constant
  std::string name{};   // variable, next
  Variable variable{};  // of these, once it is resolved
  std::vector<Expression> operands{};
  Position where{};
};

// An identifier and its position.
struct Name {
  std::string text;
  Position where{};
};

struct Declaration {
  Name name;
  bool is_thread = false;  // holds a thread, not a truth value
};

struct Statement;
using Block = std::vector<Statement>;

// An arm of an if.
struct Arm {
  Expression condition;
  Block body;
};

struct Statement {
  enum class Kind : std::uint8_t {
    skip,
    go_to,       // names: the labels
    assume,      // values: one
    assertion,   // values: one
    assign,      // targets := values [constrain constraint]
    call,        // [targets :=] callee(values)
    give_back,   // return values
    choice,      // if: arms, otherwise
    loop,        // while: one arm
    dead,        // targets
    print,       // values
    start_goto,  // start_thread goto names[0]
    start_call,  // [targets[0] :=] start_thread callee(values)
    end_thread,
    join,  // targets[0]
    sync,  // names[0]; without meaning
    atomic_begin,
    atomic_end,
    wait,
    broadcast,
  };

  Kind kind = Kind::skip;
  std::vector<Name> labels{};
  std::vector<Name> targets{};
  std::vector<Name> names{};
  Name callee{};
  std::vector<Expression> values{};
  std::optional<Expression> constraint{};
  std::vector<Arm> arms{};
  Block otherwise{};
  bool has_otherwise = false;
  Position where{};
};

struct Function {
  Name name;
  bool is_dfs = false;  // a hint of old tools, without meaning
  std::uint32_t results = 0;
  std::vector<Declaration> parameters{};
  std::vector<Declaration> locals{};
  std::optional<Expression> enforce{};
  std::optional<Expression> abort_if{};
  Block body{};
  Position end{};
};

struct Program {
  std::vector<Declaration> globals{};
  std::vector<Function> functions{};
};

// Parses a program. Throws InputError if the text is not one.
Program parse(const std::string& text);

// Returns a text that parses to the same program.
std::string to_text(const Program& program);
std::string to_text(const Expression& expression);

}  // namespace thrum::bp
