// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables, elements and fields, and how they are read and written.
#include <algorithm>
#include <utility>

#include "cprogram/function_translator.hpp"

namespace thrum::cprogram {

namespace {

// Of numbers up to one less than the count.
std::size_t bits_for(std::size_t count) {
  std::size_t bits = 0;
  while ((std::size_t{1} << bits) < count) ++bits;
  return bits;
}

}  // namespace

const Variable& FunctionTranslator::variable_of(CXCursor reference) {
  CXCursor declaration = clang_getCursorReferenced(reference);
  CXCursorKind kind = clang_getCursorKind(declaration);
  if (kind == CXCursor_FunctionDecl) {
    throw unsupported(reference, "a function as a value", "call it by its name");
  }
  if (kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl) {
    throw unsupported(reference, "this name here", "use a variable");
  }
  auto local = locals_.find(clang_getCanonicalCursor(declaration));
  if (local != locals_.end()) return local->second;
  bool is_static = clang_Cursor_getStorageClass(declaration) == CX_SC_Static;
  CXCursorKind parent = clang_getCursorKind(clang_getCursorSemanticParent(declaration));
  bool in_function = parent == CXCursor_FunctionDecl && is_static;
  return unit_.global(declaration, in_function ? name_of(callee_.definition) : "");
}

FunctionTranslator::Place FunctionTranslator::place(CXCursor wrapped) {
  CXCursor cursor = without_parentheses(wrapped);
  switch (clang_getCursorKind(cursor)) {
    case CXCursor_DeclRefExpr: {
      Place result{.variable = &variable_of(cursor), .type = clang_getCursorType(cursor)};
      result.choices.push_back({constant(true), 0});
      return result;
    }
    case CXCursor_ArraySubscriptExpr: return element(cursor);
    case CXCursor_MemberRefExpr: return field(cursor);
    case CXCursor_UnaryOperator: value(cursor); [[fallthrough]];  // which says that there are no pointers
    default: throw unsupported(cursor, "this as something to read or write", "use a variable, an element or a field");
  }
}

FunctionTranslator::Place FunctionTranslator::element(CXCursor cursor) {
  std::vector<CXCursor> parts = expressions_of(cursor);
  CXCursor base = without_parentheses(parts[0]);
  if (Types::plain(clang_getCursorType(base)).kind == CXType_Pointer) {
    throw unsupported(cursor, "an element behind a pointer", "index the array itself");
  }
  Place array = place(base);
  CXType type = Types::plain(array.type);
  auto count = static_cast<std::size_t>(clang_getArraySize(type));
  Place result{.variable = array.variable, .type = clang_getArrayElementType(type)};
  std::size_t stride = unit_.types().cells(result.type, cursor);
  Value index = value(parts[1]);
  // So wide that a negative index is too large.
  std::size_t width = std::max(index.bits.size(), bits_for(count + 1) + 1);
  Bits wide = arithmetic_.hold(arithmetic_.extend(std::move(index.bits), width, index.is_signed));
  Bit in_range = arithmetic_.less(wide, constant_bits(static_cast<std::int64_t>(count), wide.size()), false);
  code_.at(position_of(cursor));
  if (!is(in_range, true)) code_.assertion(std::move(in_range));
  wide.resize(bits_for(count));
  for (const Place::Choice& choice : array.choices) {
    for (std::size_t i = 0; i < count; ++i) {
      Bit guard = choice.guard & equals(wide, i);
      if (!is(guard, false)) result.choices.push_back({std::move(guard), choice.cell + i * stride});
    }
  }
  return result;
}

FunctionTranslator::Place FunctionTranslator::field(CXCursor cursor) {
  std::vector<CXCursor> parts = expressions_of(cursor);
  if (parts.empty() || clang_getCanonicalType(clang_getCursorType(parts[0])).kind == CXType_Pointer) {
    throw unsupported(cursor, "a field behind a pointer", "use the struct itself");
  }
  Place result = place(parts[0]);
  CXCursor wanted = clang_getCursorReferenced(cursor);
  std::size_t offset = 0;
  for (CXCursor one : fields_of(Types::plain(result.type))) {
    if (clang_equalCursors(one, wanted) != 0) break;
    offset += unit_.types().cells(clang_getCursorType(one), cursor);
  }
  for (Place::Choice& choice : result.choices) choice.cell += offset;
  result.type = clang_getCursorType(wanted);
  return result;
}

Scalar FunctionTranslator::integer_at(const Place& place, CXCursor where) const {
  Scalar type = unit_.types().scalar(place.type, where);
  if (type.kind != Scalar::Kind::integer) {
    throw unsupported(where, "a thread or a mutex as a value", "name it in calls of pthread functions only");
  }
  return type;
}

FunctionTranslator::Value FunctionTranslator::read(const Place& place, CXCursor where) {
  Scalar type = integer_at(place, where);
  Bits bits(type.width, constant(false));
  for (const Place::Choice& choice : place.choices) {
    const Cell& cell = place.cell(choice);
    for (std::size_t i = 0; i < type.width; ++i) {
      bits[i] = std::move(bits[i]) | (choice.guard & variable(cell.names[i]));
    }
  }
  if (place.variable->is_global) bits = code_.store(std::move(bits));
  return {std::move(bits), type.is_signed};
}

FunctionTranslator::Value FunctionTranslator::write(const Place& place, Value given, bool wanted, CXCursor where) {
  Scalar type = integer_at(place, where);
  bool is_one = place.choices.size() == 1 && is(place.choices[0].guard, true);
  bool is_read_back = is_one && !place.variable->is_global;
  // An element may be written by several bits of a row of them.
  if ((wanted && !is_read_back) || !is_one) given.bits = arithmetic_.hold(std::move(given.bits));
  std::vector<std::string> targets;
  Bits values;
  for (const Place::Choice& choice : place.choices) {
    const Cell& cell = place.cell(choice);
    for (std::size_t i = 0; i < type.width; ++i) {
      targets.push_back(cell.names[i]);
      values.push_back(conditional(choice.guard, given.bits[i], variable(cell.names[i])));
    }
  }
  code_.assign(targets, std::move(values));
  if (wanted && is_read_back) given.bits = variables_of(place.cell(place.choices[0]).names);
  return given;
}

void FunctionTranslator::each(const Place& place, const std::function<void(const Cell&)>& make) {
  for (const Place::Choice& choice : place.choices) {
    if (is(choice.guard, true)) return make(place.cell(choice));
    code_.choice(choice.guard, code_.nested([&] { make(place.cell(choice)); }), {});
  }
}

}  // namespace thrum::cprogram
