// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites one function. In its normal form a statement has one access to shared memory, with a scheduling
// point before it. statements.cpp rewrites control flow, expressions.cpp values, accesses.cpp memory and
// scheduling points, calls.cpp functions, library.cpp threads and their synchronisation.
//
// A computed value is a text over locals. Nothing changes these locals before the value is used: C does not
// define the result of such a change, unless something is sequenced in between (&&, ||, ?:); there the value
// is stored.
//
// Locals are declared at the beginning of the function, under unique names, so jumps pass over no
// declaration.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sequentialize/declarations.hpp"
#include "sequentialize/program.hpp"
#include "sequentialize/sharing.hpp"
#include "sequentialize/text.hpp"

namespace thrum::seq {

class Function {
 public:
  Function(Program& program, const Source& source, Declarations& declarations, Defined& defined);

  // Reads the body, and stores in the program what that has to know.
  void read();

  void write_prototype(Text& text) const;
  void write_frame(Text& text) const;  // lazy: the struct of its locals while other threads run
  void write_definition(Text& text) const;

 private:
  using Expr = clang::Expr;

  // --- statements.cpp ---

  struct Jumps {
    std::string on;  // target of 'continue'
    bool used = false;
  };
  void statement(const clang::Stmt* statement);
  void assembly(const clang::GCCAsmStmt* code);
  void branch(const clang::IfStmt* branch);
  // condition, step: may be missing. first: the body comes before the condition.
  void loop(const clang::Stmt* where, const Expr* condition, const Expr* step, const clang::Stmt* body,
            bool first);
  void choose_case(const clang::SwitchStmt* choice);
  void case_label(const clang::SwitchCase* label);
  void give_back(const clang::ReturnStmt* statement);
  void declare(const clang::VarDecl* variable);

  // --- expressions.cpp ---

  std::string value(const Expr* expression);
  void effect(const Expr* expression);
  std::string cast(const clang::CastExpr* cast);
  std::string unary(const clang::UnaryOperator* unary);
  std::string step(const clang::UnaryOperator* unary, bool wanted);
  std::string binary(const clang::BinaryOperator* binary);
  std::string logical(const clang::BinaryOperator* binary);
  std::string conditional(const clang::AbstractConditionalOperator* choice, bool wanted);
  std::string assign(const clang::BinaryOperator* assignment, bool wanted);
  std::string compound_assign(const clang::CompoundAssignOperator* assignment, bool wanted);
  std::string block_value(const clang::StmtExpr* block, bool wanted);
  std::string size_of(const clang::UnaryExprOrTypeTraitExpr* expression);
  std::string printed(const Expr* expression);
  // Stores the initialiser of an object, part by part.
  void initialise(const std::string& object, clang::QualType type, const Expr* from);
  void clear_anonymous(const std::string& object, const clang::RecordDecl* record);
  void initialise_array(const std::string& object, const clang::ConstantArrayType* type, const Expr* from);

  // --- accesses.cpp ---

  std::string place(const Expr* lvalue);
  std::string variable(const clang::VarDecl* variable);
  std::string read(const Expr* lvalue);
  // Returns the value that was written, if it is wanted.
  std::string write(const Expr* lvalue, const std::string& value, bool wanted);
  void narrow(const Expr* lvalue, const std::string& value);
  void point(clang::SourceLocation where);
  void access_point(const Expr* lvalue, const std::string& place, bool writes);
  bool is_race_target(const Expr* lvalue) const;
  bool is_shared(const Expr* lvalue) const { return sharing_.is_shared(lvalue); }
  void stop_if(const std::string& condition);
  // The scheduling point of an atomic operation on the object that the pointer points to.
  void atomic_point(const Expr* pointer, const std::string& object, bool writes);
  void race_check(const std::string& place, bool writes, bool is_atomic);

  // --- calls.cpp ---

  std::string call(const clang::CallExpr* call, bool wanted);
  std::string call_defined(const Defined& callee, const clang::CallExpr* call, bool wanted);
  std::string call_pointer(const clang::CallExpr* call, bool wanted);
  std::string call_library(const clang::FunctionDecl* callee, const clang::CallExpr* call, bool wanted);
  std::vector<std::string> arguments(const clang::CallExpr* call);
  void resumable_call(const Defined& callee, const std::vector<std::string>& arguments,
                      const std::string& result);
  std::string atomic(const clang::AtomicExpr* expression, bool wanted);
  std::string still_atomic(const clang::AtomicExpr* expression, bool wanted);
  std::string builtin_atomic(llvm::StringRef name, const clang::CallExpr* call, bool wanted, bool& known);
  // One step that reads, and may write, the object that the pointer points to.
  std::string read_modify(const Expr* pointer, const std::string& operation, const std::string& operand,
                          bool old, bool wanted);
  std::string compare_exchange(const Expr* pointer, const Expr* expected, const Expr* wished);

