// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow.
#include <algorithm>
#include <utility>

#include "cprogram/function_translator.hpp"

namespace thrum::cprogram {

using Kind = bp::Statement::Kind;

namespace {

bool contains_label(CXCursor tree) {
  if (clang_getCursorKind(tree) == CXCursor_LabelStmt) return true;
  std::vector<CXCursor> children = children_of(tree);
  return std::any_of(children.begin(), children.end(), contains_label);
}

// The case and default statements of a switch, without those of a switch inside.
void find_cases(CXCursor tree, std::vector<CXCursor>& into) {
  for (CXCursor child : children_of(tree)) {
    CXCursorKind kind = clang_getCursorKind(child);
    if (kind == CXCursor_SwitchStmt) continue;
    if (kind == CXCursor_CaseStmt || kind == CXCursor_DefaultStmt) into.push_back(child);
    find_cases(child, into);
  }
}

}  // namespace

FunctionTranslator::FunctionTranslator(Unit& unit, const Callee& callee)
    : unit_(unit), callee_(callee), code_(function_), arithmetic_(code_) {
  base_depth_ = callee.in_atomic || name_of(callee.definition).starts_with("__VERIFIER_atomic_") ? 1 : 0;
}

bp::Function FunctionTranslator::function() {
  CXCursor body = body_of(callee_.definition).value();
  bool owns_section = base_depth_ == 1 && !callee_.in_atomic;
  function_.name = {callee_.name, position_of(callee_.definition)};
  function_.results = static_cast<std::uint32_t>(callee_.result ? callee_.result->width : 0);
  runs_again_ = contains_label(body);
  std::vector<CXCursor> parameters = arguments_of(callee_.definition);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (callee_.parameters[i]) declare_local(parameters[i]);
  }
  function_.parameters = std::exchange(function_.locals, {});
  code_.at(function_.name.where);
  control_.depth = base_depth_;
  code_.append(code_.nested([&] {
    if (owns_section) code_.emit(Kind::atomic_begin);
    compound(body);
    if (control_.live && control_.depth != base_depth_) {
      throw unsupported(callee_.definition, "an atomic section that ends behind its function",
                        "end it in the function");
    }
    if (owns_section && control_.live) code_.emit(Kind::atomic_end);
  }));
  interleave(function_.locals);
  function_.end = function_.body.empty() ? function_.name.where : function_.body.back().where;
  return std::move(function_);
}

void FunctionTranslator::statement(CXCursor cursor) {
  code_.at(position_of(cursor));
  switch (clang_getCursorKind(cursor)) {
    case CXCursor_NullStmt: return;
    case CXCursor_CompoundStmt: return compound(cursor);
    case CXCursor_DeclStmt:
      for (CXCursor child : children_of(cursor)) {
        if (clang_getCursorKind(child) == CXCursor_VarDecl) declare(child);
      }
      return;
    case CXCursor_IfStmt: return branch(cursor);
    case CXCursor_WhileStmt: {
      std::vector<CXCursor> parts = children_of(cursor);
      return loop(cursor, parts[0], std::nullopt, parts[1]);
    }
    case CXCursor_DoStmt: return do_loop(cursor);
    case CXCursor_ForStmt: return for_loop(cursor);
    case CXCursor_SwitchStmt: return choose_case(cursor);
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt: return case_label(cursor);
    case CXCursor_BreakStmt:
    case CXCursor_ContinueStmt:
    case CXCursor_GotoStmt: return jump(cursor);
    case CXCursor_LabelStmt: return labelled(cursor);
    case CXCursor_ReturnStmt: return give_back(cursor);
    default: break;
  }
  if (clang_isExpression(clang_getCursorKind(cursor)) == 0) {
    throw unsupported(cursor, "this kind of statement (" + kind_of(cursor) + ")",
                      "write it with if, while and goto");
  }
  code_.begin_scope();
  effect(cursor);
  code_.end_scope();
}

void FunctionTranslator::compound(CXCursor cursor) {
  for (CXCursor child : children_of(cursor)) statement(child);
}

// --- Conditions ---

// Control comes here from two sides.
void FunctionTranslator::meet(CXCursor where, const Control& other) {
  if (!other.live) return;
  if (control_.live && control_.depth != other.depth) {
    throw unsupported(where, "an atomic section that only one of two ways begins or ends",
                      "begin and end it on both");
  }
  control_ = other;
}

void FunctionTranslator::decide(CXCursor condition, const std::function<void()>& yes,
                                const std::function<void()>& no) {
  code_.begin_scope();
  Bit holds = truth(condition);
  std::optional<bp::Statement> resets = code_.closed_scope();
  Control before = control_;
  auto arm = [&](const std::function<void()>& make) {
    return code_.nested([&] {
      if (resets) code_.emit(*resets);
      make();
    });
  };
  bp::Block if_so = arm(yes);
  Control behind = std::exchange(control_, before);
  bp::Block if_not = arm(no);
  meet(condition, behind);
  code_.choice(std::move(holds), std::move(if_so), std::move(if_not));
}

