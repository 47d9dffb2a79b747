// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads, what they meet by, and what verifiers are told. Each becomes a few statements on an object of the
// prelude's types: waiting is an assumption, since a thread that must wait may also end early, or stop there.
#include <clang/AST/ASTContext.h>

#include <set>

#include "sequentialize/function.hpp"

namespace thrum::seq {

std::string Function::behind(const Expr* pointer) {
  const Expr* inner = pointer->IgnoreParenCasts();
  if (const auto* address = llvm::dyn_cast<clang::UnaryOperator>(inner);
      address != nullptr && address->getOpcode() == clang::UO_AddrOf)
    return place(address->getSubExpr());
  std::string text = value(pointer);
  return "(*" + wrapped(text) + ")";
}

void Function::fail(const std::string& message) {
  std::string quoted;
  for (char c : message) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  line("THRUM_FAIL(\"" + quoted + "\");");
  if (form() == Form::eager) line(leave());
  changed();
}

std::optional<std::string> Function::known_call(const std::string& name, const clang::CallExpr* call) {
  set_position(call->getExprLoc());
  if (auto result = verifier_call(name, call)) return result;
  if (auto result = thread_call(name, call)) return result;
  if (auto result = lock_call(name, call)) return result;
  if (auto result = set_up_call(name, call)) return result;
  if (auto result = wait_call(name, call)) return result;
  return std::nullopt;
}

std::optional<std::string> Function::verifier_call(const std::string& name, const clang::CallExpr* call) {
  auto argument = [&](unsigned i) { return value(call->getArg(i)); };
  static const std::set<std::string> nothing = {"sched_yield",
                                                "pthread_yield",
                                                "usleep",
                                                "sleep",
                                                "nanosleep",
                                                "thrd_yield",
                                                "thrum_progress",
                                                "pthread_setconcurrency",
                                                "__builtin_ia32_pause",
                                                "pthread_setname_np"};
  if (nothing.contains(name)) {
    for (const Expr* each : call->arguments()) {
      if (!each->getType()->isPointerType()) effect(each);
    }
    return "0";
  }
  if (name == "__VERIFIER_assume" || name == "thrum_assume" || name == "assume_abort_if_not") {
    line("__VERIFIER_assume(" + argument(0) + ");");
    return "0";
  }
  if (name == "__VERIFIER_assert") {
    std::string condition = argument(0);
    out_->open("if (!" + wrapped(condition) + ") {");
    fail("__VERIFIER_assert");
    out_->close();
    return "0";
  }
  if (name == "__assert_fail" || name == "__assert") {
    const auto* text = llvm::dyn_cast<clang::StringLiteral>(call->getArg(0)->IgnoreParenCasts());
    fail(text != nullptr ? text->getString().str() : "assert");
    return "0";
  }
  if (name == "reach_error" || name == "__VERIFIER_error" || name == "abort") {
    fail(name);
    return "0";
  }
  if (name == "__VERIFIER_atomic_begin" || name == "thrum_atomic_begin") {
    point(call->getExprLoc());
    line("++thrum_atomic;");
    changed();
    return "0";
  }
  if (name == "__VERIFIER_atomic_end" || name == "thrum_atomic_end") {
    line("--thrum_atomic;");
    changed();
    return "0";
  }
  if (name == "thrum_point") {
    point(call->getExprLoc());
    return "0";
  }
  if (name == "thrum_is_active") return "1";
  if (name == "thrum_choose") {
    program_.features.insert(Feature::choose);
    std::string result = temporary(source_.context().UnsignedIntTy);
    std::string n = argument(0);
    line(result + " = thrum_choice(" + n + ");");
    changed();
    return result;
  }
  if (name == "exit" || name == "_exit" || name == "_Exit" || name == "quick_exit") {
    if (form() == Form::eager)
      refuse(call->getExprLoc(), name + " in the eager rounds", "use the lazy rounds");
    if (!atomic_) point(call->getExprLoc());  // the others may go on before it
  }
  return std::nullopt;
}

void Function::start_thread(const clang::CallExpr* call) {
  const Expr* started = call->getArg(2)->IgnoreParenCasts();
  if (const auto* address = llvm::dyn_cast<clang::UnaryOperator>(started);
      address != nullptr && address->getOpcode() == clang::UO_AddrOf)
    started = address->getSubExpr()->IgnoreParenCasts();
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(started);
  const auto* function =
      reference != nullptr ? llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl()) : nullptr;
  std::string handle = behind(call->getArg(0));
  std::string given = value(call->getArg(3));
  std::string number;
  auto known = [&](const std::string& name) -> Defined& {
    auto found = program_.functions.find(name);
    if (found == program_.functions.end())
      refuse(call->getExprLoc(), "a thread that runs " + name + ", which no file defines",
             "name the file that does");
    clang::QualType type = found->second.declaration->getReturnType();
    if (found->second.declaration->getNumParams() > 1 ||
        !(type->isPointerType() || type->isVoidType() || type->isIntegerType()))
      refuse(call->getExprLoc(), "a thread of this type of function", "let it take and give back a pointer");
    return found->second;
  };
  if (form() == Form::eager &&
      !call->getArg(3)->IgnoreParenCasts()->isIntegerConstantExpr(source_.context()) &&
      call->getArg(3)->IgnoreParenCasts()->getType()->isPointerType()) {
    refuse(call->getArg(3)->getBeginLoc(), "a pointer that is given to a thread, in the eager rounds",
           "use the lazy rounds");
  }
  if (function != nullptr) {
    number = std::to_string(program_.thread_number(known(function->getName().str()).name));
  } else {
    // Which one a pointer leads to is known when it is followed.
    std::string pointer = value(call->getArg(2));
    number = temporary(source_.context().UnsignedIntTy);
    clang::QualType type = call->getArg(2)->getType()->getPointeeType().getCanonicalType();
    line(number + " = 0;");
    for (auto& [name, callee] : program_.functions) {
      if (!callee.address_taken || !declarations_.may_be_called_as(callee.declaration->getType(), type))
        continue;
      if (callee.parameters.size() > 1) continue;
      line("if (" + wrapped(pointer) + " == " + name + ") " + number + " = " +
           std::to_string(program_.thread_number(name)) + ";");
    }
    line("if (" + number + " == 0) THRUM_FAIL(\"a thread is started whose function is not known\");");
  }
  changed();
  set_position(call->getExprLoc());
  line(handle + " = THRUM_NEW(" + number + ", " + given + ");");
  line("THRUM_START(" + handle + ");");
}

