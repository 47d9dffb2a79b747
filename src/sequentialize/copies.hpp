// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The eager rounds keep a copy of each shared variable for each round. What a round begins with is guessed,
// and compared in the end with what the round before it left (Lal and Reps, CAV 2008).
#pragma once

#include <clang/AST/Decl.h>

#include <string>

#include "sequentialize/declarations.hpp"
#include "sequentialize/source.hpp"
#include "sequentialize/text.hpp"

namespace thrum::seq {

class Copies {
 public:
  // Mutexes may be locked again by the thread that has them.
  void let_mutexes_nest() { mutexes_nest_ = true; }
  // Throws SourceError where the variable is of a type that cannot be guessed.
  void add(const Source& source, const Declarations& declarations, const clang::VarDecl* variable);
  // thrum_guess and thrum_compare.
  void write(Text& text) const;

 private:
  struct Leaf {
    std::string object;  // with "#" where the round stands
    std::string value;   // that is guessed
    std::string loops;   // around it
    unsigned depth = 0;  // of these
  };
  void add_leaves(const Source& source, const clang::VarDecl* variable, clang::QualType type, Leaf leaf);

  bool mutexes_nest_ = false;
  std::vector<std::string> declarations_;  // of what was guessed
  std::vector<Leaf> leaves_;
};

}  // namespace thrum::seq
