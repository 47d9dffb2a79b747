// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sequentialize/sharing.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

namespace thrum::seq {

namespace {

// The variable that an lvalue is a part of, where no pointer is followed.
const clang::VarDecl* variable_of(const clang::Expr* lvalue) {
  for (;;) {
    lvalue = bare(lvalue);
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(lvalue))
      return llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(lvalue)) {
      if (member->isArrow()) return nullptr;
      lvalue = member->getBase();
    } else if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(lvalue)) {
      lvalue = array_behind(element->getBase());
      if (lvalue == nullptr) return nullptr;
    } else {
      return nullptr;
    }
  }
}

class FindEscaping : public clang::RecursiveASTVisitor<FindEscaping> {
 public:
  bool VisitUnaryOperator(clang::UnaryOperator* unary) {
    if (unary->getOpcode() == clang::UO_AddrOf) note(unary->getSubExpr());
    return true;
  }
  // These look at what they are given, and keep no pointer to it.
  bool TraverseCallExpr(clang::CallExpr* call) {
    const clang::FunctionDecl* callee = call->getDirectCallee();
    llvm::StringRef name = callee != nullptr && callee->getDeclName().isIdentifier() ? callee->getName() : "";
    bool keeps_none = (name.starts_with("pthread_") || name.starts_with("sem_")) && !callee->isDefined();
    for (unsigned i = 0; i < call->getNumArgs(); ++i) {
      bool kept = !keeps_none || (name == "pthread_create" && i == 3);
      if (!TraverseStmt(kept ? call->getArg(i) : pointee(call->getArg(i)))) return false;
    }
    return TraverseStmt(call->getCallee());
  }
  bool TraverseAtomicExpr(clang::AtomicExpr* operation) {
    for (unsigned i = 0; i < operation->getNumSubExprs(); ++i) {
      clang::Expr* each = operation->getSubExprs()[i];
      bool expected = operation->isCmpXChg() && each == operation->getVal1();
      if (!TraverseStmt(expected ? pointee(each) : each)) return false;
    }
    return true;
  }
  bool TraverseArraySubscriptExpr(clang::ArraySubscriptExpr* element) {
    if (const clang::Expr* array = array_behind(element->getBase())) {
      return TraverseStmt(const_cast<clang::Expr*>(array)) && TraverseStmt(element->getIdx());
    }
    return RecursiveASTVisitor::TraverseArraySubscriptExpr(element);
  }
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) {
    if (cast->getCastKind() == clang::CK_ArrayToPointerDecay) note(cast->getSubExpr());
    return true;
  }
  std::set<const clang::VarDecl*> found;

 private:
  // The object itself, where its address is taken for this.
  static clang::Expr* pointee(clang::Expr* pointer) {
    auto* address = llvm::dyn_cast<clang::UnaryOperator>(pointer->IgnoreParenCasts());
    return address != nullptr && address->getOpcode() == clang::UO_AddrOf ? address->getSubExpr() : pointer;
  }
  void note(const clang::Expr* lvalue) {
    if (const clang::VarDecl* variable = variable_of(lvalue)) found.insert(variable);
  }
};

}  // namespace

const clang::Expr* bare(const clang::Expr* expression) {
  for (;;) {
    expression = expression->IgnoreParens();
    const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(expression);
    if (cast == nullptr || cast->getCastKind() != clang::CK_NoOp) return expression;
    expression = cast->getSubExpr();
  }
}

const clang::Expr* array_behind(const clang::Expr* pointer) {
  const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(bare(pointer));
  if (cast == nullptr || cast->getCastKind() != clang::CK_ArrayToPointerDecay) return nullptr;
  return cast->getSubExpr();
}

std::set<const clang::VarDecl*> escaping_variables(const clang::FunctionDecl* function) {
  FindEscaping visitor;
  visitor.TraverseStmt(function->getBody());
  return visitor.found;
}

bool is_shared_variable(const clang::VarDecl* variable) {
  return variable->hasGlobalStorage() && variable->getTLSKind() == clang::VarDecl::TLS_None &&
         !variable->getType().isConstQualified() &&
         !variable->getASTContext().getBaseElementType(variable->getType()).isConstQualified();
}

bool Sharing::is_shared(const clang::Expr* lvalue) const {
  lvalue = bare(lvalue);
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(lvalue)) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    if (variable == nullptr) return false;
    return is_shared_variable(variable) || (pointers_ && escaping_.contains(variable));
  }
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(lvalue)) {
    return member->isArrow() ? pointers_ : is_shared(member->getBase());
  }
  if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(lvalue)) {
    const clang::Expr* array = array_behind(element->getBase());
    return array != nullptr ? is_shared(array) : pointers_;
  }
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(lvalue)) {
    return unary->getOpcode() == clang::UO_Deref && pointers_;
  }
  if (llvm::isa<clang::CompoundLiteralExpr>(lvalue)) return pointers_;
  return false;
}

}  // namespace thrum::seq
