// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sequentialize/constants.hpp"

#include <clang/AST/ASTContext.h>

namespace thrum::seq {

namespace {

class Writer {
 public:
  Writer(const Source& source, const Declarations& declarations)
      : source_(source), declarations_(declarations) {}

  std::string text(clang::QualType type, const clang::Expr* from) const {
    from = from->IgnoreParens();
    const auto* list = llvm::dyn_cast<clang::InitListExpr>(from);
    bool aggregate = type->isArrayType() || type->isRecordType();
    if (list != nullptr && Declarations::meeting(type) != Meeting::none) return mutex_or_zero(type, from);
    if (llvm::isa<clang::ImplicitValueInitExpr>(from)) return aggregate ? "{0}" : "0";
    if (list == nullptr) {
      if (const auto* literal = llvm::dyn_cast<clang::CompoundLiteralExpr>(from->IgnoreImpCasts());
          literal != nullptr && aggregate) {
        return text(type, literal->getInitializer());
      }
      return expression(from);
    }
    if (list->getSemanticForm() != nullptr) list = list->getSemanticForm();
    if (list->isStringLiteralInit()) return expression(list->getInit(0));
    return pieces(type, list);
  }

 private:
  // Initialised as a recursive one, or as any other.
  std::string mutex_or_zero(clang::QualType type, const clang::Expr* from) const {
    clang::Expr::EvalResult result;
    bool recursive = false;
    constexpr std::int64_t kErrorCheck = 2;
    if (Declarations::meeting(type) == Meeting::mutex && from->EvaluateAsRValue(result, source_.context()) &&
        result.Val.isUnion() && result.Val.getUnionValue().isStruct()) {
      const clang::APValue& fields = result.Val.getUnionValue();
      constexpr unsigned kKind = 4;  // of glibc's __pthread_mutex_s on 64 bits
      recursive = fields.getStructNumFields() > kKind && fields.getStructField(kKind).isInt() &&
                  fields.getStructField(kKind).getInt() == 1;
      if (fields.getStructNumFields() > kKind && fields.getStructField(kKind).isInt() &&
          fields.getStructField(kKind).getInt() == kErrorCheck)
        source_.refuse(from->getBeginLoc(), "PTHREAD_ERRORCHECK_MUTEX_INITIALIZER", "use an ordinary mutex");
    }
    return recursive ? "{.kind = 1}" : "{0}";
  }

  std::string pieces(clang::QualType type, const clang::InitListExpr* list) const {
    std::string result = "{";
    auto add = [&](const std::string& piece) { result += (result.size() > 1 ? ", " : "") + piece; };
    if (const clang::ArrayType* array = source_.context().getAsArrayType(type)) {  // also one without a size
      for (const clang::Expr* each : list->inits()) add(text(array->getElementType(), each));
    } else if (const clang::RecordDecl* record = type->getAsRecordDecl()) {
      if (record->isUnion()) {
        const clang::FieldDecl* field = list->getInitializedFieldInUnion();
        if (field != nullptr && list->getNumInits() > 0) {
          add((field->getName().empty() ? "" : "." + field->getName().str() + " = ") +
              text(field->getType(), list->getInit(0)));
        }
      } else {
        unsigned i = 0;
        for (const clang::FieldDecl* field : record->fields()) {
          if (!field->isUnnamedBitField() && i < list->getNumInits())
            add(text(field->getType(), list->getInit(i++)));
        }
      }
    } else if (list->getNumInits() > 0) {
      return text(type, list->getInit(0));
    }
    return result.size() == 1 ? "{0}" : result + "}";
  }

  void note_uses(const clang::Stmt* part) const {
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(part))
      declarations_.uses(reference->getDecl());
    for (const clang::Stmt* child : part->children()) {
      if (child != nullptr) note_uses(child);
    }
  }

  std::string expression(const clang::Expr* from) const {
    note_uses(from);
    std::string text;
    llvm::raw_string_ostream out(text);
    from->printPretty(out, nullptr, declarations_.policy());
    return text;
  }

  const Source& source_;
  const Declarations& declarations_;
};

}  // namespace

std::string initial_value(const Source& source, const Declarations& declarations, clang::QualType type,
                          const clang::Expr* from) {
  return Writer(source, declarations).text(type, from);
}

}  // namespace thrum::seq
