// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of functions, and operations that are atomic.
#include <clang/AST/ASTContext.h>
#include <clang/Basic/Builtins.h>

#include <algorithm>
#include <array>

#include "sequentialize/function.hpp"

namespace thrum::seq {

namespace {

// What cannot be followed, with what to do.
struct Refused {
  const char* prefix;
  const char* advice;
};
constexpr std::array<Refused, 20> kRefused{{
    {"alloca", "use malloc"},
    {"__builtin_alloca", "use malloc"},
    {"pthread_", "only threads, mutexes, conditions, read-write locks, spin locks, barriers and once are"},
    {"sem_", "use sem_init, sem_wait, sem_trywait, sem_post and sem_getvalue"},
    {"thrd_", "use pthreads"},
    {"mtx_", "use pthreads"},
    {"cnd_", "use pthreads"},
    {"tss_", "use pthreads"},
    {"call_once", "use pthreads"},
    {"setjmp", "return from the function"},
    {"_setjmp", "return from the function"},
    {"__sigsetjmp", "return from the function"},
    {"longjmp", "return from the function"},
    {"fork", "start threads"},
    {"vfork", "start threads"},
    {"clone", "use pthreads"},
    {"signal", "leave signals out"},
    {"sigaction", "leave signals out"},
    {"syscall", "call the function of the C library"},
    {"__builtin_va_", "give the function fixed arguments"},
}};

bool is_memory(clang::QualType type) { return type->isPointerType() && !type->isFunctionPointerType(); }

}  // namespace

std::vector<std::string> Function::arguments(const clang::CallExpr* call) {
  std::vector<std::string> result;
  for (const Expr* argument : call->arguments()) result.push_back(value(argument));
  return result;
}

std::string Function::call(const clang::CallExpr* call, bool wanted) {
  const clang::FunctionDecl* callee = call->getDirectCallee();
  if (callee == nullptr) return call_pointer(call, wanted);
  std::string name = callee->getName().str();
  if (instrumented()) {
    if (std::optional<std::string> known = known_call(name, call)) return *known;
  }
  if (auto found = program_.functions.find(name); found != program_.functions.end()) {
    defined_.callees.insert(name);
    return call_defined(found->second, call, wanted);
  }
  bool known = false;
  std::string result = builtin_atomic(name, call, wanted, known);
  return known ? result : call_library(callee, call, wanted);
}

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) result += (result.empty() ? "" : ", ") + word;
  return result;
}

}  // namespace

std::string Function::call_defined(const Defined& callee, const clang::CallExpr* call, bool wanted) {
  changed();
  wanted = wanted && !call->getType()->isVoidType();
  std::vector<std::string> given = arguments(call);
  given.resize(std::min(given.size(), static_cast<std::size_t>(callee.declaration->getNumParams())));
  set_position(call->getExprLoc());
  std::string result = wanted ? temporary(call->getType()) : "";
  if (form() == Form::lazy && callee.visible) {
    resumable_call(callee, given, result);
    return result;
  }
  line((wanted ? result + " = " : "") + callee.name + "(" + joined(given) + ");");
  if (instrumented() && callee.visible) stop_if("thrum_raise");
  return result;
}

// The callee's locals stand in the caller's frame, or, where it may be called by itself, in memory of their
// own.
void Function::resumable_call(const Defined& callee, const std::vector<std::string>& given,
                              const std::string& result) {
  std::string type = "struct thrum_frame_" + callee.name;
  bool recursive = program_.is_recursive_call(defined_.name, callee.name);
  std::string frame = recursive ? "thrum_f->thrum_of_" + callee.name : "&thrum_f->thrum_child." + callee.name;
  std::string access = recursive ? frame + "->" : "thrum_f->thrum_child." + callee.name + ".";
  child_frames_[callee.name] = recursive ? type + " *thrum_of_" + callee.name : type + " " + callee.name;
  if (recursive) line(frame + " = __builtin_malloc(sizeof(" + type + "));");
  line(access + "thrum_pc = 0;");
  for (std::size_t i = 0; i < given.size(); ++i) {
    line(access + callee.parameters[i] + " = " + given[i] + ";");
  }
  ++points_;
  std::string number = std::to_string(points_);
  out_->label("thrum_at_" + number);
  line("if (thrum_run_" + callee.name + "(" + frame + ")) THRUM_STOP(" + number + ");");
  if (!result.empty()) line(result + " = " + access + "thrum_result;");
  if (recursive) line("__builtin_free(" + frame + ");");
}

