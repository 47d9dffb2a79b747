// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions: the program's own, those that mean something to a checker, threads and mutexes.
#include <algorithm>
#include <set>
#include <utility>

#include "cprogram/function_translator.hpp"

namespace thrum::cprogram {

namespace {

using Kind = bp::Statement::Kind;
using Names = std::set<std::string>;

// EBUSY, as Linux has it, is one bit.
constexpr std::size_t kBusyBit = 4;

// These fail wherever control gets, whatever their bodies are.
const Names kErrors = {"reach_error", "__VERIFIER_error", "__assert_fail", "__assert",
                       "__assert_perror_fail"};
const Names kAssertions = {"__thrum_assert", "__VERIFIER_assert", "assert"};
const Names kAssumptions = {"__VERIFIER_assume", "assume", "assume_abort_if_not"};
const Names kEnds = {"abort", "exit", "_exit", "_Exit", "quick_exit"};
// What they do does not matter here, and what they return is arbitrary.
const Names kWithoutEffect = {"printf", "fprintf", "puts",  "putchar",     "fflush", "perror",
                              "sleep",  "usleep",  "srand", "sched_yield", "rand"};

bool is_text_or_file(CXCursor argument) {
  if (clang_getCursorKind(without_casts(argument)) == CXCursor_StringLiteral) return true;
  return clang_getCanonicalType(clang_getCursorType(argument)).kind == CXType_Pointer;
}

void expect_null(CXCursor argument, const char* what) {
  if (constant_of(without_casts(argument)).value_or(1) != 0) {
    throw unsupported(argument, what, "pass NULL");
  }
}

}  // namespace

FunctionTranslator::Value FunctionTranslator::call(CXCursor cursor, bool wanted) {
  CXCursor function = clang_getCursorReferenced(cursor);
  code_.at(position_of(cursor));
  if (clang_getCursorKind(function) != CXCursor_FunctionDecl) {
    throw unsupported(cursor, "a call through a pointer to a function", "call functions by their names");
  }
  std::string name = name_of(function);
  Arguments arguments = arguments_of(cursor);
  if (kErrors.contains(name)) {
    code_.assertion(constant(false));
    return {};
  }
  CXCursor definition = clang_getCursorDefinition(function);
  if (clang_Cursor_isNull(definition) == 0 && body_of(definition))
    return call_defined(cursor, function, wanted);
  Value result;
  if (call_known(name, arguments, cursor, result) || call_mutex(name, arguments, cursor, result))
    return result;
  if (call_thread(name, arguments, cursor)) {
    if (!wanted || clang_getCanonicalType(clang_getCursorType(cursor)).kind == CXType_Void) return {};
    return literal(0, cursor);
  }
  throw unsupported(cursor, "the function '" + name + "', which this file does not define,",
                    "define it, or use __VERIFIER_nondet_int() in its place");
}

FunctionTranslator::Value FunctionTranslator::call_defined(CXCursor cursor, CXCursor function, bool wanted) {
  if (name_of(function) == "main") throw unsupported(cursor, "a call of main", "call another function");
  const Callee& callee = unit_.callee(function, control_.depth > 0);
  bp::Statement statement{.kind = Kind::call};
  statement.values = passed(callee, arguments_of(cursor), cursor);
  code_.at(position_of(cursor));
  statement.callee = {callee.name, position_of(cursor)};
  Value result;
  if (wanted && callee.result) {
    result = {code_.fresh(callee.result->width), callee.result->is_signed};
    for (const std::string& name : names_of(result.bits))
      statement.targets.push_back({name, position_of(cursor)});
  }
  code_.emit(std::move(statement));
  return result;
}

Bits FunctionTranslator::passed(const Callee& callee, const Arguments& arguments, CXCursor cursor) {
  if (arguments.size() != callee.parameters.size()) {
    throw unsupported(cursor, "a call with another number of arguments than the function has",
                      "pass each of them");
  }
  Bits result;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!callee.parameters[i]) {
      effect(arguments[i]);
      continue;
    }
    Bits bits = value_as(arguments[i], *callee.parameters[i]).bits;
    result.insert(result.end(), bits.begin(), bits.end());
  }
  return result;
}

void FunctionTranslator::effects(const Arguments& arguments) {
  for (CXCursor argument : arguments) {
    if (!is_text_or_file(argument)) effect(argument);
  }
}

FunctionTranslator::Value FunctionTranslator::arbitrary_value(CXCursor cursor) {
  Scalar type = unit_.types().scalar(clang_getCursorType(cursor), cursor);
  return {code_.store(Bits(type.width, arbitrary())), type.is_signed};
}

bool FunctionTranslator::call_known(const std::string& name, const Arguments& arguments, CXCursor cursor,
                                    Value& result) {
  bool takes_one = kAssertions.contains(name) || kAssumptions.contains(name);
  if (takes_one && arguments.size() == 1) {
    Bit holds = truth(arguments[0]);
    code_.at(position_of(cursor));
    if (kAssertions.contains(name)) code_.assertion(std::move(holds));
    if (kAssumptions.contains(name)) code_.assume(std::move(holds));
  } else if (kEnds.contains(name)) {
    effects(arguments);
    code_.assume(constant(false));
  } else if (name.starts_with("__VERIFIER_nondet_") || kWithoutEffect.contains(name)) {
    effects(arguments);
    CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
    if (type.kind != CXType_Void) result = arbitrary_value(cursor);
  } else if (name == "__VERIFIER_atomic_begin") {
    begin_atomic();
  } else if (name == "__VERIFIER_atomic_end") {
    end_atomic(cursor);
  } else if (name == "__builtin_expect" && arguments.size() == 2) {
    result = value(arguments[0]);
  } else {
    return false;
  }
  return true;
}

