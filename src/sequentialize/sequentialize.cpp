// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files are read, their functions written twice (the first time finds out which of them need what), and
// everything is put together.
#include "sequentialize/sequentialize.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>

#include "sequentialize/constants.hpp"
#include "sequentialize/copies.hpp"
#include "sequentialize/declarations.hpp"
#include "sequentialize/function.hpp"
#include "sequentialize/prelude.hpp"
#include "sequentialize/program.hpp"
#include "sequentialize/source.hpp"

namespace thrum::seq {

namespace {

// What the program may define itself, and is known all the same.
bool is_of_verifiers(llvm::StringRef name) {
  return name == "reach_error" || name == "__VERIFIER_error" || name == "__VERIFIER_assert" ||
         name == "__VERIFIER_assume" || name == "__VERIFIER_atomic_begin" ||
         name == "__VERIFIER_atomic_end" || name == "assume_abort_if_not" || name.starts_with("thrum_");
}

class StaticLocals : public clang::RecursiveASTVisitor<StaticLocals> {
 public:
  bool VisitVarDecl(clang::VarDecl* variable) {
    if (variable->isStaticLocal()) found.push_back(variable);
    return true;
  }
  std::vector<const clang::VarDecl*> found;
};

// The functions that variables of static storage begin with.
class FunctionsInTables : public clang::RecursiveASTVisitor<FunctionsInTables> {
 public:
  bool VisitVarDecl(clang::VarDecl* variable) {
    if (!variable->hasGlobalStorage() || variable->getInit() == nullptr) return true;
    inside_ = true;
    TraverseStmt(variable->getInit());
    inside_ = false;
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    if (inside_ && llvm::isa<clang::FunctionDecl>(reference->getDecl()))
      found.push_back(reference->getDecl());
    return true;
  }
  std::vector<const clang::ValueDecl*> found;

 private:
  bool inside_ = false;
};

struct File {
  std::unique_ptr<Source> source;
  std::unique_ptr<Declarations> declarations;
  std::vector<std::string> functions;  // in the order of the text
};

class Assembly {
 public:
  explicit Assembly(const Options& options) { program_.options = options; }

  Sequential run(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      File file;
      file.source = std::make_unique<Source>(path, program_.options.flags);
      file.declarations =
          std::make_unique<Declarations>(*file.source, program_.names, program_.options.form == Form::normal);
      files_.push_back(std::move(file));
    }
    choose_race();
    for (File& file : files_) file.declarations->reserve();
    for (std::size_t i = 0; i < files_.size(); ++i) {
      files_[i].declarations->rename();
      collect_functions(i);
    }
    if (!program_.functions.contains("thrum_main"))
      throw SourceError({paths[0], 0, 0}, "there is no function main");
    program_.thread_number("thrum_main");
    note_functions_in_tables();
    write_functions();
    program_.close();
    if (program_.race && !program_.race->found) {
      throw SourceError({paths[0], 0, 0}, "--race " + program_.options.race +
                                              ": no access to it was found; name a variable, or TYPE.FIELD");
    }
    write_functions();
    return put_together();
  }

 private:
  void choose_race() {
    const std::string& race = program_.options.race;
    if (race.empty()) return;
    if (program_.options.form == Form::eager) {
      throw SourceError({files_[0].source->path(), 0, 0},
                        "--race has no eager rounds: use the lazy rounds, or KISS");
    }
    std::size_t dot = race.find('.');
    program_.race = dot == std::string::npos ? RaceTarget{"", race}
                                             : RaceTarget{race.substr(0, dot), race.substr(dot + 1)};
  }

  void collect_functions(std::size_t index) {
    File& file = files_[index];
    for (const clang::Decl* each : file.source->context().getTranslationUnitDecl()->decls()) {
      const auto* function = llvm::dyn_cast<clang::FunctionDecl>(each);
      if (function == nullptr || !function->isThisDeclarationADefinition() ||
          file.source->of_system(function))
        continue;
      if (!function->getDeclName().isIdentifier() ||
          (is_of_verifiers(function->getName()) && function->getName() != "thrum_main"))
        continue;
      std::string name = function->getName().str();
      auto [known, is_new] = program_.functions.try_emplace(name);
      if (!is_new) {
        throw SourceError(file.source->place(function->getLocation()),
                          "'" + name + "' is defined in another file too");
      }
      known->second.name = name;
      known->second.declaration = function;
      known->second.file = index;
      known->second.parameters = parameter_names(function, *file.declarations);
      file.functions.push_back(name);
    }
  }

