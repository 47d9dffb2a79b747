// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow.
#include <clang/AST/ASTContext.h>

#include "sequentialize/function.hpp"

namespace thrum::seq {

void Function::statement(const clang::Stmt* statement) {
  set_position(statement->getBeginLoc());
  switch (statement->getStmtClass()) {
    case clang::Stmt::NullStmtClass: return;
    case clang::Stmt::CompoundStmtClass:
      for (const clang::Stmt* each : llvm::cast<clang::CompoundStmt>(statement)->body())
        this->statement(each);
      return;
    case clang::Stmt::DeclStmtClass:
      for (const clang::Decl* each : llvm::cast<clang::DeclStmt>(statement)->decls()) {
        if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(each)) declare(variable);
      }
      release_temporaries();
      return;
    case clang::Stmt::IfStmtClass: branch(llvm::cast<clang::IfStmt>(statement)); return;
    case clang::Stmt::WhileStmtClass: {
      const auto* loop = llvm::cast<clang::WhileStmt>(statement);
      this->loop(loop, loop->getCond(), nullptr, loop->getBody(), false);
      return;
    }
    case clang::Stmt::DoStmtClass: {
      const auto* loop = llvm::cast<clang::DoStmt>(statement);
      this->loop(loop, loop->getCond(), nullptr, loop->getBody(), true);
      return;
    }
    case clang::Stmt::ForStmtClass: {
      const auto* loop = llvm::cast<clang::ForStmt>(statement);
      if (loop->getInit() != nullptr) this->statement(loop->getInit());
      this->loop(loop, loop->getCond(), loop->getInc(), loop->getBody(), false);
      return;
    }
    case clang::Stmt::SwitchStmtClass: choose_case(llvm::cast<clang::SwitchStmt>(statement)); return;
    case clang::Stmt::CaseStmtClass:
    case clang::Stmt::DefaultStmtClass: case_label(llvm::cast<clang::SwitchCase>(statement)); return;
    case clang::Stmt::LabelStmtClass: {
      const auto* label = llvm::cast<clang::LabelStmt>(statement);
      out_->label(label->getName());
      this->statement(label->getSubStmt());
      return;
    }
    case clang::Stmt::GotoStmtClass:
      line("goto " + llvm::cast<clang::GotoStmt>(statement)->getLabel()->getName().str() + ";");
      return;
    case clang::Stmt::BreakStmtClass: line("break;"); return;
    case clang::Stmt::ContinueStmtClass: {
      jumps_.back().used = true;
      line("goto " + jumps_.back().on + ";");
      return;
    }
    case clang::Stmt::ReturnStmtClass: give_back(llvm::cast<clang::ReturnStmt>(statement)); return;
    case clang::Stmt::AttributedStmtClass:
      this->statement(llvm::cast<clang::AttributedStmt>(statement)->getSubStmt());
      return;
    case clang::Stmt::GCCAsmStmtClass: assembly(llvm::cast<clang::GCCAsmStmt>(statement)); return;
    case clang::Stmt::IndirectGotoStmtClass:
      refuse(statement->getBeginLoc(), "a computed goto", "use a switch");
    default: break;
  }
  if (const auto* expression = llvm::dyn_cast<clang::Expr>(statement)) {
    effect(expression);
    release_temporaries();
    return;
  }
  refuse(statement->getBeginLoc(), std::string("a statement of kind ") + statement->getStmtClassName(),
         "write it in plain C");
}

// Hints and barriers of the compiler and the processor.
void Function::assembly(const clang::GCCAsmStmt* code) {
  std::string text = code->getAsmString()->getString().str();
  bool harmless = text.empty() || text == "pause" || text == "mfence" || text == "nop";
  if (!harmless || code->getNumOutputs() > 0 || code->getNumInputs() > 0)
    refuse(code->getBeginLoc(), "assembly", "write it in C");
}