void FunctionTranslator::branch(CXCursor cursor) {
  std::vector<CXCursor> parts = children_of(cursor);
  decide(
      parts[0], [&] { statement(parts[1]); },
      [&] {
        if (parts.size() > 2) statement(parts[2]);
      });
}

// --- Loops ---

void FunctionTranslator::loop_body(CXCursor body, const Jumps& jumps) {
  bool ran_again = std::exchange(runs_again_, true);
  jumps_.push_back(jumps);
  statement(body);
  jumps_.pop_back();
  runs_again_ = ran_again;
  meet(body, {true, jumps.depth});
}

void FunctionTranslator::loop(CXCursor cursor, std::optional<CXCursor> condition,
                              std::optional<CXCursor> step, CXCursor body) {
  std::string head = code_.new_label();
  Jumps jumps{code_.new_label(), code_.new_label(), control_.depth};
  code_.label(head);
  bool endless = !condition || constant_of(*condition).value_or(0) != 0;
  if (!endless) {
    decide(
        *condition, [] {}, [&] { code_.go_to(jumps.out); });
  }
  loop_body(body, jumps);
  code_.label(*jumps.on);
  if (step) {
    code_.at(position_of(*step));
    code_.begin_scope();
    effect(*step);
    code_.end_scope();
  }
  code_.at(position_of(cursor));
  code_.go_to(head);
  code_.label(jumps.out);
}

void FunctionTranslator::do_loop(CXCursor cursor) {
  std::vector<CXCursor> parts = children_of(cursor);
  std::string head = code_.new_label();
  Jumps jumps{code_.new_label(), code_.new_label(), control_.depth};
  code_.label(head);
  loop_body(parts[0], jumps);
  code_.label(*jumps.on);
  bool once = constant_of(parts[1]).value_or(1) == 0;
  if (!once) {
    code_.at(position_of(parts[1]));
    decide(
        parts[1], [&] { code_.go_to(head); }, [] {});
  }
  code_.label(jumps.out);
}

void FunctionTranslator::for_loop(CXCursor cursor) {
  ForParts parts = parts_of_for(cursor);
  if (parts.first) statement(*parts.first);
  code_.at(position_of(cursor));
  loop(cursor, parts.condition, parts.step, parts.body);
}

// --- Switches ---

void FunctionTranslator::choose_case(CXCursor cursor) {
  std::vector<CXCursor> parts = children_of(cursor);
  Jumps jumps{std::nullopt, code_.new_label(), control_.depth};
  code_.begin_scope();
  Scalar type = unit_.types().scalar(clang_getCursorType(parts[0]), parts[0]);
  Bits chosen = arithmetic_.hold(value_as(parts[0], type).bits);
  std::optional<bp::Statement> resets = code_.closed_scope();
  auto leave = [&](const std::string& label) {
    return code_.nested([&] {
      if (resets) code_.emit(*resets);
      code_.go_to(label);
    });
  };
  std::vector<CXCursor> cases;
  find_cases(parts[1], cases);
  bp::Statement choice{.kind = Kind::choice};
  std::string otherwise = jumps.out;
  for (CXCursor one : cases) {
    std::string label = cases_[one] = code_.new_label();
    std::vector<CXCursor> inside = children_of(one);
    if (clang_getCursorKind(one) == CXCursor_DefaultStmt) {
      otherwise = label;
      continue;
    }
    std::optional<std::int64_t> number = constant_of(inside[0]);
    if (!number || inside.size() != 2) {
      throw unsupported(one, "a case that is no single constant", "write a case for each constant");
    }
    choice.arms.push_back({arithmetic_.equal(chosen, constant_in(type, *number, inside[0])), leave(label)});
  }
  choice.otherwise = leave(otherwise);
  choice.has_otherwise = true;
  if (choice.arms.empty()) {
    code_.append(std::move(choice.otherwise));
  } else {
    code_.emit(std::move(choice));
  }
  control_.live = false;
  jumps_.push_back(jumps);
  statement(parts[1]);
  jumps_.pop_back();
  meet(cursor, {true, jumps.depth});
  code_.label(jumps.out);
}

void FunctionTranslator::case_label(CXCursor cursor) {
  auto of_switch = std::find_if(jumps_.rbegin(), jumps_.rend(), [](const Jumps& jumps) { return !jumps.on; });
  meet(cursor, {true, of_switch->depth});
  code_.label(cases_.at(cursor));
  statement(children_of(cursor).back());
}

// --- Jumps ---

void FunctionTranslator::leave_to(CXCursor where, const std::string& label, int depth) {
  if (control_.live && control_.depth != depth) {
    throw unsupported(where, "a jump into or out of an atomic section", "end the section before the jump");
  }
  code_.go_to(label);
  control_.live = false;
}

