// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cprogram/storage.hpp"

#include <algorithm>

namespace thrum::cprogram {

namespace {

// Of one variable; a larger one would not be searched anyway.
constexpr std::size_t kCellsMax = 4096;

std::size_t own_width(CXType type, CXCursor where) {
  switch (type.kind) {
    case CXType_Bool: return 1;
    case CXType_Char_U:
    case CXType_UChar:
    case CXType_Char_S:
    case CXType_SChar: return 8;
    case CXType_UShort:
    case CXType_Short: return 16;
    case CXType_UInt:
    case CXType_Int: return 32;
    case CXType_ULong:
    case CXType_Long:
    case CXType_ULongLong:
    case CXType_LongLong: return 64;
    case CXType_Pointer:
      if (clang_getPointeeType(type).kind == CXType_Void) return 64;
      throw unsupported(where, "a pointer ('" + name_of(type) + "')",
                        "use the variable itself, or an array and an index");
    case CXType_Float:
    case CXType_Double:
    case CXType_LongDouble:
      throw unsupported(where, "a floating-point number ('" + name_of(type) + "')", "use an integer");
    default:
      throw unsupported(where, "the type '" + name_of(type) + "' here",
                        "use integers, and arrays and structs of them, one element at a time");
  }
}

bool is_unsigned(CXTypeKind kind) {
  return kind == CXType_Bool || kind == CXType_Char_U || kind == CXType_UChar || kind == CXType_UShort ||
         kind == CXType_UInt || kind == CXType_ULong || kind == CXType_ULongLong || kind == CXType_Pointer;
}

bool has_own_meaning(const std::string& name) {
  return name == "pthread_t" || name == "pthread_mutex_t" || name == "pthread_cond_t";
}

void refuse_union(CXType record, CXCursor where) {
  if (clang_getCursorKind(clang_getTypeDeclaration(record)) == CXCursor_UnionDecl) {
    throw unsupported(where, "a union", "use a struct");
  }
  for (CXCursor field : fields_of(record)) {
    if (clang_Cursor_isBitField(field) != 0)
      throw unsupported(field, "a bit field", "use a field of an own type");
    if (name_of(field).empty()) throw unsupported(field, "a field without a name", "give it one");
  }
}

}  // namespace

CXType Types::plain(CXType type) {
  for (;;) {
    if (type.kind == CXType_Elaborated) {
      type = clang_Type_getNamedType(type);
    } else if (type.kind == CXType_Attributed) {
      type = clang_Type_getModifiedType(type);
    } else if (type.kind == CXType_Typedef && !has_own_meaning(text_of(clang_getTypedefName(type)))) {
      type = clang_getTypedefDeclUnderlyingType(clang_getTypeDeclaration(type));
    } else if (type.kind == CXType_Unexposed) {
      return clang_getCanonicalType(type);
    } else {
      return type;
    }
  }
}

bool Types::is_thread_type(CXType type, const char* name) {
  return type.kind == CXType_Typedef && text_of(clang_getTypedefName(type)) == name;
}

Scalar Types::scalar(CXType declared, CXCursor where) const {
  CXType type = plain(declared);
  if (is_thread_type(type, "pthread_t")) return {.kind = Scalar::Kind::thread, .width = 1};
  if (is_thread_type(type, "pthread_mutex_t")) return {.kind = Scalar::Kind::mutex, .width = 1};
  if (is_thread_type(type, "pthread_cond_t")) return {.kind = Scalar::Kind::condition};
  if (type.kind == CXType_Enum) {
    type = clang_getCanonicalType(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(type)));
  }
  if (type.kind == CXType_Atomic) {
    throw unsupported(where, "an _Atomic variable",
                      "put the access between __VERIFIER_atomic_begin() and ..._end()");
  }
  std::size_t own = own_width(type, where);
  Scalar result{.width = std::min(own, bits_), .is_signed = !is_unsigned(type.kind), .is_bool = own == 1};
  if (!result.is_signed && own > 1 && own < 32 && own >= bits_) {
    result.is_narrow = true;
    result.width = bits_ - 1;
  }
  return result;
}

