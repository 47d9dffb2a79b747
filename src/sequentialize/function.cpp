// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sequentialize/function.hpp"

#include <clang/AST/ASTContext.h>

#include <cctype>

namespace thrum::seq {

std::string wrapped(const std::string& text) {
  // Names, numbers and what stands behind them (calls, indices, members) bind closer than any operator.
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (depth > 0 || c == ')' || c == ']' || c == '_' || c == '.') continue;
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) continue;
    if (c == '-' && i > 0 && i + 1 < text.size() && text[i + 1] == '>') {
      ++i;
      continue;
    }
    return "(" + text + ")";
  }
  // "(int)x" is none of these.
  if (!text.empty() && text[0] == '(') {
    depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '(') ++depth;
      if (text[i] == ')' && --depth == 0) {
        bool rest_is_suffix = i + 1 == text.size() || text[i + 1] == '.' || text[i + 1] == '[' ||
                              text.compare(i + 1, 2, "->") == 0;
        return rest_is_suffix ? text : "(" + text + ")";
      }
    }
  }
  return text;
}

Function::Function(Program& program, const Source& source, Declarations& declarations, Defined& defined)
    : program_(program),
      source_(source),
      declarations_(declarations),
      defined_(defined),
      function_(defined.declaration),
      sharing_(escaping_variables(function_), program.options.form != Form::eager) {
  resumable_ = form() == Form::lazy && defined_.visible;
  atomic_ = function_->getName().starts_with("__VERIFIER_atomic_");
  for (unsigned i = 0; i < function_->getNumParams(); ++i) {
    const clang::ParmVarDecl* parameter = function_->getParamDecl(i);
    const std::string& name = defined.parameters[i];
    local_names_.fresh(name);
    variables_[parameter] = in_frame(name);
    if (keeps(parameter)) variables_[parameter] = kept(name, parameter->getType());
    if (resumable_)
      locals_.push_back({name, declarations_.declare(declarations_.of_value(parameter->getType()), name)});
  }
}

std::vector<std::string> parameter_names(const clang::FunctionDecl* function, const Declarations& outside) {
  std::vector<std::string> result;
  Names names;
  for (const clang::ParmVarDecl* parameter : function->parameters()) {
    std::string name = parameter->getName().str();
    if (name.empty()) name = "unnamed";
    while (outside.is_outside(name)) name += "_";
    result.push_back(names.fresh(name));
  }
  return result;
}

// By KISS a thread that ends early leaves its functions, and others may still have pointers to its locals.
bool Function::keeps(const clang::VarDecl* variable) const {
  return form() == Form::kiss && sharing_.escapes(variable);
}

std::string Function::kept(const std::string& name, clang::QualType type) {
  kept_.push_back({name, declarations_.declare(declarations_.of_value(type), name)});
  return "thrum_kept->" + name;
}

void Function::read() {
  if (function_->isVariadic()) {
    refuse(function_->getLocation(), "a function of any number of arguments", "give it fixed ones");
  }
  for (const clang::ParmVarDecl* parameter : function_->parameters()) {
    if (parameter->getOriginalType()->isVariablyModifiedType())
      refuse(parameter->getLocation(), "an array whose size is no constant", "give it a constant size");
  }
  set_position(function_->getLocation());
  if (resumable_ && !function_->getReturnType()->isVoidType()) {
    locals_.push_back(
        {"thrum_result",
         declarations_.declare(declarations_.of_value(function_->getReturnType()), "thrum_result")});
  }
  if (atomic_ && instrumented()) {
    point(function_->getLocation());
    line("++thrum_atomic;");
  }
  for (const clang::Stmt* each : llvm::cast<clang::CompoundStmt>(function_->getBody())->body())
    statement(each);
  set_position(function_->getBodyRBrace());
  if (atomic_ && instrumented()) line("--thrum_atomic;");
  if (resumable_ || (defined_.name == "thrum_main" && function_->getReturnType()->isIntegerType()))
    line("return 0;");
  defined_.has_points = points_ > 0;
}

std::string Function::temporary(clang::QualType type) {
  std::string text = declarations_.type(declarations_.of_value(type));
  auto [begin, end] = temporaries_.equal_range(text);
  for (auto i = begin; i != end; ++i) {
    if (temporaries_in_use_.insert(i->second).second) return i->second;
  }
  std::string name = local("thrum_t" + std::to_string(temporaries_.size() + 1), type);
  temporaries_.emplace(text, name);
  temporaries_in_use_.insert(name);
  return name;
}

