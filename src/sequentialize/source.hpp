// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C files as Clang's syntax trees, and positions in them as ours.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>
#include <clang/Frontend/ASTUnit.h>

#include <memory>
#include <string>
#include <vector>

#include "sequentialize/options.hpp"

namespace thrum::seq {

class Source {
 public:
  // Throws SourceError where the file cannot be read or does not compile.
  Source(const std::string& path, const std::vector<std::string>& flags);

  clang::ASTContext& context() const { return unit_->getASTContext(); }
  const clang::SourceManager& sources() const { return unit_->getSourceManager(); }
  const std::string& path() const { return path_; }

  Place place(clang::SourceLocation location) const;
  // Whether it stands in a header that was found where the system's are.
  bool of_system(const clang::Decl* declaration) const;
  // The words "#include <...>" by which the program's own files take in the system header that holds it.
  std::string include_of(const clang::Decl* declaration) const;
  // Definitions of macros that system headers look at ("#define _GNU_SOURCE").
  std::vector<std::string> feature_macros() const;
  // "#include <...>" as the program's own files say it, each once.
  std::vector<std::string> includes() const;

  [[noreturn]] void refuse(clang::SourceLocation where, const std::string& construct,
                           const std::string& advice) const;

 private:
  std::string line_at(clang::SourceLocation location) const;

  std::string path_;
  std::vector<std::string> flags_;
  std::unique_ptr<clang::ASTUnit> unit_;
};

}  // namespace thrum::seq