// --- Threads ---

bool FunctionTranslator::call_thread(const std::string& name, const Arguments& arguments, CXCursor cursor) {
  if (name == "pthread_create" && arguments.size() == 4) {
    start_thread(arguments, cursor);
  } else if (name == "pthread_join" && arguments.size() == 2) {
    expect_null(arguments[1], "the result of a thread");
    Place thread = place(arguments[0]);
    if (unit_.types().scalar(thread.type, arguments[0]).kind != Scalar::Kind::thread) {
      throw unsupported(arguments[0], "a thread in a variable of this type", "declare it as pthread_t");
    }
    code_.at(position_of(cursor));
    each(thread, [&](const Cell& cell) {
      bp::Statement statement{.kind = Kind::join};
      statement.targets.push_back({cell.names[0], position_of(cursor)});
      code_.emit(std::move(statement));
    });
  } else if (name == "pthread_exit") {
    effects(arguments);
    code_.emit(Kind::end_thread);
  } else if (name == "pthread_detach" && arguments.size() == 1) {
    place(arguments[0]);
  } else {
    return false;
  }
  return true;
}

void FunctionTranslator::start_thread(const Arguments& arguments, CXCursor cursor) {
  Place thread = behind_address(arguments[0], Scalar::Kind::thread, "a pthread_t");
  expect_null(arguments[1], "a thread with attributes");
  CXCursor named = without_casts(arguments[2]);
  if (clang_getCursorKind(named) == CXCursor_UnaryOperator)
    named = without_casts(expressions_of(named).at(0));
  CXCursor function = clang_getCursorReferenced(named);
  bool is_function = clang_getCursorKind(function) == CXCursor_FunctionDecl &&
                     clang_Cursor_isNull(clang_getCursorDefinition(function)) == 0;
  if (!is_function)
    throw unsupported(arguments[2], "a thread of this", "name a function that this file defines");
  if (name_of(function) == "main")
    throw unsupported(arguments[2], "a thread of main", "start another function");
  const Callee& callee = unit_.callee(function, false);
  Bits values = passed(callee, {arguments[3]}, cursor);
  code_.at(position_of(cursor));
  each(thread, [&](const Cell& cell) {
    bp::Statement statement{.kind = Kind::start_call};
    statement.callee = {callee.name, position_of(cursor)};
    statement.values = values;
    statement.targets.push_back({cell.names[0], position_of(cursor)});
    code_.emit(std::move(statement));
  });
}

// The variable whose address is passed.
FunctionTranslator::Place FunctionTranslator::behind_address(CXCursor argument, Scalar::Kind wanted,
                                                             const char* what) {
  CXCursor address = without_casts(argument);
  bool is_address = clang_getCursorKind(address) == CXCursor_UnaryOperator &&
                    clang_getCursorUnaryOperatorKind(address) == CXUnaryOperator_AddrOf;
  if (!is_address) {
    throw unsupported(argument, std::string("this as ") + what,
                      "pass the address of a variable: &x, or &x[i]");
  }
  Place result = place(expressions_of(address).at(0));
  if (unit_.types().scalar(result.type, argument).kind != wanted) {
    throw unsupported(argument, std::string("a variable of another type as ") + what,
                      std::string("declare it as ") + what);
  }
  return result;
}

// --- Mutexes and conditions ---

// In one step: waits until nobody has it, and takes it.
void FunctionTranslator::lock(const Place& mutex) {
  each(mutex, [&](const Cell& cell) {
    bp::Statement statement{.kind = Kind::assign};
    statement.targets.push_back({cell.names[0], {}});
    statement.values.push_back(constant(true));
    statement.constraint = !variable(cell.names[0]);
    code_.emit(std::move(statement));
  });
}

bool FunctionTranslator::call_mutex(const std::string& name, const Arguments& arguments, CXCursor cursor,
                                    Value& result) {
  bool is_condition = name.starts_with("pthread_cond_");
  if ((!is_condition && !name.starts_with("pthread_mutex_")) || arguments.empty()) return false;
  bool is_init = name.ends_with("_init") && arguments.size() == 2;
  if (is_init) expect_null(arguments[1], "a mutex or condition with attributes");
  Place target = behind_address(arguments[0], is_condition ? Scalar::Kind::condition : Scalar::Kind::mutex,
                                is_condition ? "a pthread_cond_t" : "a pthread_mutex_t");
  auto free = [&](const Place& mutex) {
    each(mutex, [&](const Cell& cell) { code_.assign(cell.names, {constant(false)}); });
  };
  result = literal(0, cursor);
  if (name == "pthread_mutex_lock") {
    lock(target);
  } else if (name == "pthread_mutex_unlock" || name == "pthread_mutex_init") {
    free(target);
  } else if (name == "pthread_mutex_trylock") {
    if (result.bits.size() <= kBusyBit)
      throw unsupported(cursor, "EBUSY in so few bits", "translate with --bits 8");
    Bits taken = code_.fresh(1);
    each(target, [&](const Cell& cell) {
      code_.assign({taken[0].name, cell.names[0]}, {variable(cell.names[0]), constant(true)});
    });
    result.bits[kBusyBit] = taken[0];
  } else if (name == "pthread_cond_wait" && arguments.size() == 2) {
    // It may always return for no reason, so that signals need not be known.
    Place mutex = behind_address(arguments[1], Scalar::Kind::mutex, "a pthread_mutex_t");
    free(mutex);
    lock(mutex);
  } else {
    const Names nothing = {"pthread_mutex_destroy", "pthread_cond_init", "pthread_cond_destroy",
                           "pthread_cond_signal", "pthread_cond_broadcast"};
    return nothing.contains(name);
  }
  return true;
}

}  // namespace thrum::cprogram