std::string Function::call_pointer(const clang::CallExpr* call, bool wanted) {
  changed();
  wanted = wanted && !call->getType()->isVoidType();
  defined_.calls_pointers = true;
  std::string pointer = value(call->getCallee());
  std::vector<std::string> given = arguments(call);
  set_position(call->getExprLoc());
  std::string result = wanted ? temporary(call->getType()) : "";
  if (!resumable_) {
    line((wanted ? result + " = " : "") + wrapped(pointer) + "(" + joined(given) + ");");
    if (instrumented()) stop_if("thrum_raise");
    return result;
  }
  clang::QualType type = call->getCallee()->getType()->getPointeeType().getCanonicalType();
  std::string word = "if (";
  for (auto& [name, callee] : program_.functions) {
    if (!callee.address_taken || !callee.visible) continue;
    if (!declarations_.may_be_called_as(callee.declaration->getType(), type)) continue;
    if (callee.parameters.size() != given.size()) continue;
    defined_.callees.insert(name);
    if (word == "if (") {
      out_->open(word + wrapped(pointer) + " == " + name + ") {");
      word = "} else if (";
    } else {
      out_->turn(word + wrapped(pointer) + " == " + name + ") {");
    }
    resumable_call(callee, given, result);
  }
  std::string direct = (wanted ? result + " = " : "") + wrapped(pointer) + "(" + joined(given) + ");";
  if (word == "if (") {
    line(direct);
  } else {
    out_->turn("} else {");
    line(direct);
    out_->close();
  }
  return result;
}

// Of a function that is not written here: one step.
std::string Function::call_library(const clang::FunctionDecl* callee, const clang::CallExpr* call,
                                   bool wanted) {
  std::string name = callee->getName().str();
  if (instrumented()) {
    for (const Refused& each : kRefused) {
      if (llvm::StringRef(name).starts_with(each.prefix)) refuse(call->getExprLoc(), name, each.advice);
    }
  }
  declarations_.uses(callee);
  wanted = wanted && !call->getType()->isVoidType();
  std::vector<std::string> given;
  bool memory = false;
  for (const Expr* argument : call->arguments()) {
    const Expr* inner = argument->IgnoreParenImpCasts();
    if (const auto* address = llvm::dyn_cast<clang::UnaryOperator>(inner);
        address != nullptr && address->getOpcode() == clang::UO_AddrOf)
      inner = address->getSubExpr()->IgnoreParenImpCasts();
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(inner);
        instrumented() && reference != nullptr &&
        program_.functions.contains(reference->getDecl()->getName().str()) &&
        llvm::isa<clang::FunctionDecl>(reference->getDecl())) {
      refuse(argument->getBeginLoc(), "a function of the program that " + name + " calls",
             "call it here instead");
    }
    if (instrumented() && argument->getType()->isFunctionPointerType() && !is_null(argument))
      refuse(argument->getBeginLoc(), "a function that " + name + " calls", "call it here instead");
    given.push_back(value(argument));
    if (is_memory(argument->getType()) && !llvm::isa<clang::StringLiteral>(inner)) memory = true;
  }
  if (memory && form() != Form::eager && !atomic_) point(call->getExprLoc());
  if (callee->getBuiltinID() == 0 || memory) changed();
  if (form() == Form::eager && is_memory(call->getType()))
    refuse(call->getExprLoc(), "memory of the heap, in the eager rounds", "use the lazy rounds");
  set_position(call->getExprLoc());
  std::string text = name + "(" + joined(given) + ")";
  if (callee->getBuiltinID() != 0 && name.starts_with("__builtin_") && !memory && wanted) return text;
  if (!wanted) {
    line(text + ";");
    return "";
  }
  std::string result = temporary(call->getType());
  line(result + " = " + text + ";");
  return result;
}

// --- Operations that are atomic ---

