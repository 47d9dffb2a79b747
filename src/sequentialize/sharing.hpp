// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which memory threads may share. A variable of static storage that is not const, and what pointers lead to;
// also a local variable whose address is taken. What is shared in none of these ways needs no scheduling
// point.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <set>

namespace thrum::seq {

// Local variables of the function whose addresses are taken, or that are arrays used as pointers.
std::set<const clang::VarDecl*> escaping_variables(const clang::FunctionDecl* function);

// Of static storage, for all threads.
bool is_shared_variable(const clang::VarDecl* variable);

class Sharing {
 public:
  // pointers: what they lead to counts as shared.
  Sharing(std::set<const clang::VarDecl*> escaping, bool pointers)
      : escaping_(std::move(escaping)), pointers_(pointers) {}

  bool is_shared(const clang::Expr* lvalue) const;
  bool escapes(const clang::VarDecl* variable) const { return escaping_.contains(variable); }

 private:
  std::set<const clang::VarDecl*> escaping_;
  bool pointers_;
};

// The array that an expression of pointer type is made of; nothing where it is a pointer.
const clang::Expr* array_behind(const clang::Expr* pointer);
// Without parentheses, and without casts that change nothing.
const clang::Expr* bare(const clang::Expr* expression);

}  // namespace thrum::seq
