// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sequentialize/declarations.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <array>
#include <utility>

namespace thrum::seq {

namespace {

constexpr std::array<std::pair<const char*, Meeting>, 16> kMeetings{{
    {"pthread_t", Meeting::thread},
    {"thrd_t", Meeting::thread},
    {"pthread_mutex_t", Meeting::mutex},
    {"mtx_t", Meeting::mutex},
    {"pthread_cond_t", Meeting::condition},
    {"cnd_t", Meeting::condition},
    {"pthread_rwlock_t", Meeting::rwlock},
    {"pthread_spinlock_t", Meeting::spinlock},
    {"pthread_barrier_t", Meeting::barrier},
    {"sem_t", Meeting::semaphore},
    {"pthread_attr_t", Meeting::attribute},
    {"pthread_mutexattr_t", Meeting::attribute},
    {"pthread_condattr_t", Meeting::attribute},
    {"pthread_rwlockattr_t", Meeting::attribute},
    {"pthread_barrierattr_t", Meeting::attribute},
    {"pthread_once_t", Meeting::once},
}};

bool holds_atomic(clang::QualType type) { return type.getCanonicalType()->isAtomicType(); }

}  // namespace

// Goes through a whole file and names what it declares.
class Renamer : public clang::RecursiveASTVisitor<Renamer> {
 public:
  explicit Renamer(Declarations& declarations) : d_(declarations), context_(d_.source_.context()) {}

  bool TraverseDecl(clang::Decl* declaration) {
    if (declaration != nullptr && !llvm::isa<clang::TranslationUnitDecl>(declaration) &&
        d_.source_.of_system(declaration) && declaration->getDeclContext()->isTranslationUnit()) {
      return true;
    }
    return RecursiveASTVisitor::TraverseDecl(declaration);
  }

  bool VisitTagDecl(clang::TagDecl* tag) {
    bool local = tag->getParentFunctionOrMethod() != nullptr;
    if (tag->isThisDeclarationADefinition()) d_.types_.push_back(tag);
    if (!seen_.insert(tag->getCanonicalDecl()).second) return true;
    if (const auto* record = llvm::dyn_cast<clang::RecordDecl>(tag);
        record != nullptr && record->isAnonymousStructOrUnion()) {
      return true;  // written where it stands
    }
    std::string name = tag->getName().str();
    if (name.empty()) {
      const clang::TypedefNameDecl* alias = tag->getTypedefNameForAnonDecl();
      // The same one of a header that several files take in has the same name in each.
      Place at = d_.source_.place(tag->getLocation());
      std::string& known =
          d_.names_.unnamed[at.file + ':' + std::to_string(at.line) + ':' + std::to_string(at.column)];
      if (known.empty())
        known = d_.names_.tags.fresh(alias != nullptr ? alias->getName().str() : "thrum_unnamed");
      set_name(tag, known);
      // As one with a name has it.
      tag->setDeclContext(context_.getTranslationUnitDecl());
      tag->setTypedefNameForAnonDecl(nullptr);
    } else if (local) {
      set_name(tag, d_.names_.tags.fresh(name));
    }
    return true;
  }

  bool VisitTypedefNameDecl(clang::TypedefNameDecl* alias) {
    bool local = alias->getParentFunctionOrMethod() != nullptr;
    if (local) alias->setDeclName(identifier(d_.names_.ordinary.fresh(alias->getName().str())));
    d_.types_.push_back(alias);
    return true;
  }

  bool VisitEnumConstantDecl(clang::EnumConstantDecl* constant) {
    if (constant->getParentFunctionOrMethod() != nullptr) {
      constant->setDeclName(identifier(d_.names_.ordinary.fresh(constant->getName().str())));
    }
    return true;
  }