namespace {

// C's operator, "nand", which it lacks, or nothing.
std::string operator_of(llvm::StringRef name) {
  return name == "add"    ? "+"
         : name == "sub"  ? "-"
         : name == "and"  ? "&"
         : name == "or"   ? "|"
         : name == "xor"  ? "^"
         : name == "nand" ? "nand"
                          : "";
}

}  // namespace

std::string Function::read_modify(const Expr* pointer, const std::string& operation,
                                  const std::string& operand, bool old, bool wanted) {
  clang::QualType type = pointer->IgnoreParenCasts()->getType()->getPointeeType();
  if (type.isNull()) type = pointer->getType()->getPointeeType();
  if (operation != "=" && type->isPointerType()) {
    refuse(pointer->getExprLoc(), "arithmetic on a pointer that is atomic", "use a compare-exchange");
  }
  std::string object = behind(pointer);
  changed();
  atomic_point(pointer, object, true);
  if (!wanted && operation == "=") {
    line(object + " = " + operand + ";");
    return "";
  }
  std::string before = temporary(type);
  line(before + " = " + object + ";");
  std::string after = operation == "="      ? operand
                      : operation == "nand" ? "~(" + before + " & " + wrapped(operand) + ")"
                                            : before + " " + operation + " " + wrapped(operand);
  line(object + " = " + after + ";");
  if (old || !wanted) return before;
  std::string result = temporary(type);
  line(result + " = " + object + ";");
  return result;
}

std::string Function::compare_exchange(const Expr* pointer, const Expr* expected, const Expr* wished) {
  clang::QualType type = pointer->getType()->getPointeeType();
  std::string object = behind(pointer);
  if (type.getAtomicUnqualifiedType()->isRecordType())
    refuse(pointer->getExprLoc(), "a compare-exchange of a structure", "use a number");
  std::string held = behind(expected);
  std::string text = value(wished);
  changed();
  // What is expected is read, and written back, in the same step: it is nearly always a local variable.
  atomic_point(pointer, object, true);
  std::string before = temporary(type);
  line(before + " = " + object + ";");
  std::string same = temporary(source_.context().IntTy);
  line(same + " = " + before + " == " + held + ";");
  out_->open("if (" + same + ") {");
  line(object + " = " + text + ";");
  out_->turn("} else {");
  line(held + " = " + before + ";");
  out_->close();
  return same;
}

// By the builtins that all compilers know.
std::string Function::still_atomic(const clang::AtomicExpr* expression, bool wanted) {
  using Op = clang::AtomicExpr;
  llvm::StringRef name = expression->getOpAsString();
  std::vector<std::string> given;
  const Op* e = expression;  // which keeps the arguments in an order of its own
  given.push_back(value(e->getPtr()));
  bool loads = e->getOp() == Op::AO__c11_atomic_load || e->getOp() == Op::AO__atomic_load_n;
  bool init = e->getOp() == Op::AO__c11_atomic_init;
  if (!loads) given.push_back(value(e->getVal1()));
  if (e->getOp() == Op::AO__atomic_exchange) given.push_back(value(e->getVal2()));
  if (e->isCmpXChg()) {
    given.push_back(value(e->getVal2()));
    if (name.starts_with("__atomic")) given.push_back(value(e->getWeak()));
  }
  if (!init) given.push_back(value(e->getOrder()));
  if (e->isCmpXChg()) given.push_back(value(e->getOrderFail()));
  changed();
  std::string called = name.str();
  if (name.consume_front("__c11_atomic_")) {
    if (init) given.push_back("0");
    if (e->isCmpXChg()) given.insert(given.begin() + 3, name.ends_with("weak") ? "1" : "0");
    called = name.starts_with("fetch_") ? "__atomic_" + name.str()
             : init                     ? "__atomic_store_n"
             : e->isCmpXChg()           ? "__atomic_compare_exchange_n"
                                        : "__atomic_" + name.str() + "_n";
  }
  std::string text = called + "(" + joined(given) + ")";
  if (!wanted || e->getType()->isVoidType()) {
    line(text + ";");
    return "";
  }
  std::string result = temporary(e->getType());
  line(result + " = " + text + ";");
  return result;
}

