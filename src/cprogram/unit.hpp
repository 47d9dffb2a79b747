// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole program while it is translated: its globals, and the functions that are called from main. What is
// not reached from there is not looked at.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cprogram/storage.hpp"

namespace thrum::cprogram {

// A function as a boolean program calls it.
struct Callee {
  std::string name;
  CXCursor definition{};
  // The function is called inside an atomic section only; sections of its own do nothing.
  bool in_atomic = false;
  // Nothing for one that the function never looks at, and that is not passed then.
  std::vector<std::optional<Scalar>> parameters{};
  std::optional<Scalar> result{};
};

class Unit {
 public:
  Unit(const Tree& tree, std::size_t bits);

  const Types& types() const { return types_; }
  bool is_global_name(const std::string& name) const { return global_names_.contains(name); }

  // Of a variable outside functions, or a static one in a function.
  const Variable& global(CXCursor declaration, const std::string& function);
  // function: one that has a definition. The result stays where it is.
  const Callee& callee(CXCursor function, bool in_atomic);

  // The whole program, by a translation of each function, which may ask for further callees.
  using TranslateFunction = std::function<bp::Function(const Callee&)>;
  bp::Program program(const TranslateFunction& translate_function);

 private:
  void initialise(const Variable& variable, CXCursor declaration);
  void begin_with_globals(bp::Function& main) const;

  CXCursor root_;
  Types types_;
  std::set<std::string> global_names_;
  CursorMap<Variable> globals_;
  bp::Program program_;
  bp::Statement first_;  // gives the globals their values
  std::map<std::pair<std::string, bool>, const Callee*> by_name_;
  std::deque<Callee> callees_;
};

// The value of a constant in a type. Throws SourceError where it does not fit.
Bits constant_in(const Scalar& type, std::int64_t value, CXCursor where);

}  // namespace thrum::cprogram
