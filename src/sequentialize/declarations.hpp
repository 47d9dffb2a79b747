// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types and names: what the sequential program calls what a C file declares, and how its types are written.
// Types that threads use to meet (pthread_mutex_t) are ours, and _Atomic is gone.
//
// Each declaration of the tree is given its new name in place, so that Clang's own printer writes it.
#pragma once

#include <clang/AST/PrettyPrinter.h>
#include <clang/AST/Type.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sequentialize/names.hpp"
#include "sequentialize/source.hpp"
#include "sequentialize/text.hpp"

namespace thrum::seq {

// What the declarations of all files together took.
struct ProgramNames {
  Names ordinary;  // variables, functions, types by typedef, enumerators
  Names tags;
  std::set<std::string> library;                   // what headers of the system declare
  std::map<std::string, std::string> unnamed;      // tags without names, by their places
  std::map<std::string, std::string> definitions;  // of types: "struct s" or a name of a typedef, to its text
};

enum class Meeting {
  none,
  thread,
  mutex,
  condition,
  rwlock,
  spinlock,
  barrier,
  semaphore,
  attribute,
  once,
  flag
};

class Declarations {
 public:
  // keeps_atomic: what is written is concurrent still.
  Declarations(const Source& source, ProgramNames& names, bool keeps_atomic);

  const clang::PrintingPolicy& policy() const { return policy_; }
  // "int *x[3]". The name may be an expression.
  std::string declare(clang::QualType type, const std::string& name) const;
  std::string type(clang::QualType type) const { return declare(type, ""); }
  // Of a value: nothing is const or volatile about it.
  clang::QualType of_value(clang::QualType type) const;
  // Without _Atomic, at any depth that no name hides.
  clang::QualType plain(clang::QualType type) const;
  static Meeting meeting(clang::QualType type);
  static bool is_atomic(clang::QualType type);
  // Whether a pointer to the one may lead to the other, in another file perhaps.
  bool may_be_called_as(clang::QualType function, clang::QualType type) const;

  // Takes the names that other files may mean too.
  void reserve();
  // Gives what is declared in the file, or in one of its functions, the names that it will have.
  void rename();
  // Whether something outside functions has the name, so that a local of this name would hide it.
  bool is_outside(const std::string& name) const;
  // Definitions of types, each once for all files.
  void write_types(Text& text);
  // Whether a type by which threads meet was written.
  bool meets() const { return meets_; }
  // Says that what a system header declares is used.
  void uses(const clang::Decl* declaration) const;
  // The lines that take in what is used.
  const std::set<std::string>& needed_includes() const { return needed_; }

 private:
  friend class Renamer;
  void write_type(const clang::TypeDecl* type, Text& text);
  void write_types_of_fields(const clang::RecordDecl* record, Text& text);
  void define(const clang::TagDecl* tag, Text& text);
  void define(const clang::TypedefNameDecl* alias, Text& text);
  std::string enumeration(const clang::EnumDecl* tag) const;
  void write_fields(const clang::RecordDecl* record, Text& text) const;
  std::string attributes(const clang::Decl* declaration) const;

  const Source& source_;
  ProgramNames& names_;
  bool keeps_atomic_;
  clang::PrintingPolicy policy_;
  std::vector<const clang::TypeDecl*> types_;  // in the order of the text
  std::set<const clang::Decl*> written_;
  mutable std::set<std::string> needed_;
  mutable bool meets_ = false;
};

}  // namespace thrum::seq