void FunctionTranslator::jump(CXCursor cursor) {
  CXCursorKind kind = clang_getCursorKind(cursor);
  if (kind == CXCursor_GotoStmt) {
    std::string name = name_of(children_of(cursor).at(0));
    return leave_to(cursor, safe_name(name), label_depths_.emplace(name, control_.depth).first->second);
  }
  if (kind == CXCursor_BreakStmt) return leave_to(cursor, jumps_.back().out, jumps_.back().depth);
  auto of_loop =
      std::find_if(jumps_.rbegin(), jumps_.rend(), [](const Jumps& jumps) { return jumps.on.has_value(); });
  leave_to(cursor, *of_loop->on, of_loop->depth);
}

void FunctionTranslator::labelled(CXCursor cursor) {
  std::string name = name_of(cursor);
  int depth = label_depths_.emplace(name, control_.live ? control_.depth : base_depth_).first->second;
  meet(cursor, {true, depth});
  code_.label(safe_name(name));
  statement(children_of(cursor).back());
}

void FunctionTranslator::give_back(CXCursor cursor) {
  std::vector<CXCursor> given = children_of(cursor);
  bp::Statement statement{.kind = Kind::give_back};
  code_.begin_scope();
  if (!given.empty() && callee_.result) {
    statement.values = value_as(given[0], *callee_.result).bits;
  } else if (!given.empty()) {
    effect(given[0]);
  }
  if (control_.live && control_.depth != base_depth_) {
    throw unsupported(cursor, "a return out of an atomic section", "end the section before it");
  }
  if (base_depth_ == 1 && !callee_.in_atomic) code_.emit(Kind::atomic_end);
  code_.emit(std::move(statement));
  code_.drop_scope();
  control_.live = false;
}

void FunctionTranslator::begin_atomic() {
  if (control_.depth++ == 0) code_.emit(Kind::atomic_begin);
}

void FunctionTranslator::end_atomic(CXCursor where) {
  if (control_.depth <= base_depth_) {
    throw unsupported(where, "the end of an atomic section that does not begin in this function",
                      "begin it here");
  }
  if (--control_.depth == 0) code_.emit(Kind::atomic_end);
}

// --- Declarations ---

std::string FunctionTranslator::local_name(const std::string& name) {
  std::string unique = safe_name(name);
  for (int i = 2; unit_.is_global_name(unique) || !local_names_.insert(unique).second; ++i) {
    unique = name + "$$" + std::to_string(i);
  }
  return unique;
}

Variable& FunctionTranslator::declare_local(CXCursor declaration) {
  std::string name = local_name(name_of(declaration));
  Variable variable{.cells = unit_.types().layout(clang_getCursorType(declaration), name, declaration)};
  for (const Cell& cell : variable.cells) {
    for (const std::string& bit : cell.names) {
      function_.locals.push_back({{bit, position_of(declaration)}, cell.type.kind == Scalar::Kind::thread});
    }
  }
  return locals_.emplace(clang_getCanonicalCursor(declaration), std::move(variable)).first->second;
}

void FunctionTranslator::declare(CXCursor declaration) {
  CX_StorageClass storage = clang_Cursor_getStorageClass(declaration);
  if (storage == CX_SC_Static || storage == CX_SC_Extern) return;
  const Variable& variable = declare_local(declaration);
  code_.at(position_of(declaration));
  CXCursor initialiser = clang_Cursor_getVarDeclInitializer(declaration);
  if (clang_Cursor_isNull(initialiser) == 0) return initialise(variable, declaration, initialiser);
  if (!runs_again_) return;  // a function's locals are arbitrary from the beginning
  for (const Cell& cell : variable.cells) {
    if (cell.type.kind == Scalar::Kind::integer)
      code_.assign(cell.names, Bits(cell.names.size(), arbitrary()));
  }
}

void FunctionTranslator::initialise(const Variable& variable, CXCursor declaration, CXCursor expression) {
  CXType type = clang_getCursorType(declaration);
  bool is_integer = variable.cells.size() != 1 || variable.cells[0].type.kind == Scalar::Kind::integer;
  std::vector<std::optional<CXCursor>> values(1);
  if (is_integer) values = unit_.types().initialisers(type, expression);
  for (std::size_t i = 0; i < variable.cells.size(); ++i) {
    const Cell& cell = variable.cells[i];
    if (cell.type.kind == Scalar::Kind::thread) continue;
    code_.begin_scope();
    Bits bits = constant_bits(0, cell.type.width);
    if (values[i] && cell.type.kind == Scalar::Kind::integer) bits = value_as(*values[i], cell.type).bits;
    code_.assign(cell.names, std::move(bits));
    code_.end_scope();
  }
}

}  // namespace thrum::cprogram