std::string Function::local(const std::string& wanted, clang::QualType type, bool keep) {
  // A local that hid something outside would go on hiding it, where other statements want that.
  std::string name = wanted;
  for (unsigned i = 2; declarations_.is_outside(name) || local_names_.taken(name); ++i)
    name = wanted + "_" + std::to_string(i);
  local_names_.fresh(name);
  if (keep) return kept(name, type);
  locals_.push_back({name, declarations_.declare(declarations_.of_value(type), name)});
  return in_frame(name);
}

std::string Function::leave() const {
  if (resumable_) return "return 1;";
  clang::QualType type = function_->getReturnType();
  if (type->isVoidType()) return "return;";
  if (type->isRecordType()) return "return (" + declarations_.type(declarations_.of_value(type)) + "){0};";
  return "return 0;";
}

std::string Function::new_label(const char* what) {
  return "thrum_" + std::string(what) + "_" + std::to_string(++labels_);
}

void Function::write_prototype(Text& text) const {
  text.at(source_.place(function_->getLocation()));
  if (resumable_) {
    text.line("static _Bool thrum_run_" + defined_.name + "(struct thrum_frame_" + defined_.name +
              " *thrum_f);");
    if (!defined_.address_taken) return;
  }
  text.line(head() + ";");
}

void Function::write_frame(Text& text) const {
  if (!resumable_) return;
  text.at(source_.place(function_->getLocation()));
  text.open("struct thrum_frame_" + defined_.name + " {");
  text.line("unsigned thrum_pc;");
  for (const Local& each : locals_) text.line(each.declaration + ";");
  bool any_inside = false;
  for (const auto& [callee, declaration] : child_frames_) {
    if (declaration.find('*') != std::string::npos) {
      text.line(declaration + ";");
    } else {
      any_inside = true;
    }
  }
  if (any_inside) {
    text.open("union {");
    for (const auto& [callee, declaration] : child_frames_) {
      if (declaration.find('*') == std::string::npos) text.line(declaration + ";");
    }
    text.close("} thrum_child;");
  }
  text.close("};");
}

std::string Function::head() const {
  std::string parameters;
  for (unsigned i = 0; i < function_->getNumParams(); ++i) {
    clang::QualType type = declarations_.of_value(function_->getParamDecl(i)->getType());
    parameters += (i == 0 ? "" : ", ") + declarations_.declare(type, defined_.parameters[i]);
  }
  if (parameters.empty()) parameters = "void";
  return "static " +
         declarations_.declare(function_->getReturnType(), defined_.name + "(" + parameters + ")");
}

void Function::write_definition(Text& text) const {
  text.at(source_.place(function_->getLocation()));
  if (!kept_.empty()) {
    text.open("struct thrum_kept_" + defined_.name + " {");
    for (const Local& each : kept_) text.line(each.declaration + ";");
    text.close("};");
  }
  // What pointers to a resumable function hold: they are compared, and never called.
  if (resumable_ && defined_.address_taken) text.line(head() + " { abort(); }");
  text.open((resumable_ ? "static _Bool thrum_run_" + defined_.name + "(struct thrum_frame_" + defined_.name +
                              " *thrum_f)"
                        : head()) +
            " {");
  if (resumable_) {
    if (points_ > 0) {
      text.open("switch (thrum_f->thrum_pc) {");
      for (unsigned i = 1; i <= points_; ++i)
        text.line("case " + std::to_string(i) + ": goto thrum_at_" + std::to_string(i) + ";");
      text.close();
    }
  } else {
    for (const Local& each : locals_) text.line(each.declaration + ";");
    if (!kept_.empty()) {
      text.line("struct thrum_kept_" + defined_.name +
                " *thrum_kept = __builtin_malloc(sizeof *thrum_kept);");
      for (unsigned i = 0; i < function_->getNumParams(); ++i) {
        const std::string& name = defined_.parameters[i];
        if (keeps(function_->getParamDecl(i))) text.line("thrum_kept->" + name + " = " + name + ";");
      }
    }
  }
  text.add(body_);
  text.at({});
  text.close();
}

}  // namespace thrum::seq