std::optional<std::string> Function::thread_call(const std::string& name, const clang::CallExpr* call) {
  if (name == "pthread_create") {
    start_thread(call);
    return "0";
  }
  if (name == "pthread_join") {
    std::string thread = value(call->getArg(0));
    const Expr* result = call->getArg(1);
    point(call->getExprLoc());
    line("__VERIFIER_assume(THRUM_FINISHED(" + thread + "));");
    changed();
    if (is_null(result)) return "0";
    if (form() == Form::eager)
      refuse(result->getBeginLoc(), "what a thread gives back, in the eager rounds", "use the lazy rounds");
    program_.features.insert(Feature::results);
    const Expr* inner = result->IgnoreParenCasts();
    clang::QualType type = inner->getType()->getPointeeType();
    std::string given =
        (type->isPointerType() ? "" : "(" + declarations_.type(declarations_.of_value(type)) + ")") +
        ("thrum_result[" + wrapped(thread) + " - 1]");
    const auto* address = llvm::dyn_cast<clang::UnaryOperator>(inner);
    if (address != nullptr && address->getOpcode() == clang::UO_AddrOf) {
      std::string object = behind(result);
      line(object + " = " + given + ";");
    } else {
      std::string pointer = wrapped(value(inner));
      line("if (" + pointer + ") *" + pointer + " = " + given + ";");
    }
    return "0";
  }
  if (name == "pthread_self") return "((thrum_thread)thrum_self + 1)";
  if (name == "pthread_equal")
    return wrapped(value(call->getArg(0))) + " == " + wrapped(value(call->getArg(1)));
  if (name == "pthread_detach") {
    effect(call->getArg(0));
    return "0";
  }
  if (name == "pthread_exit") {
    std::string text = value(call->getArg(0));
    line("THRUM_EXIT(" + text + ");");
    line(leave());
    ++points_;  // its callers must look whether it came back
    if (resumable_) out_->label("thrum_at_" + std::to_string(points_));
    changed();
    return "0";
  }
  // Attributes of threads change nothing here.
  if (name.starts_with("pthread_attr_") || name.starts_with("pthread_condattr_") ||
      name.starts_with("pthread_rwlockattr_") || name.starts_with("pthread_barrierattr_"))
    return "0";
  if (name == "pthread_mutexattr_init" || name == "pthread_mutexattr_settype") {
    std::string object = behind(call->getArg(0));
    std::string kind = name.ends_with("init") ? "0" : value(call->getArg(1));
    if (kind != "0") program_.features.insert(Feature::recursion);
    constexpr std::int64_t kErrorCheck = 2;
    Expr::EvalResult known;
    if (name.ends_with("settype") && call->getArg(1)->EvaluateAsInt(known, source_.context()) &&
        known.Val.getInt().getExtValue() == kErrorCheck)
      refuse(call->getArg(1)->getBeginLoc(), "PTHREAD_MUTEX_ERRORCHECK", "use an ordinary mutex");
    changed();
    line(object + ".kind = " + kind + ";");
    return "0";
  }
  if (name.starts_with("pthread_mutexattr_")) return "0";
  return std::nullopt;
}

