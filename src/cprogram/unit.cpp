// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cprogram/unit.hpp"

#include "cprogram/code_builder.hpp"

namespace thrum::cprogram {

namespace {

// Of a number in two's complement, or without a sign.
std::size_t width_needed(std::int64_t value, bool is_signed) {
  std::size_t width = is_signed ? 1 : 0;
  auto rest = static_cast<std::uint64_t>(is_signed && value < 0 ? ~value : value);
  for (; rest != 0; rest >>= 1U) ++width;
  return width;
}

std::optional<CXCursor> initialiser_of(CXCursor variable) {
  CXCursor initialiser = clang_Cursor_getVarDeclInitializer(variable);
  if (clang_Cursor_isNull(initialiser) != 0) return std::nullopt;
  return initialiser;
}

}  // namespace

Bits constant_in(const Scalar& type, std::int64_t value, CXCursor where) {
  if (type.is_bool) return {constant(value != 0)};
  std::size_t needed = width_needed(value, type.is_signed);
  if (needed > type.width) {
    std::string advice = needed <= 64 && !(value < 0 && !type.is_signed)
                             ? "translate with --bits " + std::to_string(needed + (type.is_narrow ? 1 : 0))
                             : "write a smaller one";
    throw unsupported(where,
                      "the constant " + std::to_string(value) + " in " + std::to_string(type.width) +
                          " bits, into which it does not fit,",
                      advice);
  }
  return constant_bits(value, type.width);
}

Unit::Unit(const Tree& tree, std::size_t bits) : root_(tree.root()), types_(bits) {
  for (CXCursor child : children_of(root_)) {
    if (clang_getCursorKind(child) == CXCursor_VarDecl) global_names_.insert(safe_name(name_of(child)));
  }
  first_.kind = bp::Statement::Kind::assign;
}

const Variable& Unit::global(CXCursor declaration, const std::string& function) {
  CXCursor key = clang_getCanonicalCursor(declaration);
  if (auto found = globals_.find(key); found != globals_.end()) return found->second;
  CXCursor definition = clang_getCursorDefinition(declaration);
  bool is_defined = clang_Cursor_isNull(definition) == 0;
  if (!is_defined) definition = declaration;
  if (!is_defined && clang_Cursor_getStorageClass(key) == CX_SC_Extern) {
    throw unsupported(declaration, "'" + name_of(declaration) + "', which this file does not define,",
                      "define it");
  }
  if (clang_getCursorTLSKind(definition) != CXTLS_None) {
    throw unsupported(definition, "a variable of which each thread has its own", "pass it as a parameter");
  }
  std::string name = safe_name(name_of(definition));
  if (!function.empty()) {
    name = function + "$$" + name;
    while (!global_names_.insert(name).second) name += '$';
  }
  Variable variable{.is_global = true,
                    .cells = types_.layout(clang_getCursorType(definition), name, definition)};
  const Variable& stored = globals_.emplace(key, std::move(variable)).first->second;
  initialise(stored, definition);
  return stored;
}

void Unit::initialise(const Variable& variable, CXCursor declaration) {
  std::vector<std::optional<CXCursor>> values(variable.cells.size());
  if (auto expression = initialiser_of(declaration)) {
    if (variable.cells.size() != 1 || variable.cells[0].type.kind == Scalar::Kind::integer) {
      values = types_.initialisers(clang_getCursorType(declaration), *expression);
    }
  }
  for (std::size_t i = 0; i < variable.cells.size(); ++i) {
    const Cell& cell = variable.cells[i];
    bool is_thread = cell.type.kind == Scalar::Kind::thread;
    Bits bits = constant_bits(0, cell.type.width);
    if (values[i] && cell.type.kind == Scalar::Kind::integer) {
      auto value = constant_of(without_casts(*values[i]));
      if (auto whole = constant_of(*values[i])) value = whole;
      if (!value) throw unsupported(*values[i], "this as the first value of a global", "assign it in main");
      bits = constant_in(cell.type, *value, *values[i]);
    }
    for (std::size_t k = 0; k < cell.names.size(); ++k) {
      bp::Name name{cell.names[k], position_of(declaration)};
      program_.globals.push_back({name, is_thread});
      if (is_thread) continue;
      first_.targets.push_back(name);
      first_.values.push_back(bits[k]);
    }
  }
}

const Callee& Unit::callee(CXCursor function, bool in_atomic) {
  CXCursor definition = clang_getCursorDefinition(function);
  std::string name = name_of(function);
  if (auto found = by_name_.find({name, in_atomic}); found != by_name_.end()) return *found->second;
  Callee callee{.name = safe_name(name) + (in_atomic ? "$atomic" : ""),
                .definition = definition,
                .in_atomic = in_atomic};
  CXCursor body = body_of(definition).value();
  if (clang_Cursor_isVariadic(definition) != 0) {
    throw unsupported(definition, "a function with a variable number of arguments",
                      "write it with a fixed number");
  }
  for (CXCursor parameter : arguments_of(definition)) {
    bool used = refers_to(body, parameter);
    callee.parameters.push_back(used ? std::optional(types_.scalar(clang_getCursorType(parameter), parameter))
                                     : std::nullopt);
    if (used && name == "main")
      throw unsupported(parameter, "a parameter of main", "use __VERIFIER_nondet_int()");
  }
  CXType result = clang_getCanonicalType(clang_getCursorResultType(definition));
  bool gives = result.kind != CXType_Void && result.kind != CXType_Pointer && name != "main";
  if (gives) callee.result = types_.scalar(clang_getCursorResultType(definition), definition);
  callees_.push_back(std::move(callee));
  by_name_[{name, in_atomic}] = &callees_.back();
  return callees_.back();
}

// Before main does anything, C has given each global its value.
void Unit::begin_with_globals(bp::Function& main) const {
  if (first_.targets.empty()) return;
  main.body.insert(main.body.begin(), first_);
  main.body.front().where = main.name.where;
}

bp::Program Unit::program(const TranslateFunction& translate_function) {
  std::optional<CXCursor> main;
  for (CXCursor child : children_of(root_)) {
    if (clang_getCursorKind(child) == CXCursor_FunctionDecl && name_of(child) == "main" && body_of(child))
      main = child;
  }
  if (!main) throw error_at(root_, "there is no function 'main' here, with which the program would begin");
  callee(*main, false);
  for (std::size_t i = 0; i < callees_.size(); ++i) {  // which grows on the way
    program_.functions.push_back(translate_function(callees_[i]));
  }
  interleave(program_.globals);
  begin_with_globals(program_.functions[0]);
  return std::move(program_);
}

}  // namespace thrum::cprogram