std::string Function::atomic(const clang::AtomicExpr* expression, bool wanted) {
  using Op = clang::AtomicExpr;
  llvm::StringRef name = expression->getOpAsString();
  if (!instrumented()) return still_atomic(expression, wanted);
  name.consume_front("__c11_");
  name.consume_front("__");
  name.consume_front("scoped_");
  name.consume_front("atomic_");
  const Expr* pointer = expression->getPtr();
  if (expression->isCmpXChg()) {
    const Expr* wished = expression->getVal2();
    if (expression->getOp() == Op::AO__atomic_compare_exchange) {
      refuse(expression->getBeginLoc(), "__atomic_compare_exchange", "use __atomic_compare_exchange_n");
    }
    return compare_exchange(pointer, expression->getVal1(), wished);
  }
  if (name == "load" || name == "load_n") {
    if (expression->getOp() == Op::AO__atomic_load)
      refuse(expression->getBeginLoc(), "__atomic_load", "use __atomic_load_n");
    std::string object = behind(pointer);
    atomic_point(pointer, object, false);
    std::string result = temporary(pointer->getType()->getPointeeType());
    line(result + " = " + object + ";");
    return result;
  }
  if (expression->getOp() == Op::AO__atomic_store || expression->getOp() == Op::AO__atomic_exchange) {
    refuse(expression->getBeginLoc(), expression->getOpAsString().str(), "use the one that ends in _n");
  }
  std::string operand = value(expression->getVal1());
  if (name == "init" || name == "store" || name == "store_n" || name == "exchange" || name == "exchange_n")
    return read_modify(pointer, "=", operand, true, wanted && !expression->getType()->isVoidType());
  bool old = name.consume_front("fetch_");
  if (!old) name.consume_back("_fetch");
  std::string operation = operator_of(name);
  if (operation.empty())
    refuse(expression->getBeginLoc(), expression->getOpAsString().str(), "use a compare-exchange");
  return read_modify(pointer, operation, operand, old, wanted);
}

// __sync_... and the flags of C11.
std::string Function::builtin_atomic(llvm::StringRef name, const clang::CallExpr* call, bool wanted,
                                     bool& known) {
  known = false;
  if (!instrumented()) return "";
  const Expr* const* given = call->getArgs();
  auto is = [&](llvm::StringRef word) { return name == word || name == word.str() + "_explicit"; };
  known = true;
  if (name == "__sync_synchronize" || is("atomic_thread_fence") || is("atomic_signal_fence") ||
      name == "__atomic_thread_fence" || name == "__atomic_signal_fence" ||
      name == "__c11_atomic_thread_fence" || name == "__c11_atomic_signal_fence")
    return "0";
  if (name == "__atomic_test_and_set") return read_modify(given[0], "=", "1", true, wanted);
  if (name == "__atomic_clear") return read_modify(given[0], "=", "0", true, false);
  if (!name.consume_front("__sync_")) {
    known = false;
    return "";
  }
  std::size_t digits = name.find_last_of('_');
  if (digits != llvm::StringRef::npos && digits + 1 < name.size() && std::isdigit(name[digits + 1]) != 0)
    name = name.substr(0, digits);
  if (name == "lock_test_and_set") return read_modify(given[0], "=", value(given[1]), true, wanted);
  if (name == "lock_release") return read_modify(given[0], "=", "0", true, false);
  if (name == "bool_compare_and_swap" || name == "val_compare_and_swap") {
    std::string object = behind(given[0]);
    std::string old = value(given[1]);
    std::string text = value(given[2]);
    changed();
    atomic_point(given[0], object, true);
    std::string before = temporary(given[0]->getType()->getPointeeType());
    line(before + " = " + object + ";");
    line("if (" + before + " == " + wrapped(old) + ") " + object + " = " + text + ";");
    return name == "val_compare_and_swap" ? before : before + " == " + wrapped(old);
  }
  bool fetch_first = name.consume_front("fetch_and_");
  if (!fetch_first) name.consume_back("_and_fetch");
  std::string operation = operator_of(name);
  if (operation.empty())
    refuse(call->getExprLoc(), call->getDirectCallee()->getName().str(), "use C11's atomics");
  return read_modify(given[0], operation, value(given[1]), fetch_first, wanted);
}

}  // namespace thrum::seq
