// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is computed.
#include <clang/AST/ASTContext.h>

#include "sequentialize/function.hpp"

namespace thrum::seq {

std::string Function::printed(const Expr* expression) {
  std::string text;
  llvm::raw_string_ostream out(text);
  expression->printPretty(out, nullptr, declarations_.policy());
  return text;
}

void Function::effect(const Expr* expression) {
  expression = expression->IgnoreParens();
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expression)) {
    effect(cast->getSubExpr());
    return;
  }
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expression)) {
    if (unary->isIncrementDecrementOp()) {
      step(unary, false);
    } else if (unary->getOpcode() == clang::UO_Extension) {
      effect(unary->getSubExpr());
    } else {
      value(unary);
    }
    return;
  }
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(expression)) {
    if (const auto* compound = llvm::dyn_cast<clang::CompoundAssignOperator>(binary)) {
      compound_assign(compound, false);
    } else if (binary->isAssignmentOp()) {
      assign(binary, false);
    } else if (binary->isCommaOp()) {
      effect(binary->getLHS());
      effect(binary->getRHS());
    } else {
      value(binary);
    }
    return;
  }
  if (const auto* choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(expression)) {
    conditional(choice, false);
  } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(expression)) {
    this->call(call, false);
  } else if (const auto* block = llvm::dyn_cast<clang::StmtExpr>(expression)) {
    block_value(block, false);
  } else if (const auto* operation = llvm::dyn_cast<clang::AtomicExpr>(expression)) {
    atomic(operation, false);
  } else if (expression->isLValue()) {
    place(expression);
  } else {
    value(expression);
  }
}

std::string Function::value(const Expr* expression) {
  expression = expression->IgnoreParens();
  switch (expression->getStmtClass()) {
    case clang::Stmt::IntegerLiteralClass:
    case clang::Stmt::FloatingLiteralClass:
    case clang::Stmt::CharacterLiteralClass:
    case clang::Stmt::StringLiteralClass:
    case clang::Stmt::OffsetOfExprClass:
    case clang::Stmt::SourceLocExprClass:
    case clang::Stmt::TypeTraitExprClass: return printed(expression);
    case clang::Stmt::ImplicitValueInitExprClass: return "0";
    case clang::Stmt::ConstantExprClass:
      return value(llvm::cast<clang::ConstantExpr>(expression)->getSubExpr());
    case clang::Stmt::GenericSelectionExprClass:
      return value(llvm::cast<clang::GenericSelectionExpr>(expression)->getResultExpr());
    case clang::Stmt::ChooseExprClass:
      return value(llvm::cast<clang::ChooseExpr>(expression)->getChosenSubExpr());
    case clang::Stmt::OpaqueValueExprClass: return opaque_.at(llvm::cast<clang::OpaqueValueExpr>(expression));
    case clang::Stmt::UnaryExprOrTypeTraitExprClass:
      return size_of(llvm::cast<clang::UnaryExprOrTypeTraitExpr>(expression));
    case clang::Stmt::ImplicitCastExprClass:
    case clang::Stmt::CStyleCastExprClass: return cast(llvm::cast<clang::CastExpr>(expression));
    case clang::Stmt::UnaryOperatorClass: return unary(llvm::cast<clang::UnaryOperator>(expression));
    case clang::Stmt::CompoundAssignOperatorClass:
      return compound_assign(llvm::cast<clang::CompoundAssignOperator>(expression), true);
    case clang::Stmt::BinaryOperatorClass: return binary(llvm::cast<clang::BinaryOperator>(expression));
    case clang::Stmt::ConditionalOperatorClass:
    case clang::Stmt::BinaryConditionalOperatorClass:
      return conditional(llvm::cast<clang::AbstractConditionalOperator>(expression), true);
    case clang::Stmt::CallExprClass: return call(llvm::cast<clang::CallExpr>(expression), true);
    case clang::Stmt::StmtExprClass: return block_value(llvm::cast<clang::StmtExpr>(expression), true);
    case clang::Stmt::AtomicExprClass: return atomic(llvm::cast<clang::AtomicExpr>(expression), true);
    case clang::Stmt::DeclRefExprClass:  // an enumerator, or a function
    case clang::Stmt::PredefinedExprClass:
    case clang::Stmt::MemberExprClass:  // of a value
    case clang::Stmt::ArraySubscriptExprClass:
    case clang::Stmt::CompoundLiteralExprClass: return place(expression);
    case clang::Stmt::VAArgExprClass:
      refuse(expression->getBeginLoc(), "a function of any number of arguments", "give it fixed ones");
    case clang::Stmt::AddrLabelExprClass:
      refuse(expression->getBeginLoc(), "a computed goto", "use a switch");
    default:
      refuse(expression->getBeginLoc(),
             std::string("an expression of kind ") + expression->getStmtClassName(), "write it in plain C");
  }
}