  void note_functions_in_tables() {
    FunctionsInTables tables;
    for (File& file : files_) {
      for (clang::Decl* each : file.source->context().getTranslationUnitDecl()->decls()) {
        if (!file.source->of_system(each)) tables.TraverseDecl(each);
      }
    }
    for (const clang::ValueDecl* each : tables.found) {
      auto function = program_.functions.find(each->getName().str());
      if (function != program_.functions.end()) function->second.address_taken = true;
    }
  }

  void write_functions() {
    written_.clear();
    for (const File& file : files_) {
      for (const std::string& name : file.functions) {
        Defined& defined = program_.functions.at(name);
        auto function = std::make_unique<Function>(program_, *file.source, *file.declarations, defined);
        function->read();
        written_.emplace(name, std::move(function));
      }
    }
  }

  Sequential put_together() {
    Text types, prototypes, variables, functions;
    for (File& file : files_) file.declarations->write_types(types);
    for (const File& file : files_) {
      for (const std::string& name : file.functions) written_.at(name)->write_prototype(prototypes);
      write_library_prototypes(file, prototypes);
    }
    if (program_.features.contains(Feature::recursion)) copies_.let_mutexes_nest();
    for (const File& file : files_) write_variables(file, variables);
    for (const File& file : files_) {
      for (const std::string& name : file.functions) {
        functions.blank();
        written_.at(name)->write_definition(functions);
      }
    }
    for (const File& file : files_) {
      if (file.declarations->meets()) program_.features.insert(Feature::meeting);
    }
    Text whole;
    whole.block("/* Written by thrum sequentialize: do not edit. */\n");
    write_includes(whole);
    whole.block("\n" + prelude(program_) + "\n");
    whole.add(types);
    if (program_.options.form == Form::lazy) write_frame_names(whole);
    whole.add(prototypes);
    whole.add(variables);
    write_frames(whole);
    whole.add(functions);
    if (program_.options.form == Form::eager) copies_.write(whole);
    whole.block("\n" + epilogue(program_));
    Sequential result;
    for (const Text::Line& line : whole.lines()) {
      result.text += line.text + '\n';
      result.origins.push_back(line.origin);
    }
    result.functions = program_.thread_functions;
    return result;
  }

  void write_includes(Text& text) const {
    std::set<std::string> said;
    text.block(
        "#ifndef _DEFAULT_SOURCE\n#define _DEFAULT_SOURCE 1 /* as the compiler has it by default */\n#endif");
    for (const File& file : files_) {
      for (const std::string& macro : file.source->feature_macros()) {
        if (said.insert(macro).second) text.block(macro);
      }
    }
    // What these declare is ours, unless something else of them is used.
    static const std::set<std::string> replaced = {"pthread.h", "stdatomic.h", "assert.h",      "semaphore.h",
                                                   "stdbool.h", "threads.h",   "thrum/thrum.h", "sched.h"};
    for (const File& file : files_) {
      const std::set<std::string>& needed = file.declarations->needed_includes();
      for (const std::string& line : file.source->includes()) {
        std::size_t begin = line.find_first_of("<\"");
        std::size_t end = line.find_first_of(">\"", begin + 1);
        std::string name = begin == std::string::npos || end == std::string::npos
                               ? ""
                               : line.substr(begin + 1, end - begin - 1);
        if (program_.options.form != Form::normal && replaced.contains(name) && !needed.contains(line))
          continue;
        if (said.insert("#include <" + name + ">").second) text.block("#include <" + name + ">");
      }
    }
  }

  // Functions that the program declares itself and that no file defines.
  void write_library_prototypes(const File& file, Text& text) {
    static const std::set<std::string> ours = {"__VERIFIER_nondet_bool", "__VERIFIER_assume", "reach_error",
                                               "abort"};
    for (const clang::Decl* each : file.source->context().getTranslationUnitDecl()->decls()) {
      const auto* function = llvm::dyn_cast<clang::FunctionDecl>(each);
      if (function == nullptr || file.source->of_system(function) || !function->getDeclName().isIdentifier())
        continue;
      std::string name = function->getName().str();
      if (program_.functions.contains(name) || is_of_verifiers(name) || ours.contains(name) ||
          function->isThisDeclarationADefinition() || !function->isReferenced() ||
          !declared_.insert(name).second)
        continue;
      text.at(file.source->place(function->getLocation()));
      text.line("extern " + file.declarations->declare(function->getType(), name) + ";");
    }
  }

