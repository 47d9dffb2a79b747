// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory: which object an lvalue is, reads and writes with their scheduling points, and initial values.
#include <clang/AST/ASTContext.h>

#include "sequentialize/constants.hpp"
#include "sequentialize/function.hpp"

namespace thrum::seq {

std::string Function::variable(const clang::VarDecl* variable) {
  if (auto found = variables_.find(variable); found != variables_.end()) return found->second;
  std::string name = variable->getName().str();
  if (!instrumented() || source_.of_system(variable)) return name;
  if (variable->getTLSKind() != clang::VarDecl::TLS_None) {
    return name + "[thrum_self]";
  }
  if (form() == Form::eager && is_shared_variable(variable)) return name + "[thrum_round]";
  return name;
}

std::string Function::place(const Expr* lvalue) {
  lvalue = bare(lvalue);
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(lvalue)) {
    const clang::ValueDecl* declaration = reference->getDecl();
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration)) return this->variable(variable);
    if (const auto* constant = llvm::dyn_cast<clang::EnumConstantDecl>(declaration);
        constant != nullptr && source_.of_system(constant)) {
      llvm::SmallString<32> text;
      constant->getInitVal().toString(text, 10);
      return text.str().str();
    }
    std::string name = declaration->getName().str();
    if (auto found = program_.functions.find(name);
        found != program_.functions.end() && llvm::isa<clang::FunctionDecl>(declaration)) {
      found->second.address_taken = true;
    }
    return name;
  }
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(lvalue)) {
    const Expr* base = member->getBase();
    std::string name = member->getMemberDecl()->getName().str();
    if (member->isArrow()) {
      std::string pointer = value(base);
      if (name.empty()) return wrapped("*" + wrapped(pointer));
      return pointer.starts_with("&") ? wrapped(pointer.substr(1)) + "." + name
                                      : wrapped(pointer) + "->" + name;
    }
    std::string object;
    if (base->isLValue()) {
      object = place(base);
    } else {
      object = temporary(base->getType());
      std::string text = value(base);
      line(object + " = " + text + ";");
    }
    return name.empty() ? object : wrapped(object) + "." + name;
  }
  if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(lvalue)) {
    const Expr* array = array_behind(element->getBase());
    std::string base = array != nullptr ? place(array) : value(element->getBase());
    return wrapped(base) + "[" + value(element->getIdx()) + "]";
  }
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(lvalue)) {
    if (unary->getOpcode() == clang::UO_Extension) return place(unary->getSubExpr());
    if (unary->getOpcode() == clang::UO_Deref) {
      std::string pointer = value(unary->getSubExpr());
      return pointer.starts_with("&") ? wrapped(pointer.substr(1)) : "*" + wrapped(pointer);
    }
  }
  if (const auto* literal = llvm::dyn_cast<clang::CompoundLiteralExpr>(lvalue)) {
    const clang::RecordDecl* record = literal->getType()->getAsRecordDecl();
    if (record != nullptr && record->getName().empty())
      refuse(literal->getBeginLoc(), "a structure without a name in a compound literal", "declare it before");
    std::string object = local("thrum_literal", literal->getType(), form() == Form::kiss);
    initialise(object, literal->getType(), literal->getInitializer());
    return object;
  }
  if (const auto* name = llvm::dyn_cast<clang::PredefinedExpr>(lvalue))
    return printed(name->getFunctionName());
  if (llvm::isa<clang::StringLiteral>(lvalue)) return printed(lvalue);
  return value(lvalue);
}

// A scheduling point: other threads may go on here, and this one may never do.
void Function::point(clang::SourceLocation where) {
  if (!instrumented()) return;
  ++points_;
  set_position(where);
  if (resumable_) {
    std::string number = std::to_string(points_);
    out_->label("thrum_at_" + number);
    line("THRUM_POINT(" + number + ");");
  } else {
    std::string out = leave();
    out.pop_back();
    line("THRUM_POINT(" + out + ");");
  }
}

void Function::access_point(const Expr* lvalue, const std::string& place, bool writes) {
  if (!instrumented()) return;
  if (!atomic_) point(lvalue->getExprLoc());
  if (!program_.race || !is_race_target(lvalue)) return;
  if (const_cast<Expr*>(lvalue)->getSourceBitField() != nullptr)
    refuse(lvalue->getExprLoc(), "--race on a bit field", "name a variable or another field");
  race_check(place, writes, atomic_ || Declarations::is_atomic(lvalue->getType()));
}

