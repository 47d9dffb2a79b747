// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sequentialize/copies.hpp"

#include <clang/AST/ASTContext.h>

#include <string_view>

namespace thrum::seq {

namespace {

// What the prelude's types are made of.
struct Part {
  const char* name;
  bool for_each_thread;
  const char* value;
};
std::vector<Part> parts_of(Meeting meeting) {
  const char* byte = "__VERIFIER_nondet_uchar()";
  switch (meeting) {
    case Meeting::mutex:
    case Meeting::spinlock: return {{".owner", false, byte}, {".depth", false, byte}, {".kind", false, byte}};
    case Meeting::rwlock: return {{".writer", false, byte}, {".readers", false, byte}};
    case Meeting::condition: return {{".waits", true, "__VERIFIER_nondet_bool()"}};
    case Meeting::barrier:
      return {{".count", false, byte}, {".arrived", false, byte}, {".round", false, byte}};
    case Meeting::semaphore: return {{".value", false, "__VERIFIER_nondet_uint()"}};
    case Meeting::once: return {{".state", false, byte}};
    case Meeting::flag: return {{"._Value", false, "__VERIFIER_nondet_bool()"}};
    case Meeting::thread: return {{"", false, byte}};
    case Meeting::attribute:
    case Meeting::none: break;
  }
  return {};
}

std::string guess_of(clang::QualType type) {
  const auto* builtin = type->getAs<clang::BuiltinType>();
  if (type->isEnumeralType()) return "__VERIFIER_nondet_int()";
  if (builtin == nullptr) return {};
  switch (builtin->getKind()) {
    case clang::BuiltinType::Bool: return "__VERIFIER_nondet_bool()";
    case clang::BuiltinType::Char_S:
    case clang::BuiltinType::SChar: return "__VERIFIER_nondet_char()";
    case clang::BuiltinType::Char_U:
    case clang::BuiltinType::UChar: return "__VERIFIER_nondet_uchar()";
    case clang::BuiltinType::Short: return "__VERIFIER_nondet_short()";
    case clang::BuiltinType::UShort: return "__VERIFIER_nondet_ushort()";
    case clang::BuiltinType::Int: return "__VERIFIER_nondet_int()";
    case clang::BuiltinType::UInt: return "__VERIFIER_nondet_uint()";
    case clang::BuiltinType::Long:
    case clang::BuiltinType::LongLong: return "__VERIFIER_nondet_long()";
    case clang::BuiltinType::ULong:
    case clang::BuiltinType::ULongLong: return "__VERIFIER_nondet_ulong()";
    default: return {};
  }
}

std::string at_round(const std::string& object, const std::string& round) {
  std::string result = object;
  result.replace(result.find('#'), 1, round);
  return result;
}

}  // namespace

void Copies::add(const Source& source, const Declarations& declarations, const clang::VarDecl* variable) {
  std::string name = variable->getName().str();
  declarations_.push_back("static " +
                          declarations.declare(declarations.of_value(variable->getType()),
                                               "thrum_first_" + name + "[THRUM_ROUNDS]") +
                          ";");
  add_leaves(source, variable, variable->getType(), {name + "[#]", "", "", 0});
}

void Copies::add_leaves(const Source& source, const clang::VarDecl* variable, clang::QualType type,
                        Leaf leaf) {
  auto loop = [&](const std::string& size) {
    std::string i = "thrum_i" + std::to_string(++leaf.depth);
    leaf.loops += "for (unsigned " + i + " = 0; " + i + " < " + size + "; ++" + i + ") ";
    leaf.object += "[" + i + "]";
  };
  if (Meeting meeting = Declarations::meeting(type); meeting != Meeting::none) {
    for (const Part& part : parts_of(meeting)) {
      if ((std::string_view(part.name) == ".depth" || std::string_view(part.name) == ".kind") &&
          !mutexes_nest_)
        continue;  // always 0
      Leaf inner = leaf;
      inner.object += part.name;
      inner.value = part.value;
      std::swap(inner, leaf);
      if (part.for_each_thread) loop("THRUM_THREADS");
      leaves_.push_back(leaf);
      std::swap(inner, leaf);
    }
    return;
  }
  type = type.getAtomicUnqualifiedType();
  if (const clang::ConstantArrayType* array = source.context().getAsConstantArrayType(type)) {
    loop(std::to_string(array->getSize().getZExtValue()));
    add_leaves(source, variable, array->getElementType(), leaf);
    return;
  }
  const clang::RecordDecl* record = type->getAsRecordDecl();
  if (record != nullptr && !record->isUnion()) {
    for (const clang::FieldDecl* field : record->fields()) {
      if (field->isUnnamedBitField()) continue;
      Leaf inner = leaf;
      if (!field->getName().empty()) inner.object += "." + field->getName().str();
      add_leaves(source, variable, field->getType(), inner);
    }
    return;
  }
  leaf.value = guess_of(type);
  if (leaf.value.empty()) {
    source.refuse(variable->getLocation(),
                  "a shared variable with a pointer, a union or a floating-point number, in the eager rounds",
                  "use the lazy rounds");
  }
  leaves_.push_back(leaf);
}

void Copies::write(Text& text) const {
  for (const std::string& declaration : declarations_) text.block(declaration);
  text.block(
      "static _Bool thrum_first_thrum_finished[THRUM_ROUNDS][THRUM_THREADS];\n"
      "static void thrum_guess(void) {\n"
      "  for (unsigned thrum_r = 1; thrum_r < THRUM_ROUNDS; ++thrum_r) {\n"
      "    for (unsigned thrum_i1 = 0; thrum_i1 < THRUM_THREADS; ++thrum_i1) "
      "thrum_first_thrum_finished[thrum_r][thrum_i1] = "
      "thrum_finished[thrum_r][thrum_i1] = __VERIFIER_nondet_bool();");
  for (const Leaf& leaf : leaves_) {
    text.block("    " + leaf.loops + "{ " + at_round(leaf.object, "thrum_r") + " = " + leaf.value +
               "; thrum_first_" + at_round(leaf.object, "thrum_r") + " = " +
               at_round(leaf.object, "thrum_r") + "; }");
  }
  text.block(
      "  }\n"
      "}\n"
      "static void thrum_compare(void) {\n"
      "  for (unsigned thrum_r = 0; thrum_r + 1 < THRUM_ROUNDS; ++thrum_r) {\n"
      "    for (unsigned thrum_i1 = 0; thrum_i1 < THRUM_THREADS; ++thrum_i1) "
      "__VERIFIER_assume(thrum_finished[thrum_r][thrum_i1] == thrum_first_thrum_finished[thrum_r + "
      "1][thrum_i1]);");
  for (const Leaf& leaf : leaves_) {
    text.block("    " + leaf.loops + "__VERIFIER_assume(" + at_round(leaf.object, "thrum_r") +
               " == thrum_first_" + at_round(leaf.object, "thrum_r + 1") + ");");
  }
  text.block(
      "  }\n"
      "}\n");
}

}  // namespace thrum::seq
