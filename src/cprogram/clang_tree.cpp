// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cprogram/clang_tree.hpp"

#include <algorithm>
#include <array>

#include "cprogram/headers.hpp"

namespace thrum::cprogram {

namespace {

CXChildVisitResult collect(CXCursor child, CXCursor /*parent*/, CXClientData into) {
  static_cast<std::vector<CXCursor>*>(into)->push_back(child);
  return CXChildVisit_Continue;
}

CXVisitorResult collect_field(CXCursor field, CXClientData into) {
  static_cast<std::vector<CXCursor>*>(into)->push_back(field);
  return CXVisit_Continue;
}

struct Place {
  std::string file;
  bp::Position where;
  unsigned offset = 0;
};

Place place_of(CXSourceLocation location) {
  CXFile file = nullptr;
  Place place;
  unsigned line = 0;
  unsigned column = 0;
  clang_getExpansionLocation(location, &file, &line, &column, &place.offset);
  if (file != nullptr) place.file = text_of(clang_getFileName(file));
  place.where = {std::max(line, 1U), std::max(column, 1U)};
  return place;
}

Place place_of(CXCursor cursor) {
  bool is_declaration = clang_isDeclaration(clang_getCursorKind(cursor)) != 0;  // whose name tells it best
  return place_of(is_declaration ? clang_getCursorLocation(cursor)
                                 : clang_getRangeStart(clang_getCursorExtent(cursor)));
}

// Where the two semicolons of a for statement are; nothing where the text does not show them.
std::optional<std::array<unsigned, 2>> semicolons_of(CXCursor statement) {
  CXTranslationUnit unit = clang_Cursor_getTranslationUnit(statement);
  CXToken* tokens = nullptr;
  unsigned count = 0;
  clang_tokenize(unit, clang_getCursorExtent(statement), &tokens, &count);
  std::array<unsigned, 2> found{};
  std::size_t semicolons = 0;
  int depth = 0;
  bool is_for = count > 0 && text_of(clang_getTokenSpelling(unit, tokens[0])) == "for";
  for (unsigned i = 0; is_for && i < count && semicolons < 2; ++i) {
    std::string text = text_of(clang_getTokenSpelling(unit, tokens[i]));
    if (text == "(" || text == "{") ++depth;
    if (text == ")" || text == "}") --depth;
    if (text == ";" && depth == 1) {
      found[semicolons++] = place_of(clang_getTokenLocation(unit, tokens[i])).offset;
    }
  }
  if (tokens != nullptr) clang_disposeTokens(unit, tokens, count);
  if (semicolons < 2) return std::nullopt;
  return found;
}

bool is_constant_operator(CXCursor cursor, CXCursorKind kind) {
  if (kind == CXCursor_UnaryOperator) {
    switch (clang_getCursorUnaryOperatorKind(cursor)) {
      case CXUnaryOperator_Plus:
      case CXUnaryOperator_Minus:
      case CXUnaryOperator_Not:
      case CXUnaryOperator_LNot: return true;
      default: return false;
    }
  }
  if (kind == CXCursor_BinaryOperator) {
    CXBinaryOperatorKind which = clang_getCursorBinaryOperatorKind(cursor);
    return which >= CXBinaryOperator_Mul && which <= CXBinaryOperator_LOr;
  }
  return kind == CXCursor_ConditionalOperator || kind == CXCursor_ParenExpr ||
         kind == CXCursor_UnexposedExpr || kind == CXCursor_CStyleCastExpr;
}

// libclang also evaluates what has side effects, and forgets them; so the tree is looked at first.
bool is_constant(CXCursor cursor) {
  CXCursorKind kind = clang_getCursorKind(cursor);
  if (kind == CXCursor_IntegerLiteral || kind == CXCursor_CharacterLiteral || kind == CXCursor_UnaryExpr)
    return true;
  if (kind == CXCursor_DeclRefExpr) {
    return clang_getCursorKind(clang_getCursorReferenced(cursor)) == CXCursor_EnumConstantDecl;
  }
  std::vector<CXCursor> operands = expressions_of(cursor);
  return is_constant_operator(cursor, kind) && !operands.empty() &&
         std::all_of(operands.begin(), operands.end(), is_constant);
}

}  // namespace

Tree::Tree(const std::string& path, const std::string& text, const std::vector<std::string>& include_folders)
    : index_(clang_createIndex(0, 0)) {
  std::vector<std::string> words = {"-x",
                                    "c",
                                    "-std=gnu17",
                                    "-nostdinc",
                                    "-fno-dollars-in-identifiers",
                                    "-w",
                                    "-Wno-error=implicit-function-declaration",
                                    "-isystem",
                                    kHeadersFolder};
  for (const std::string& folder : include_folders) words.push_back("-I" + folder);
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  std::vector<CXUnsavedFile> files;
  for (const Header& header : headers()) {
    files.push_back(
        {header.path.c_str(), header.text.c_str(), static_cast<unsigned long>(header.text.size())});
  }
  files.push_back({path.c_str(), text.c_str(), static_cast<unsigned long>(text.size())});
  CXErrorCode error = clang_parseTranslationUnit2(
      index_, path.c_str(), arguments.data(), static_cast<int>(arguments.size()), files.data(),
      static_cast<unsigned>(files.size()), CXTranslationUnit_None, &unit_);
  try {
    if (error != CXError_Success) throw SourceError(path, {}, "libclang cannot read this file");
    refuse_errors();
  } catch (...) {
    if (unit_ != nullptr) clang_disposeTranslationUnit(unit_);
    clang_disposeIndex(index_);
    throw;
  }
}

Tree::~Tree() {
  clang_disposeTranslationUnit(unit_);
  clang_disposeIndex(index_);
}

void Tree::refuse_errors() const {
  for (unsigned i = 0; i < clang_getNumDiagnostics(unit_); ++i) {
    CXDiagnostic diagnostic = clang_getDiagnostic(unit_, i);
    bool is_error = clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error;
    Place place = place_of(clang_getDiagnosticLocation(diagnostic));
    std::string message = text_of(clang_getDiagnosticSpelling(diagnostic));
    clang_disposeDiagnostic(diagnostic);
    if (is_error) throw SourceError(place.file, place.where, "this does not compile: " + message);
  }
}

std::string text_of(CXString string) {
  const char* text = clang_getCString(string);
  std::string result = text == nullptr ? "" : text;
  clang_disposeString(string);
  return result;
}

std::string name_of(CXCursor cursor) { return text_of(clang_getCursorSpelling(cursor)); }
std::string name_of(CXType type) { return text_of(clang_getTypeSpelling(type)); }
std::string kind_of(CXCursor cursor) {
  return text_of(clang_getCursorKindSpelling(clang_getCursorKind(cursor)));
}

bp::Position position_of(CXCursor cursor) { return place_of(cursor).where; }

SourceError error_at(CXCursor cursor, const std::string& message) {
  Place place = place_of(cursor);
  return {place.file, place.where, message};
}

SourceError unsupported(CXCursor cursor, const std::string& construct, const std::string& advice) {
  return error_at(cursor, construct + " is not supported: " + advice);
}

std::vector<CXCursor> children_of(CXCursor cursor) {
  std::vector<CXCursor> result;
  clang_visitChildren(cursor, collect, &result);
  return result;
}

std::vector<CXCursor> expressions_of(CXCursor cursor) {
  std::vector<CXCursor> result = children_of(cursor);
  std::erase_if(result, [](CXCursor child) { return clang_isExpression(clang_getCursorKind(child)) == 0; });
  return result;
}

std::vector<CXCursor> fields_of(CXType record) {
  std::vector<CXCursor> result;
  clang_Type_visitFields(record, collect_field, &result);
  return result;
}

std::vector<CXCursor> arguments_of(CXCursor call) {
  std::vector<CXCursor> result;
  int count = clang_Cursor_getNumArguments(call);
  for (int i = 0; i < count; ++i) result.push_back(clang_Cursor_getArgument(call, static_cast<unsigned>(i)));
  return result;
}

std::optional<CXCursor> body_of(CXCursor function) {
  for (CXCursor child : children_of(function)) {
    if (clang_getCursorKind(child) == CXCursor_CompoundStmt) return child;
  }
  return std::nullopt;
}

CXCursor without_parentheses(CXCursor expression) {
  for (;;) {
    CXCursorKind kind = clang_getCursorKind(expression);
    if (kind != CXCursor_ParenExpr && kind != CXCursor_UnexposedExpr) return expression;
    std::vector<CXCursor> inner = expressions_of(expression);
    if (inner.size() != 1) return expression;
    expression = inner[0];
  }
}

CXCursor without_casts(CXCursor expression) {
  for (;;) {
    expression = without_parentheses(expression);
    if (clang_getCursorKind(expression) != CXCursor_CStyleCastExpr) return expression;
    std::vector<CXCursor> inner = expressions_of(expression);
    if (inner.empty()) return expression;
    expression = inner.back();
  }
}

bool refers_to(CXCursor tree, CXCursor wanted) {
  if (clang_getCursorKind(tree) == CXCursor_DeclRefExpr &&
      clang_equalCursors(clang_getCursorReferenced(tree), wanted) != 0) {
    return true;
  }
  std::vector<CXCursor> children = children_of(tree);
  return std::any_of(children.begin(), children.end(),
                     [&](CXCursor child) { return refers_to(child, wanted); });
}

// libclang leaves out the parts that are not there, so that which ones are is read off the text.
ForParts parts_of_for(CXCursor statement) {
  std::vector<CXCursor> children = children_of(statement);
  ForParts parts;
  parts.body = children.back();
  children.pop_back();
  if (children.size() == 3) {
    parts.first = children[0];
    parts.condition = children[1];
    parts.step = children[2];
    return parts;
  }
  auto semicolons = semicolons_of(statement);
  if (!semicolons) {
    throw unsupported(statement, "a 'for' without all its parts that a macro makes",
                      "write it without the macro");
  }
  for (CXCursor child : children) {
    unsigned offset = place_of(clang_getRangeStart(clang_getCursorExtent(child))).offset;
    (offset <= (*semicolons)[0]   ? parts.first
     : offset <= (*semicolons)[1] ? parts.condition
                                  : parts.step) = child;
  }
  return parts;
}

std::optional<std::int64_t> constant_of(CXCursor expression) {
  if (!is_constant(expression)) return std::nullopt;
  CXEvalResult result = clang_Cursor_Evaluate(expression);
  if (result == nullptr) return std::nullopt;
  std::optional<std::int64_t> value;
  if (clang_EvalResult_getKind(result) == CXEval_Int) value = clang_EvalResult_getAsLongLong(result);
  clang_EvalResult_dispose(result);
  return value;
}

}  // namespace thrum::cprogram