std::string Function::cast(const clang::CastExpr* cast) {
  const Expr* from = cast->getSubExpr();
  switch (cast->getCastKind()) {
    case clang::CK_LValueToRValue: return read(from);
    case clang::CK_ArrayToPointerDecay:
      if (llvm::isa<clang::StringLiteral>(from->IgnoreParens())) return printed(from);
      if (form() == Form::eager && is_shared(from)) {
        refuse(cast->getBeginLoc(), "a pointer to a shared array, of which there is a copy for each round",
               "use the lazy rounds");
      }
      return place(from);
    case clang::CK_FunctionToPointerDecay:
    case clang::CK_BuiltinFnToFnPtr: return place(from);
    case clang::CK_ToVoid: effect(from); return "0";
    default: break;
  }
  std::string text = value(from);
  if (llvm::isa<clang::CStyleCastExpr>(cast))
    return "(" + declarations_.type(cast->getType()) + ")" + wrapped(text);
  // A bit field's own type is lost where it is stored.
  if (cast->getCastKind() == clang::CK_IntegralCast && from->getSourceBitField() != nullptr)
    return "(" + declarations_.type(cast->getType()) + ")" + wrapped(text);
  return text;
}

std::string Function::unary(const clang::UnaryOperator* unary) {
  const Expr* operand = unary->getSubExpr();
  switch (unary->getOpcode()) {
    case clang::UO_Extension: return value(operand);
    case clang::UO_AddrOf: {
      const auto* inner = llvm::dyn_cast<clang::UnaryOperator>(operand->IgnoreParens());
      if (inner != nullptr && inner->getOpcode() == clang::UO_Deref) return value(inner->getSubExpr());
      if (form() == Form::eager && is_shared(operand)) {
        refuse(unary->getBeginLoc(), "the address of a shared variable, where there is a copy for each round",
               "use the lazy rounds");
      }
      return "&" + wrapped(place(operand));
    }
    case clang::UO_Deref: return place(unary);
    case clang::UO_PostInc:
    case clang::UO_PostDec:
    case clang::UO_PreInc:
    case clang::UO_PreDec: return step(unary, true);
    case clang::UO_Plus:
    case clang::UO_Minus:
    case clang::UO_Not:
    case clang::UO_LNot:
      return clang::UnaryOperator::getOpcodeStr(unary->getOpcode()).str() + wrapped(value(operand));
    default: refuse(unary->getBeginLoc(), "a complex number", "use its parts");
  }
}

std::string Function::step(const clang::UnaryOperator* unary, bool wanted) {
  const Expr* operand = unary->getSubExpr();
  std::string object = place(operand);
  changed();
  bool atomic = Declarations::is_atomic(operand->getType());
  if (form() == Form::normal && atomic) {
    std::string sign = unary->isIncrementOp() ? "++" : "--";
    std::string text = unary->isPrefix() ? sign + object : object + sign;
    if (!wanted) {
      line(text + ";");
      return "";
    }
    std::string result = temporary(unary->getType());
    line(result + " = " + text + ";");
    return result;
  }
  bool shared = is_shared(operand);
  std::string by = unary->isIncrementOp() ? " + 1" : " - 1";
  if (!shared && !(wanted && unary->isPostfix())) {
    line(object + " = " + object + by + ";");
    return object;
  }
  std::string before = temporary(operand->getType());
  if (shared) access_point(operand, object, atomic);
  line(before + " = " + object + ";");
  if (shared && !atomic) access_point(operand, object, true);
  line(object + " = " + before + by + ";");
  if (!wanted || unary->isPostfix()) return before;
  std::string after = temporary(operand->getType());
  line(after + " = " + before + by + ";");
  narrow(operand, after);
  return after;
}

std::string Function::binary(const clang::BinaryOperator* binary) {
  if (binary->isAssignmentOp()) return assign(binary, true);
  if (binary->isLogicalOp()) return logical(binary);
  if (binary->isCommaOp()) {
    effect(binary->getLHS());
    return value(binary->getRHS());
  }
  std::string left = value(binary->getLHS());
  std::string right = value(binary->getRHS());
  return wrapped(left) + " " + binary->getOpcodeStr().str() + " " + wrapped(right);
}

