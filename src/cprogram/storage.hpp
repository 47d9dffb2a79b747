// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What C's types and variables become: a variable is a row of cells, one for each scalar in it (elements of
// arrays and fields of structs in their order), and a cell is a row of boolean variables, the lowest bit
// first.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cprogram/bit_vector.hpp"
#include "cprogram/clang_tree.hpp"

namespace thrum::cprogram {

struct Scalar {
  enum class Kind : std::uint8_t { integer, thread, mutex, condition };
  Kind kind = Kind::integer;
  std::size_t width = 0;  // boolean variables
  bool is_signed = false;
  bool is_bool = false;  // conversion asks whether a value is zero
  bool is_narrow =
      false;  // one bit less than there are, so that int holds its values, as C's promotions expect
};

struct Cell {
  Scalar type;
  std::vector<std::string> names;
};

struct Variable {
  bool is_global = false;
  std::vector<Cell> cells;
};

class Types {
 public:
  // bits: what the integer types that are wider have.
  explicit Types(std::size_t bits) : bits_(bits) {}

  // Without the names that typedefs give it, but for those of POSIX threads that mean something.
  static CXType plain(CXType type);
  static bool is_thread_type(CXType type, const char* name);  // of a plain one
  // Of an integer, void *, or one of POSIX threads. Throws SourceError for any other, at the cursor.
  Scalar scalar(CXType type, CXCursor where) const;
  Scalar integer() const { return {.width = bits_ < 32 ? bits_ : 32, .is_signed = true}; }
  std::size_t cells(CXType type, CXCursor where) const;
  // name: of the variable; its boolean variables are named after it.
  std::vector<Cell> layout(CXType type, const std::string& name, CXCursor where) const;

  // For each cell of the type the expression that initialises it; nothing where that is zero.
  std::vector<std::optional<CXCursor>> initialisers(CXType type, CXCursor expression) const;

 private:
  std::size_t bits_;
};

// A name that no word of the language of boolean programs is, nor begins a meaning there.
std::string safe_name(const std::string& name);

}  // namespace thrum::cprogram