void Function::branch(const clang::IfStmt* branch) {
  std::string condition = value(branch->getCond());
  release_temporaries();
  out_->open("if (" + condition + ") {");
  statement(branch->getThen());
  if (branch->getElse() != nullptr) {
    out_->turn("} else {");
    statement(branch->getElse());
  }
  out_->close();
}

void Function::loop(const clang::Stmt* where, const Expr* condition, const Expr* step,
                    const clang::Stmt* body, bool first) {
  unsigned changes = changes_;
  unsigned points = points_;
  jumps_.push_back({new_label("next"), false});
  std::string test;
  Text before = written_by([&] {
    if (condition == nullptr) return;
    set_position(condition->getBeginLoc());
    test = value(condition);
    release_temporaries();
  });
  if (test == "1") test.clear();  // while (1)
  Text inside = written_by([&] { statement(body); });
  Text behind = written_by([&] {
    if (jumps_.back().used) out_->label(jumps_.back().on);
    if (step == nullptr) return;
    set_position(step->getBeginLoc());
    effect(step);
    release_temporaries();
  });
  jumps_.pop_back();
  set_position(where->getBeginLoc());
  // A round that changes nothing might as well not have been: only the last one matters, which leaves. Where
  // there is none, the thread waits for good.
  bool waits = instrumented() && changes == changes_;
  out_->open(waits                                      ? "do {"
             : first || !before.empty() || test.empty() ? "for (;;) {"
                                                        : "while (" + test + ") {");
  auto leave_unless = [&] {
    out_->add(before);
    set_position(condition != nullptr ? condition->getBeginLoc() : where->getBeginLoc());
    if (!test.empty()) line("if (!" + wrapped(test) + ") break;");
  };
  if (!first && (waits || !before.empty())) leave_unless();
  out_->add(inside);
  out_->add(behind);
  if (first) leave_unless();
  if (waits) {
    if (points == points_ && !atomic_) point(where->getBeginLoc());  // the others go on
    line("__VERIFIER_assume(0);");
  }
  out_->close(waits ? "} while (0);" : "}");
}

void Function::choose_case(const clang::SwitchStmt* choice) {
  std::string chosen = value(choice->getCond());
  release_temporaries();
  out_->open("switch (" + chosen + ") {");
  statement(choice->getBody());
  out_->close();
}

void Function::case_label(const clang::SwitchCase* label) {
  if (const auto* one = llvm::dyn_cast<clang::CaseStmt>(label)) {
    std::string text = "case " + value(one->getLHS());
    if (one->getRHS() != nullptr) text += " ... " + value(one->getRHS());
    line(text + ":;");
  } else {
    line("default:;");
  }
  statement(label->getSubStmt());
}

void Function::give_back(const clang::ReturnStmt* statement) {
  const Expr* given = statement->getRetValue();
  std::string text;
  if (given != nullptr) {
    if (given->getType()->isVoidType()) {
      effect(given);
    } else {
      text = value(given);
    }
  }
  if (resumable_) {
    if (!text.empty()) line("thrum_f->thrum_result = " + text + ";");
    if (atomic_) line("--thrum_atomic;");
    line("return 0;");
  } else {
    if (atomic_ && instrumented()) line("--thrum_atomic;");
    line(text.empty() ? "return;" : "return " + text + ";");
  }
  release_temporaries();
}

void Function::declare(const clang::VarDecl* variable) {
  if (variable->hasExternalStorage() || variable->isStaticLocal()) return;  // outside, in program.cpp
  clang::QualType type = variable->getType();
  if (type->isVariablyModifiedType()) {
    refuse(variable->getLocation(), "an array whose size is no constant",
           "give it a constant size, or use malloc");
  }
  variables_[variable] = local(variable->getName().str(), type, keeps(variable));
  if (variable->getInit() == nullptr) return;
  set_position(variable->getLocation());
  initialise(variables_[variable], type, variable->getInit());
}

}  // namespace thrum::seq