std::string Function::logical(const clang::BinaryOperator* binary) {
  bool is_and = binary->getOpcode() == clang::BO_LAnd;
  std::string left = value(binary->getLHS());
  std::string right;
  Text behind = written_by([&] { right = value(binary->getRHS()); });
  if (behind.empty()) return wrapped(left) + (is_and ? " && " : " || ") + wrapped(right);
  std::string result = temporary(source_.context().IntTy);
  line(result + " = " + (is_and ? "0" : "1") + ";");
  out_->open("if (" + (is_and ? left : "!" + wrapped(left)) + ") {");
  out_->add(behind);
  line(result + " = " + wrapped(right) + " != 0;");
  out_->close();
  return result;
}

std::string Function::conditional(const clang::AbstractConditionalOperator* choice, bool wanted) {
  std::string condition;
  if (const auto* binary = llvm::dyn_cast<clang::BinaryConditionalOperator>(choice)) {
    std::string common = temporary(binary->getCommon()->getType());
    line(common + " = " + value(binary->getCommon()) + ";");
    opaque_[binary->getOpaqueValue()] = common;
  }
  condition = value(choice->getCond());
  wanted = wanted && !choice->getType()->isVoidType();
  std::string yes, no;
  auto side = [&](const Expr* expression, std::string& text) {
    return written_by([&] {
      if (wanted) {
        text = value(expression);
      } else {
        effect(expression);
      }
    });
  };
  Text when = side(choice->getTrueExpr(), yes);
  Text otherwise = side(choice->getFalseExpr(), no);
  if (when.empty() && otherwise.empty()) {
    return wanted ? wrapped(condition) + " ? " + wrapped(yes) + " : " + wrapped(no) : "";
  }
  std::string result = wanted ? temporary(choice->getType()) : "";
  out_->open("if (" + condition + ") {");
  out_->add(when);
  if (wanted) line(result + " = " + yes + ";");
  if (wanted || !otherwise.empty()) {
    out_->turn("} else {");
    out_->add(otherwise);
    if (wanted) line(result + " = " + no + ";");
  }
  out_->close();
  return result;
}

std::string Function::assign(const clang::BinaryOperator* assignment, bool wanted) {
  const Expr* to = assignment->getLHS();
  std::string text = value(assignment->getRHS());
  return write(to, text, wanted);
}

std::string Function::compound_assign(const clang::CompoundAssignOperator* assignment, bool wanted) {
  const Expr* to = assignment->getLHS();
  std::string by = wrapped(value(assignment->getRHS()));
  std::string object = place(to);
  std::string operation = assignment->getOpcodeStr().str();
  changed();
  bool atomic = Declarations::is_atomic(to->getType());
  if (form() == Form::normal && atomic) {
    std::string text = object + " " + operation + " " + by;
    if (!wanted) {
      line(text + ";");
      return "";
    }
    std::string result = temporary(assignment->getType());
    line(result + " = " + text + ";");
    return result;
  }
  operation.pop_back();  // the '='
  if (!is_shared(to)) {
    line(object + " = " + object + " " + operation + " " + by + ";");
    return object;
  }
  std::string before = temporary(to->getType());
  access_point(to, object, atomic);
  line(before + " = " + object + ";");
  // An operand that is itself a temporary was read before.
  line(before + " = " + before + " " + operation + " " + by + ";");
  if (wanted) narrow(to, before);
  if (!atomic) access_point(to, object, true);
  line(object + " = " + before + ";");
  return before;
}

std::string Function::block_value(const clang::StmtExpr* block, bool wanted) {
  std::set<std::string> kept = temporaries_kept_;
  temporaries_kept_ = temporaries_in_use_;
  std::string result;
  const clang::CompoundStmt* statements = block->getSubStmt();
  for (const clang::Stmt* each : statements->body()) {
    const auto* last = each == statements->body_back() ? llvm::dyn_cast<clang::Expr>(each) : nullptr;
    if (last == nullptr || !wanted || last->getType()->isVoidType()) {
      statement(each);
      continue;
    }
    set_position(each->getBeginLoc());
    std::string text = value(last);
    // What it names may be other things once the block runs again.
    release_temporaries();
    result = temporary(block->getType());
    if (result != text) line(result + " = " + text + ";");
  }
  temporaries_kept_ = kept;
  return result;
}

std::string Function::size_of(const clang::UnaryExprOrTypeTraitExpr* expression) {
  clang::QualType type = expression->getTypeOfArgument();
  if (type->isVariablyModifiedType()) {
    refuse(expression->getBeginLoc(), "an array whose size is no constant", "give it a constant size");
  }
  const char* word = expression->getKind() == clang::UETT_SizeOf ? "sizeof(" : "_Alignof(";
  return word + declarations_.type(type) + ")";
}

}  // namespace thrum::seq