  void write_variables(const File& file, Text& text) {
    std::vector<const clang::VarDecl*> variables;
    for (clang::Decl* each : file.source->context().getTranslationUnitDecl()->decls()) {
      if (file.source->of_system(each)) continue;
      if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(each)) variables.push_back(variable);
      const auto* function = llvm::dyn_cast<clang::FunctionDecl>(each);
      if (function == nullptr || !program_.functions.contains(function->getName().str())) continue;
      StaticLocals locals;
      locals.TraverseDecl(each);
      variables.insert(variables.end(), locals.found.begin(), locals.found.end());
    }
    for (const clang::VarDecl* variable : variables) write_variable(file, variable, text);
  }

  void write_variable(const File& file, const clang::VarDecl* variable, Text& text) {
    std::string name = variable->getName().str();
    text.at(file.source->place(variable->getLocation()));
    bool is_local = variable->isStaticLocal();
    const clang::VarDecl* definition = is_local ? variable : variable->getDefinition();
    if (definition == nullptr && !is_local)
      definition = const_cast<clang::VarDecl*>(variable)->getActingDefinition();
    bool is_static = is_local || variable->getFormalLinkage() == clang::Linkage::Internal;
    bool thread_local_one =
        variable->getTLSKind() != clang::VarDecl::TLS_None && program_.options.form != Form::normal;
    std::string storage = is_static ? "static " : "";
    if (variable->getTLSKind() != clang::VarDecl::TLS_None && !thread_local_one) storage += "_Thread_local ";
    bool copied = program_.options.form == Form::eager && is_shared_variable(variable);
    std::string object = thread_local_one ? name + "[THRUM_THREADS]"
                         : copied         ? name + "[THRUM_ROUNDS]"
                                          : name;
    if (definition == nullptr || (definition != variable && !is_local)) {
      // Declared here; others may name it before its definition.
      if (!declared_.insert(name).second) return;
      if (is_static)
        return text.line(storage + file.declarations->declare(variable->getType(), object) + ";");
      text.line("extern " + storage + file.declarations->declare(variable->getType(), object) + ";");
      return;
    }
    if (!defined_.insert(name).second) return;
    std::string line = storage + file.declarations->declare(definition->getType(), object);
    if (const clang::Expr* initial = definition->getInit(); initial != nullptr) {
      std::string value = initial_value(*file.source, *file.declarations, definition->getType(), initial);
      if (value.find(".kind = 1") != std::string::npos) copies_.let_mutexes_nest();
      line += " = " + (thread_local_one ? "{[0 ... THRUM_THREADS - 1] = " + value + "}"
                       : copied         ? "{" + value + "}"
                                        : value);
    }
    text.line(line + ";");
    if (copied) copies_.add(*file.source, *file.declarations, definition);
  }

  void write_frame_names(Text& text) const {
    for (const auto& [name, function] : program_.functions) {
      if (function.visible) text.block("struct thrum_frame_" + name + ";");
    }
  }

  // Those of callees before those that hold them.
  void write_frames(Text& text) const {
    if (program_.options.form != Form::lazy) return;
    std::set<std::string> done;
    std::function<void(const std::string&)> write = [&](const std::string& name) {
      if (!done.insert(name).second) return;
      const Defined& function = program_.functions.at(name);
      for (const std::string& callee : function.callees) {
        if (!program_.is_recursive_call(name, callee)) write(callee);
      }
      written_.at(name)->write_frame(text);
    };
    for (const auto& [name, function] : program_.functions) write(name);
  }

  Program program_;
  std::vector<File> files_;
  std::map<std::string, std::unique_ptr<Function>> written_;
  Copies copies_;
  std::set<std::string> declared_;
  std::set<std::string> defined_;
};

}  // namespace

Sequential sequentialize(const std::vector<std::string>& files, const Options& options) {
  return Assembly(options).run(files);
}

}  // namespace thrum::seq