  // --- library.cpp ---

  // nullopt if the function is not known.
  std::optional<std::string> known_call(const std::string& name, const clang::CallExpr* call);
  std::optional<std::string> thread_call(const std::string& name, const clang::CallExpr* call);
  std::optional<std::string> lock_call(const std::string& name, const clang::CallExpr* call);
  std::optional<std::string> set_up_call(const std::string& name, const clang::CallExpr* call);
  std::optional<std::string> wait_call(const std::string& name, const clang::CallExpr* call);
  void once_call(const clang::CallExpr* call);
  void meeting_step(const clang::CallExpr* call, const std::string& text);  // without a scheduling point
  void meeting_point(const clang::CallExpr* call, const std::string& text);
  std::optional<std::string> verifier_call(const std::string& name, const clang::CallExpr* call);
  void start_thread(const clang::CallExpr* call);
  void fail(const std::string& message);
  std::string behind(const Expr* pointer);  // the object that it points to, as an lvalue

  // --- function.cpp ---

  bool instrumented() const { return program_.options.form != Form::normal; }
  Form form() const { return program_.options.form; }
  std::string temporary(clang::QualType type);
  void release_temporaries() { temporaries_in_use_ = temporaries_kept_; }
  // Declares a new local and returns its text. keep: others may have pointers to it.
  std::string local(const std::string& name, clang::QualType type, bool keep = false);
  bool keeps(const clang::VarDecl* variable) const;
  std::string kept(const std::string& name, clang::QualType type);
  std::string in_frame(const std::string& name) const {
    return form() == Form::lazy && resumable_ ? "thrum_f->" + name : name;
  }
  bool is_null(const Expr* pointer) const {
    return pointer->isNullPointerConstant(source_.context(), Expr::NPC_ValueDependentIsNotNull) !=
           Expr::NPCK_NotNull;
  }
  std::string head() const;   // "static int f(int x)"
  std::string leave() const;  // "return 0;" of the function's type
  std::string new_label(const char* what);
  void line(const std::string& text) { out_->line(text); }
  void changed() { ++changes_; }
  void set_position(clang::SourceLocation where) { out_->at(source_.place(where)); }
  // The text that the action writes.
  template <typename Action>
  Text written_by(Action action) {
    Text text;
    text.at(out_->origin());
    Text* before = out_;
    out_ = &text;
    action();
    out_ = before;
    return text;
  }
  [[noreturn]] void refuse(clang::SourceLocation where, const std::string& construct,
                           const std::string& advice) const {
    source_.refuse(where, construct, advice);
  }

  Program& program_;
  const Source& source_;
  Declarations& declarations_;
  Defined& defined_;
  const clang::FunctionDecl* function_;
  Sharing sharing_;
  bool resumable_ = false;  // lazy: it stops at scheduling points and resumes there
  bool atomic_ = false;     // called __VERIFIER_atomic_...: it is one step

  struct Local {
    std::string name;
    std::string declaration;
  };
  Names local_names_;
  std::vector<Local> locals_;
  std::vector<Local> kept_;  // KISS: those that stay when a thread ends early
  std::map<const clang::VarDecl*, std::string> variables_;
  std::multimap<std::string, std::string> temporaries_;  // by type
  std::set<std::string> temporaries_in_use_;
  std::set<std::string> temporaries_kept_;  // of expressions around the statement
  std::map<const clang::OpaqueValueExpr*, std::string> opaque_;
  std::map<std::string, std::string> child_frames_;  // of callees: the text that declares them
  std::vector<Jumps> jumps_;
  unsigned labels_ = 0;
  unsigned points_ = 0;   // at which the function may resume
  unsigned changes_ = 0;  // of anything but temporaries
  Text body_;
  Text* out_ = &body_;
};

// The names of a function's parameters, which hide no outer declaration.
std::vector<std::string> parameter_names(const clang::FunctionDecl* function, const Declarations& outside);

// The text as an operand of any operator.
std::string wrapped(const std::string& text);

}  // namespace thrum::seq