std::optional<std::string> Function::lock_call(const std::string& name, const clang::CallExpr* call) {
  struct Operation {
    const char* macro;
    bool has_result;
  };
  static const std::map<std::string, Operation> operations = {
      {"pthread_mutex_lock", {"THRUM_LOCK", false}},
      {"pthread_mutex_timedlock", {"THRUM_TIMEDLOCK", true}},
      {"pthread_mutex_trylock", {"THRUM_TRYLOCK", true}},
      {"pthread_mutex_unlock", {"THRUM_UNLOCK", false}},
      {"pthread_spin_lock", {"THRUM_LOCK", false}},
      {"pthread_spin_trylock", {"THRUM_TRYLOCK", true}},
      {"pthread_spin_unlock", {"THRUM_UNLOCK", false}},
      {"pthread_rwlock_rdlock", {"THRUM_READ_LOCK", false}},
      {"pthread_rwlock_wrlock", {"THRUM_WRITE_LOCK", false}},
      {"pthread_rwlock_tryrdlock", {"THRUM_TRY_READ_LOCK", true}},
      {"pthread_rwlock_trywrlock", {"THRUM_TRY_WRITE_LOCK", true}},
      {"pthread_rwlock_unlock", {"THRUM_READ_WRITE_UNLOCK", false}},
      {"sem_wait", {"THRUM_DOWN", false}},
      {"sem_trywait", {"THRUM_TRY_DOWN", true}},
      {"sem_post", {"THRUM_UP", false}},
  };
  auto known = operations.find(name);
  if (known == operations.end()) {
    static const std::set<std::string> destroyed = {"pthread_mutex_destroy",   "pthread_spin_destroy",
                                                    "pthread_rwlock_destroy",  "pthread_cond_destroy",
                                                    "pthread_barrier_destroy", "sem_destroy"};
    if (destroyed.contains(name)) return "0";
    return std::nullopt;
  }
  program_.features.insert(Feature::meeting);
  std::string object = behind(call->getArg(0));
  changed();
  if (!atomic_) point(call->getExprLoc());
  if (!known->second.has_result) {
    line(std::string(known->second.macro) + "(" + object + ");");
    return "0";
  }
  std::string result = temporary(source_.context().IntTy);
  line(std::string(known->second.macro) + "(" + object + ", " + result + ");");
  return result;
}

void Function::meeting_step(const clang::CallExpr* call, const std::string& text) {
  program_.features.insert(Feature::meeting);
  changed();
  set_position(call->getExprLoc());
  line(text);
}