  bool VisitVarDecl(clang::VarDecl* variable) {
    if (variable->isStaticLocal()) {
      const auto* function = llvm::cast<clang::FunctionDecl>(variable->getParentFunctionOrMethod());
      variable->setDeclName(
          identifier(d_.names_.ordinary.fresh(function->getName().str() + "_" + variable->getName().str())));
    } else if (variable->isFileVarDecl() && variable->getFormalLinkage() == clang::Linkage::Internal) {
      rename_all(variable->getCanonicalDecl());
    }
    return true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (!function->getDeclName().isIdentifier()) return true;
    if (function->isMain()) {
      for (clang::FunctionDecl* each : function->redecls()) each->setDeclName(identifier("thrum_main"));
    } else if (function->getFormalLinkage() == clang::Linkage::Internal) {
      rename_all(function->getCanonicalDecl());
    }
    return true;
  }

 private:
  clang::IdentifierInfo* identifier(const std::string& name) { return &context_.Idents.get(name); }

  template <typename D>
  void rename_all(D* first) {
    if (!seen_.insert(first).second) return;
    std::string name = first->getName().str();
    while (d_.names_.library.contains(name)) name += "_";  // of a header that another file takes in
    name = d_.names_.ordinary.fresh(name);
    for (auto* each : first->redecls()) each->setDeclName(identifier(name));
  }

  void set_name(clang::TagDecl* tag, const std::string& name) {
    for (clang::TagDecl* each : tag->redecls()) each->setDeclName(identifier(name));
  }