void Function::race_check(const std::string& place, bool writes, bool is_atomic) {
  stop_if("thrum_race(&" + wrapped(place) + ", sizeof(" + place + "), " + (writes ? "1" : "0") + ", " +
          (is_atomic ? "1" : "0") + ")");
}

void Function::atomic_point(const Expr* pointer, const std::string& object, bool writes) {
  if (!atomic_) point(pointer->getExprLoc());
  const auto* address = llvm::dyn_cast<clang::UnaryOperator>(pointer->IgnoreParenCasts());
  if (!program_.race || address == nullptr || address->getOpcode() != clang::UO_AddrOf) return;
  if (is_race_target(address->getSubExpr())) race_check(object, writes, true);
}

// The thread ends where the condition holds.
void Function::stop_if(const std::string& condition) { line("if (" + condition + ") " + leave()); }

bool Function::is_race_target(const Expr* lvalue) const {
  RaceTarget& target = *program_.race;
  for (;;) {
    lvalue = bare(lvalue);
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(lvalue)) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
      bool is_it = target.type.empty() && variable != nullptr && variable->hasGlobalStorage() &&
                   variable->getName() == target.field;
      if (is_it) target.found = true;
      return is_it;
    }
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(lvalue)) {
      const auto* record = llvm::dyn_cast<clang::RecordDecl>(member->getMemberDecl()->getDeclContext());
      if (!target.type.empty() && member->getMemberDecl()->getName() == target.field && record != nullptr &&
          record->getName() == target.type) {
        target.found = true;
        return true;
      }
      if (member->isArrow()) return false;
      lvalue = member->getBase();
    } else if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(lvalue)) {
      lvalue = array_behind(element->getBase());
      if (lvalue == nullptr) return false;
    } else {
      return false;
    }
  }
}

std::string Function::read(const Expr* lvalue) {
  std::string object = place(lvalue);
  if (!is_shared(lvalue)) return object;
  std::string result = temporary(lvalue->getType());
  access_point(lvalue, object, false);
  line(result + " = " + object + ";");
  return result;
}

std::string Function::write(const Expr* lvalue, const std::string& text, bool wanted) {
  std::string object = place(lvalue);
  changed();
  if (!is_shared(lvalue)) {
    line(object + " = " + text + ";");
    return object;
  }
  std::string stored = text;
  if (wanted) {
    stored = temporary(lvalue->getType());
    if (stored != text) line(stored + " = " + text + ";");
    narrow(lvalue, stored);
  }
  access_point(lvalue, object, true);
  line(object + " = " + stored + ";");
  return stored;
}

// What a bit field holds once the value is stored there.
void Function::narrow(const Expr* lvalue, const std::string& value) {
  const clang::FieldDecl* field = const_cast<Expr*>(lvalue)->getSourceBitField();
  if (field == nullptr || field->getType()->isBooleanType()) return;
  unsigned width = field->getBitWidthValue(source_.context());
  if (width >= 64) return;
  if (field->getType()->isUnsignedIntegerOrEnumerationType()) {
    line(value + " = " + value + " & " + std::to_string((1ULL << width) - 1) + "ULL;");
  } else {
    std::string unused = std::to_string(64 - width);
    line(value + " = (long long)((unsigned long long)" + value + " << " + unused + ") >> " + unused + ";");
  }
}

