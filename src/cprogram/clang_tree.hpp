// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clang's syntax tree of a C file, through the C interface of libclang: children as vectors, texts as
// strings, places as positions. Nothing is thrown across libclang's callbacks.
#pragma once

#include <clang-c/Index.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "boolprog/syntax.hpp"
#include "cprogram/source_error.hpp"

namespace thrum::cprogram {

struct CursorHash {
  std::size_t operator()(const CXCursor& cursor) const { return clang_hashCursor(cursor); }
};
struct CursorEqual {
  bool operator()(const CXCursor& a, const CXCursor& b) const { return clang_equalCursors(a, b) != 0; }
};
template <typename T>
using CursorMap = std::unordered_map<CXCursor, T, CursorHash, CursorEqual>;

// A file that is parsed. Cursors are valid as long as it lives.
class Tree {
 public:
  // include_folders: where the file's #include <...> are looked for, behind the headers of headers.hpp.
  // Throws SourceError where the file does not compile.
  Tree(const std::string& path, const std::string& text, const std::vector<std::string>& include_folders);
  ~Tree();
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  CXCursor root() const { return clang_getTranslationUnitCursor(unit_); }

 private:
  void refuse_errors() const;

  CXIndex index_ = nullptr;
  CXTranslationUnit unit_ = nullptr;
};

std::string text_of(CXString string);  // which is disposed of
std::string name_of(CXCursor cursor);
std::string name_of(CXType type);
std::string kind_of(CXCursor cursor);  // in libclang's words
bp::Position position_of(CXCursor cursor);
// Of the cursor, with the message.
SourceError error_at(CXCursor cursor, const std::string& message);
// "CONSTRUCT is not supported: ADVICE".
SourceError unsupported(CXCursor cursor, const std::string& construct, const std::string& advice);

std::vector<CXCursor> children_of(CXCursor cursor);
// Those that are expressions: types that are named on the way are left out.
std::vector<CXCursor> expressions_of(CXCursor cursor);
std::vector<CXCursor> fields_of(CXType record);
std::vector<CXCursor> arguments_of(CXCursor call);
std::optional<CXCursor> body_of(CXCursor function);
CXCursor without_parentheses(CXCursor expression);  // nor implicit conversions
CXCursor without_casts(CXCursor expression);        // of any kind
// Whether `wanted` is named somewhere in the tree.
bool refers_to(CXCursor tree, CXCursor wanted);

struct ForParts {
  std::optional<CXCursor> first{};
  std::optional<CXCursor> condition{};
  std::optional<CXCursor> step{};
  CXCursor body{};
};
ForParts parts_of_for(CXCursor statement);

// The value of an expression of literals, enumerators and operators; nothing for any other.
std::optional<std::int64_t> constant_of(CXCursor expression);

}  // namespace thrum::cprogram