  Declarations& d_;
  clang::ASTContext& context_;
  std::set<const clang::Decl*> seen_;
};

Declarations::Declarations(const Source& source, ProgramNames& names, bool keeps_atomic)
    : source_(source), names_(names), keeps_atomic_(keeps_atomic), policy_(source.context().getLangOpts()) {
  policy_.Bool = false;  // _Bool
  policy_.AnonymousTagLocations = false;
  policy_.SuppressInitializers = true;
}

void Declarations::rename() {
  Renamer renamer(*this);
  renamer.TraverseDecl(source_.context().getTranslationUnitDecl());
}

void Declarations::reserve() {
  for (const clang::Decl* each : source_.context().getTranslationUnitDecl()->decls()) {
    const auto* named = llvm::dyn_cast<clang::NamedDecl>(each);
    if (named == nullptr || !named->getDeclName().isIdentifier()) continue;
    if (source_.of_system(each)) {
      if (!llvm::isa<clang::TagDecl>(each)) names_.library.insert(named->getName().str());
      continue;
    }
    if (llvm::isa<clang::TagDecl>(each)) {
      names_.tags.fresh(named->getName().str());
    } else if (named->getFormalLinkage() != clang::Linkage::Internal) {
      names_.ordinary.fresh(named->getName().str());
    }
  }
}

bool Declarations::is_outside(const std::string& name) const {
  if (names_.ordinary.taken(name)) return true;
  clang::ASTContext& context = source_.context();
  return !context.getTranslationUnitDecl()->lookup(&context.Idents.get(name)).empty();
}

Meeting Declarations::meeting(clang::QualType type) {
  for (;;) {
    if (const auto* alias = type->getAs<clang::TypedefType>()) {
      llvm::StringRef name = alias->getDecl()->getName();
      if (name == "atomic_flag") return Meeting::flag;
      for (const auto& [known, meeting] : kMeetings) {
        if (name == known) return meeting;
      }
      type = alias->getDecl()->getUnderlyingType();
      continue;
    }
    return Meeting::none;
  }
}

bool Declarations::is_atomic(clang::QualType type) { return holds_atomic(type); }

bool Declarations::may_be_called_as(clang::QualType function, clang::QualType type) const {
  if (function->isFunctionNoProtoType() || type->isFunctionNoProtoType()) return true;
  return function.getCanonicalType().getAsString(policy_) == type.getCanonicalType().getAsString(policy_);
}

void Declarations::uses(const clang::Decl* declaration) const {
  if (source_.of_system(declaration)) needed_.insert(source_.include_of(declaration));
}

clang::QualType Declarations::of_value(clang::QualType type) const {
  type = type.getAtomicUnqualifiedType();
  // Elements that are const would be stored to.
  if (source_.context().getBaseElementType(type).isConstQualified() && type->isConstantArrayType()) {
    clang::Qualifiers none;
    type = source_.context().getUnqualifiedArrayType(type, none);
  }
  return plain(type);
}

clang::QualType Declarations::plain(clang::QualType type) const {
  if (keeps_atomic_) {
    const clang::Type* outer = type.getTypePtr();
    bool of_expression = llvm::isa<clang::TypeOfExprType>(outer) || llvm::isa<clang::TypeOfType>(outer);
    return of_expression ? plain(type.getSingleStepDesugaredType(source_.context())) : type;
  }
  clang::ASTContext& context = source_.context();
  clang::Qualifiers qualifiers = type.getLocalQualifiers();
  auto qualified = [&](clang::QualType inner) { return context.getQualifiedType(inner, qualifiers); };
  const clang::Type* bare = type.getTypePtr();
  if (const auto* alias = llvm::dyn_cast<clang::TypedefType>(bare)) {
    if (Meeting by = meeting(type); by != Meeting::none) {
      if (by != Meeting::thread) meets_ = true;
      return type;
    }
    bool ours = !source_.of_system(alias->getDecl());
    if (!ours && holds_atomic(type)) return qualified(plain(alias->getDecl()->getUnderlyingType()));
    if (!ours) uses(alias->getDecl());
    return type;
  }
  if (const auto* tag = llvm::dyn_cast<clang::TagType>(bare)) {
    uses(tag->getDecl());
    return type;
  }
  if (const auto* atomic = llvm::dyn_cast<clang::AtomicType>(bare))
    return qualified(plain(atomic->getValueType()));
  if (const auto* pointer = llvm::dyn_cast<clang::PointerType>(bare))
    return qualified(context.getPointerType(plain(pointer->getPointeeType())));
  if (const auto* array = llvm::dyn_cast<clang::ConstantArrayType>(bare)) {
    return qualified(context.getConstantArrayType(plain(array->getElementType()), array->getSize(), nullptr,
                                                  array->getSizeModifier(),
                                                  array->getIndexTypeCVRQualifiers()));
  }
  if (const auto* array = llvm::dyn_cast<clang::IncompleteArrayType>(bare)) {
    return qualified(context.getIncompleteArrayType(plain(array->getElementType()), array->getSizeModifier(),
                                                    array->getIndexTypeCVRQualifiers()));
  }
  if (const auto* function = llvm::dyn_cast<clang::FunctionProtoType>(bare)) {
    std::vector<clang::QualType> parameters;
    for (clang::QualType parameter : function->getParamTypes()) parameters.push_back(plain(parameter));
    return qualified(
        context.getFunctionType(plain(function->getReturnType()), parameters,
                                clang::FunctionProtoType::ExtProtoInfo(function->getExtProtoInfo())));
  }
  clang::QualType inner = type.getSingleStepDesugaredType(context);
  if (inner == type) return type;
  return plain(inner);
}

std::string Declarations::declare(clang::QualType type, const std::string& name) const {
  clang::QualType written = plain(type);
  std::string text = name;
  written.getAsStringInternal(text, policy_);
  return text;
}

std::string Declarations::attributes(const clang::Decl* declaration) const {
  std::string result;
  for (const clang::Attr* attribute : declaration->attrs()) {
    if (!llvm::isa<clang::PackedAttr>(attribute) && !llvm::isa<clang::AlignedAttr>(attribute)) continue;
    llvm::raw_string_ostream out(result);
    attribute->printPretty(out, policy_);
  }
  return result;
}

void Declarations::write_fields(const clang::RecordDecl* record, Text& text) const {
  for (const clang::FieldDecl* field : record->fields()) {
    text.at(source_.place(field->getLocation()));
    const auto* inner = field->getType()->getAsRecordDecl();
    if (field->isAnonymousStructOrUnion()) {
      text.open(std::string(inner->isUnion() ? "union" : "struct") + " {");
      write_fields(inner, text);
      text.close("}" + attributes(inner) + ";");
      continue;
    }
    std::string line = declare(of_value(field->getType()), field->getName().str());
    if (field->isBitField()) line += " : " + std::to_string(field->getBitWidthValue(source_.context()));
    text.line(line + attributes(field) + ";");
  }
}

std::string Declarations::enumeration(const clang::EnumDecl* tag) const {
  std::string text = "enum " + tag->getName().str() + " {";
  const char* between = " ";
  for (const clang::EnumConstantDecl* constant : tag->enumerators()) {
    llvm::SmallString<32> value;
    constant->getInitVal().toString(value, 10);
    text += between + constant->getName().str() + " = " + value.str().str();
    between = ", ";
  }
  return text + " }" + attributes(tag) + ";";
}

void Declarations::define(const clang::TagDecl* tag, Text& text) {
  Text definition;
  definition.at(source_.place(tag->getLocation()));
  if (const auto* enumerated = llvm::dyn_cast<clang::EnumDecl>(tag)) {
    definition.line(enumeration(enumerated));
  } else {
    const auto* record = llvm::cast<clang::RecordDecl>(tag);
    definition.open(std::string(record->isUnion() ? "union " : "struct ") + record->getName().str() + " {");
    write_fields(record, definition);
    definition.close("}" + attributes(record) + ";");
  }
  text.add(definition);
}

void Declarations::define(const clang::TypedefNameDecl* alias, Text& text) {
  text.at(source_.place(alias->getLocation()));
  text.line("typedef " + declare(alias->getUnderlyingType(), alias->getName().str()) + attributes(alias) +
            ";");
}

void Declarations::write_types(Text& text) {
  for (const clang::TypeDecl* each : types_) {
    const auto* record = llvm::dyn_cast<clang::RecordDecl>(each);
    if (record == nullptr || record->isAnonymousStructOrUnion()) continue;
    std::string line = std::string(record->isUnion() ? "union " : "struct ") + record->getName().str() + ";";
    if (names_.definitions.try_emplace(line).second) text.line(line);
  }
  for (const clang::TypeDecl* each : types_) write_type(each, text);
}

// A record holds its fields, so their types come first.
void Declarations::write_types_of_fields(const clang::RecordDecl* record, Text& text) {
  for (const clang::FieldDecl* field : record->fields()) {
    clang::QualType type = source_.context().getBaseElementType(field->getType().getAtomicUnqualifiedType());
    const clang::TagDecl* tag = type->getAsTagDecl();
    if (tag == nullptr || source_.of_system(tag)) continue;
    if (field->isAnonymousStructOrUnion()) {
      write_types_of_fields(llvm::cast<clang::RecordDecl>(tag), text);
    } else {
      write_type(tag, text);
    }
  }
}

void Declarations::write_type(const clang::TypeDecl* type, Text& text) {
  const auto* tag = llvm::dyn_cast<clang::TagDecl>(type);
  if (const auto* record = llvm::dyn_cast<clang::RecordDecl>(type);
      record != nullptr && record->isAnonymousStructOrUnion())
    return;  // written where it stands
  if (tag != nullptr) tag = tag->getDefinition();
  if (tag == nullptr && llvm::isa<clang::TagDecl>(type)) return;
  if (!written_.insert(type->getCanonicalDecl()).second) return;
  if (const auto* record = llvm::dyn_cast_or_null<clang::RecordDecl>(tag))
    write_types_of_fields(record, text);
  Text definition;
  if (tag != nullptr) {
    define(tag, definition);
  } else {
    define(llvm::cast<clang::TypedefNameDecl>(type), definition);
  }
  std::string words;
  for (const Text::Line& line : definition.lines()) words += line.text + '\n';
  std::string key = (tag != nullptr ? "tag " : "name ") + type->getName().str();
  auto [known, is_new] = names_.definitions.try_emplace(key, words);
  if (is_new) {
    text.add(definition);
  } else if (known->second != words) {
    throw SourceError(source_.place(type->getLocation()),
                      "'" + type->getName().str() + "' is another type in a file before; rename one of them");
  }
}

}  // namespace thrum::seq
