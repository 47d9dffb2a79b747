// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The statements of one function of a boolean program, while they are made: blocks, labels, and the variables
// that hold intermediate values.
//
// Intermediate values live in a scope, which is a full expression of C. Behind it their variables are set to
// false, so that no state differs from another by what is left in them, and are taken again.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cprogram/bit_vector.hpp"

namespace thrum::cprogram {

class CodeBuilder : public Scratch {
 public:
  // Makes the function's body, and its locals.
  explicit CodeBuilder(bp::Function& function) : function_(function), block_(&function.body) {}

  // Where the statements to come stand in the C file.
  void at(bp::Position where) { where_ = where; }

  void emit(bp::Statement statement);
  void emit(bp::Statement::Kind kind);
  void assign(const std::vector<std::string>& targets, Bits values);
  void assertion(Bit holds);
  void assume(Bit holds);
  void go_to(const std::string& label);
  void choice(Bit condition, bp::Block yes, bp::Block no);
  // Of the statement that comes next.
  void label(const std::string& name) { labels_.push_back({name, where_}); }
  std::string new_label() { return "L$" + std::to_string(next_label_++); }
  // What `make` emits, as a block of its own.
  bp::Block nested(const std::function<void()>& make);
  // Emits a block that nested() gave.
  void append(bp::Block block);

  // Variables for intermediate values, whatever they hold.
  Bits fresh(std::size_t count);
  // Those of fresh() that were not used.
  void give_up(const Bits& unused);
  Bits store(Bits values) override;
  void release(const Bits& stored) override;

  void begin_scope() { scopes_.emplace_back(); }
  // Emits what forgets the scope's intermediate values.
  void end_scope();
  // The same as a statement for the caller to place, where there are any.
  std::optional<bp::Statement> closed_scope();
  // Where nothing comes behind that could tell.
  void drop_scope() { closed_scope(); }

 private:
  bp::Function& function_;
  bp::Block* block_;
  bp::Position where_{};
  std::vector<bp::Name> labels_;
  std::size_t next_label_ = 0;
  // By which bit of a value they hold, so that those of a value are like those of any other.
  std::map<std::size_t, std::size_t> temporaries_;  // how many there are
  std::map<std::size_t, std::set<std::string>> free_;
  std::vector<std::set<std::string>> scopes_;
};

// Declares bits of the same place in their numbers next to each other: diagrams of sums and comparisons,
// which follow the order of declarations, stay small.
void interleave(std::vector<bp::Declaration>& declarations);
// Which bit of a number the variable is.
std::size_t place_of(const std::string& name);

std::vector<std::string> names_of(const Bits& variables);
Bits variables_of(const std::vector<std::string>& names);

}  // namespace thrum::cprogram