void Function::meeting_point(const clang::CallExpr* call, const std::string& text) {
  if (!atomic_) point(call->getExprLoc());
  meeting_step(call, text);
}

std::optional<std::string> Function::set_up_call(const std::string& name, const clang::CallExpr* call) {
  auto object = [&](unsigned i) { return behind(call->getArg(i)); };
  if (name == "pthread_mutex_init") {
    std::string mutex = object(0);
    std::string kind = is_null(call->getArg(1)) ? "0" : object(1) + ".kind";
    meeting_step(call, "THRUM_MUTEX_INIT(" + mutex + ", " + kind + ");");
  } else if (name == "pthread_spin_init") {
    meeting_step(call, "THRUM_MUTEX_INIT(" + object(0) + ", 0);");
  } else if (name == "pthread_rwlock_init") {
    meeting_step(call, "THRUM_RWLOCK_INIT(" + object(0) + ");");
  } else if (name == "pthread_cond_init") {
    meeting_step(call, "THRUM_CONDITION_INIT(" + object(0) + ");");
  } else if (name == "pthread_barrier_init" || name == "sem_init") {
    std::string macro = name == "sem_init" ? "THRUM_SEMAPHORE_INIT(" : "THRUM_BARRIER_INIT(";
    std::string it = object(0);
    meeting_step(call, macro + it + ", " + value(call->getArg(2)) + ");");
  } else {
    return std::nullopt;
  }
  return "0";
}

std::optional<std::string> Function::wait_call(const std::string& name, const clang::CallExpr* call) {
  auto object = [&](unsigned i) { return behind(call->getArg(i)); };
  if (name == "sem_getvalue") {
    std::string semaphore = object(0);
    meeting_point(call, object(1) + " = (int)" + semaphore + ".value;");
  } else if (name == "pthread_cond_signal") {
    meeting_point(call, "THRUM_SIGNAL(" + object(0) + ");");
  } else if (name == "pthread_cond_broadcast") {
    meeting_point(call, "THRUM_BROADCAST(" + object(0) + ");");
  } else if (name == "pthread_cond_wait" || name == "pthread_cond_timedwait") {
    std::string both = object(0);
    both += ", " + object(1);
    meeting_point(call, "THRUM_SLEEP(" + both + ");");
    if (name == "pthread_cond_timedwait") {
      std::string result = temporary(source_.context().IntTy);
      meeting_point(call, "THRUM_TIMED_WAKE(" + both + ", " + result + ");");
      return result;
    }
    meeting_point(call, "THRUM_WAKE(" + both + ");");
  } else if (name == "pthread_barrier_wait") {
    std::string barrier = object(0);
    std::string round = temporary(source_.context().UnsignedIntTy);
    std::string result = temporary(source_.context().IntTy);
    meeting_point(call, "THRUM_ARRIVE(" + barrier + ", " + round + ", " + result + ");");
    meeting_point(call, "__VERIFIER_assume(" + barrier + ".round != " + round + ");");
    return result;
  } else if (name == "pthread_once") {
    once_call(call);
  } else {
    return std::nullopt;
  }
  return "0";
}

void Function::once_call(const clang::CallExpr* call) {
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(call->getArg(1)->IgnoreParenCasts());
  auto callee = reference != nullptr ? program_.functions.find(reference->getDecl()->getName().str())
                                     : program_.functions.end();
  if (callee == program_.functions.end())
    refuse(call->getExprLoc(), "pthread_once of a pointer", "name the function");
  std::string once = behind(call->getArg(0));
  std::string state = temporary(source_.context().IntTy);
  meeting_point(call, state + " = " + once + ".state;");
  out_->open("if (" + state + " == 0) {");
  line(once + ".state = 1;");
  defined_.callees.insert(callee->first);
  if (resumable_ && callee->second.visible) {
    resumable_call(callee->second, {}, "");
  } else {
    line(callee->first + "();");
    if (callee->second.visible) stop_if("thrum_raise");
  }
  meeting_point(call, once + ".state = 2;");
  out_->turn("} else {");
  meeting_point(call, "__VERIFIER_assume(" + once + ".state == 2);");
  out_->close();
}

}  // namespace thrum::seq