std::size_t Types::cells(CXType declared, CXCursor where) const {
  CXType type = plain(declared);
  if (type.kind == CXType_ConstantArray) {
    auto count = static_cast<std::size_t>(std::max(clang_getArraySize(type), 0LL));
    if (count > kCellsMax) throw unsupported(where, "an array with so many elements", "make it smaller");
    return count * cells(clang_getArrayElementType(type), where);
  }
  if (type.kind == CXType_Record) {
    refuse_union(type, where);
    std::size_t count = 0;
    for (CXCursor field : fields_of(type)) count += cells(clang_getCursorType(field), where);
    return count;
  }
  if (type.kind == CXType_VariableArray || type.kind == CXType_IncompleteArray) {
    throw unsupported(where, "an array without a constant size", "give it one");
  }
  scalar(type, where);
  return 1;
}

std::vector<Cell> Types::layout(CXType declared, const std::string& name, CXCursor where) const {
  CXType type = plain(declared);
  if (cells(type, where) > kCellsMax)
    throw unsupported(where, "a variable as large as this", "make it smaller");
  std::vector<Cell> result;
  auto add = [&](std::vector<Cell> more) { result.insert(result.end(), more.begin(), more.end()); };
  if (type.kind == CXType_ConstantArray) {
    for (long long i = 0; i < clang_getArraySize(type); ++i) {
      add(layout(clang_getArrayElementType(type), name + '$' + std::to_string(i), where));
    }
  } else if (type.kind == CXType_Record) {
    for (CXCursor field : fields_of(type)) {
      add(layout(clang_getCursorType(field), name + "$" + name_of(field), where));
    }
  } else {
    Cell cell{scalar(type, where), {}};
    bool numbered = cell.type.kind == Scalar::Kind::integer && !cell.type.is_bool;
    for (std::size_t i = 0; i < cell.type.width; ++i) {
      cell.names.push_back(numbered ? name + '$' + std::to_string(i) : name);
    }
    result.push_back(std::move(cell));
  }
  return result;
}

std::vector<std::optional<CXCursor>> Types::initialisers(CXType declared, CXCursor expression) const {
  CXType type = plain(declared);
  bool is_array = type.kind == CXType_ConstantArray;
  if (!is_array && type.kind != CXType_Record) return {expression};
  std::vector<std::optional<CXCursor>> result;
  if (clang_getCursorKind(expression) != CXCursor_InitListExpr) {
    throw unsupported(expression, "an array or struct that is not initialised by a list in braces",
                      "use such a list");
  }
  std::vector<CXType> parts;
  if (is_array)
    parts.resize(static_cast<std::size_t>(clang_getArraySize(type)), clang_getArrayElementType(type));
  if (!is_array) {
    for (CXCursor field : fields_of(type)) parts.push_back(clang_getCursorType(field));
  }
  std::vector<CXCursor> values = children_of(expression);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i >= values.size()) {
      result.resize(result.size() + cells(parts[i], expression));
      continue;
    }
    if (clang_getCursorKind(values[i]) == CXCursor_UnexposedExpr && children_of(values[i]).size() != 1) {
      throw unsupported(values[i], "a designator in a list in braces", "list the values in their order");
    }
    for (const auto& one : initialisers(parts[i], values[i])) result.push_back(one);
  }
  return result;
}

std::string safe_name(const std::string& name) {
  static const std::set<std::string> words = {
      "decl",       "begin",        "end",        "void",   "bool",   "dfs",
      "enforce",    "abortif",      "skip",       "goto",   "assume", "assert",
      "if",         "then",         "elsif",      "else",   "fi",     "while",
      "do",         "od",           "return",     "dead",   "print",  "start_thread",
      "end_thread", "atomic_begin", "atomic_end", "wait",   "T",      "schoose",
      "F",          "sync",         "broadcast",  "thread", "join",   "constrain",
      "atomic",     "super_atomic", "init",       "_"};
  if (name.starts_with("ASYNC_")) return "l$" + name;  // a label that starts threads
  return words.contains(name) ? name + "$$" : name;
}

}  // namespace thrum::cprogram