void Function::initialise(const std::string& object, clang::QualType type, const Expr* from) {
  changed();
  from = from->IgnoreParens();
  if (Declarations::meeting(type) != Meeting::none && llvm::isa<clang::InitListExpr>(from)) {
    line(object + " = (" + declarations_.type(declarations_.of_value(type)) + ")" +
         initial_value(source_, declarations_, type, from) + ";");
    return;
  }
  if (const auto* array = source_.context().getAsConstantArrayType(type)) {
    initialise_array(object, array, from);
    return;
  }
  const auto* list = llvm::dyn_cast<clang::InitListExpr>(from);
  const auto* record = type->getAsRecordDecl();
  if (llvm::isa<clang::ImplicitValueInitExpr>(from) && record != nullptr) {
    line(object + " = (" + declarations_.type(declarations_.of_value(type)) + "){0};");
    return;
  }
  if (list == nullptr) {
    std::string text = value(from);
    if (text != object) line(object + " = " + text + ";");
    return;
  }
  if (list->getSemanticForm() != nullptr) list = list->getSemanticForm();
  if (record == nullptr || list->isTransparent()) {
    initialise(object, type, list->getInit(0));
    return;
  }
  if (record->isUnion()) {
    const clang::FieldDecl* field = list->getInitializedFieldInUnion();
    if (field != nullptr && list->getNumInits() > 0)
      initialise(field->getName().empty() ? object : object + "." + field->getName().str(), field->getType(),
                 list->getInit(0));
    return;
  }
  unsigned i = 0;
  for (const clang::FieldDecl* field : record->fields()) {
    if (field->isUnnamedBitField() || i >= list->getNumInits()) continue;
    if (field->isAnonymousStructOrUnion() && llvm::isa<clang::ImplicitValueInitExpr>(list->getInit(i))) {
      clear_anonymous(object, field->getType()->getAsRecordDecl());
      ++i;
      continue;
    }
    initialise(field->getName().empty() ? object : wrapped(object) + "." + field->getName().str(),
               field->getType(), list->getInit(i++));
  }
}

// The members of a struct or union without a name: no expression names the whole.
void Function::clear_anonymous(const std::string& object, const clang::RecordDecl* record) {
  const clang::FieldDecl* largest = nullptr;
  auto size = [&](const clang::FieldDecl* field) { return source_.context().getTypeSize(field->getType()); };
  auto clear = [&](const clang::FieldDecl* field) {
    if (field->isAnonymousStructOrUnion())
      return clear_anonymous(object, field->getType()->getAsRecordDecl());
    clang::ImplicitValueInitExpr nothing(field->getType());
    initialise(wrapped(object) + "." + field->getName().str(), field->getType(), &nothing);
  };
  for (const clang::FieldDecl* field : record->fields()) {
    if (field->isUnnamedBitField()) continue;
    if (!record->isUnion()) clear(field);
    if (largest == nullptr || size(field) > size(largest)) largest = field;
  }
  if (record->isUnion() && largest != nullptr) clear(largest);
}

void Function::initialise_array(const std::string& object, const clang::ConstantArrayType* type,
                                const Expr* from) {
  constexpr std::uint64_t kOneByOne = 64;
  std::uint64_t size = type->getSize().getZExtValue();
  auto element = [&](std::uint64_t i) { return wrapped(object) + "[" + std::to_string(i) + "]"; };
  auto zero = [&](std::uint64_t begin) {
    if (size - begin > kOneByOne) {
      line("__builtin_memset(&" + element(begin) + ", 0, sizeof(" + element(begin) + ") * " +
           std::to_string(size - begin) + ");");
      return;
    }
    clang::ImplicitValueInitExpr nothing(type->getElementType());
    for (std::uint64_t i = begin; i < size; ++i) initialise(element(i), type->getElementType(), &nothing);
  };
  if (const auto* text = llvm::dyn_cast<clang::StringLiteral>(from)) {
    std::uint64_t given = std::min<std::uint64_t>(text->getLength(), size);
    for (std::uint64_t i = 0; i < given; ++i)
      line(element(i) + " = " + std::to_string(text->getCodeUnit(static_cast<unsigned>(i))) + ";");
    zero(given);
    return;
  }
  const auto* list = llvm::dyn_cast<clang::InitListExpr>(from);
  if (list == nullptr) {  // left as it is by a designated one, or zero
    zero(0);
    return;
  }
  if (list->getSemanticForm() != nullptr) list = list->getSemanticForm();
  if (list->isStringLiteralInit()) {
    initialise_array(object, type, list->getInit(0)->IgnoreParens());
    return;
  }
  std::uint64_t given = std::min<std::uint64_t>(list->getNumInits(), size);
  for (std::uint64_t i = 0; i < given; ++i)
    initialise(element(i), type->getElementType(), list->getInit(static_cast<unsigned>(i)));
  zero(given);
}

}  // namespace thrum::seq
