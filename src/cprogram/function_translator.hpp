// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One function of C becomes one of a boolean program. statements.cpp has control flow, expressions.cpp what
// is computed, places.cpp variables that are read and written, calls.cpp functions, threads and mutexes.
//
// A value that is computed is a row of expressions over locals only. A C local is not copied for it: C leaves
// open what happens where it is changed before the value is used and nothing is sequenced in between, and
// where something is (&&, ||, ?:), the value is stored.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cprogram/code_builder.hpp"
#include "cprogram/unit.hpp"

namespace thrum::cprogram {

class FunctionTranslator {
 public:
  FunctionTranslator(Unit& unit, const Callee& callee);
  bp::Function function();

 private:
  // --- statements.cpp ---

  // In how many atomic sections control is here, if it gets here at all.
  struct Control {
    bool live = true;
    int depth = 0;
  };
  struct Jumps {
    std::optional<std::string> on;  // continue; none of a switch
    std::string out;                // break
    int depth = 0;
  };
  void statement(CXCursor cursor);
  void compound(CXCursor cursor);
  void branch(CXCursor cursor);
  void loop(CXCursor cursor, std::optional<CXCursor> condition, std::optional<CXCursor> step, CXCursor body);
  void do_loop(CXCursor cursor);
  void for_loop(CXCursor cursor);
  void choose_case(CXCursor cursor);
  void case_label(CXCursor cursor);
  void jump(CXCursor cursor);
  void labelled(CXCursor cursor);
  void give_back(CXCursor cursor);
  void declare(CXCursor variable);
  void initialise(const Variable& variable, CXCursor declaration, CXCursor expression);
  // Both ways behind the condition, each with what the block makes.
  void decide(CXCursor condition, const std::function<void()>& yes, const std::function<void()>& no);
  void loop_body(CXCursor body, const Jumps& jumps);
  void meet(CXCursor where, const Control& other);
  void leave_to(CXCursor where, const std::string& label, int depth);
  void begin_atomic();
  void end_atomic(CXCursor where);

  // --- expressions.cpp ---

  struct Value {
    Bits bits;  // none: of type void
    bool is_signed = false;
  };
  // wanted: else only what the expression does matters, and the value is anything.
  Value value(CXCursor cursor, bool wanted = true);
  void effect(CXCursor cursor) { value(cursor, false); }
  Value converted(Value from, const Scalar& to, CXCursor where);
  Value value_as(CXCursor cursor, const Scalar& type) { return converted(value(cursor), type, cursor); }
  Bit truth(CXCursor cursor);
  Value from_bit(Bit bit, CXCursor cursor);
  Value literal(std::int64_t value, CXCursor cursor);
  Value cast(CXCursor cursor, bool wanted);
  Value unary(CXCursor cursor, bool wanted);
  Value step(CXCursor cursor, bool up, bool before, bool wanted);
  Value binary(CXCursor cursor, bool wanted);
  Value compute(CXBinaryOperatorKind kind, Value a, Value b, CXCursor cursor);
  Value divide(CXBinaryOperatorKind kind, const Value& a, const Value& b, CXCursor cursor);
  Value logical(CXCursor cursor);
  Value conditional_value(CXCursor cursor, bool wanted);
  Value assignment(CXCursor cursor, bool wanted);
  Value compound_assignment(CXCursor cursor, bool wanted);
  Value block_value(CXCursor cursor, bool wanted);

  // --- places.cpp ---

  // Where something of a type is: cells of a variable, each with what the indices have to be for it.
  struct Place {
    const Variable* variable = nullptr;
    CXType type{};
    struct Choice {
      Bit guard;
      std::size_t cell = 0;  // the first
    };
    std::vector<Choice> choices{};
    const Cell& cell(const Choice& choice) const { return variable->cells[choice.cell]; }
  };
  Place place(CXCursor cursor);
  Place element(CXCursor cursor);
  Place field(CXCursor cursor);
  const Variable& variable_of(CXCursor reference);
  Scalar integer_at(const Place& place, CXCursor where) const;
  Value read(const Place& place, CXCursor where);
  // Gives the value that is then there, if that is wanted.
  Value write(const Place& place, Value value, bool wanted, CXCursor where);
  // For each cell that it may be, under its guard.
  void each(const Place& place, const std::function<void(const Cell&)>& make);

  // --- calls.cpp ---

  using Arguments = std::vector<CXCursor>;
  Value call(CXCursor cursor, bool wanted);
  Value call_defined(CXCursor cursor, CXCursor function, bool wanted);
  bool call_known(const std::string& name, const Arguments& arguments, CXCursor cursor, Value& result);
  bool call_thread(const std::string& name, const Arguments& arguments, CXCursor cursor);
  bool call_mutex(const std::string& name, const Arguments& arguments, CXCursor cursor, Value& result);
  void start_thread(const Arguments& arguments, CXCursor cursor);
  Bits passed(const Callee& callee, const Arguments& arguments, CXCursor cursor);
  Place behind_address(CXCursor argument, Scalar::Kind wanted, const char* what);
  void lock(const Place& mutex);
  void effects(const Arguments& arguments);
  Value arbitrary_value(CXCursor cursor);

  std::string local_name(const std::string& name);
  Variable& declare_local(CXCursor declaration);

  Unit& unit_;
  const Callee& callee_;
  bp::Function function_;
  CodeBuilder code_;
  Arithmetic arithmetic_;
  CursorMap<Variable> locals_;
  std::set<std::string> local_names_;
  bool runs_again_ = false;  // control may come back to a declaration
  Control control_;
  int base_depth_ = 0;  // of atomic sections, in which the function's own statements are
  std::vector<Jumps> jumps_;
  CursorMap<std::string> cases_;
  std::map<std::string, int> label_depths_;
};

}  // namespace thrum::cprogram
