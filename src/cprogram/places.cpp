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
    default:
      throw unsupported(cursor, "this as something to read or write",
                        "use a variable, an element or a field");
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
  bool is_one = place.choices.size() == 1 && is(place.choices[0].guard, true);
  if (is_one && !place.variable->is_global)
    return {variables_of(place.cell(place.choices[0]).names), type.is_signed};
  Bits bits = code_.fresh(type.width);
  each(place, [&](const Cell& cell) { code_.assign(names_of(bits), variables_of(cell.names)); });
  return {std::move(bits), type.is_signed};
}

FunctionTranslator::Value FunctionTranslator::write(const Place& place, Value given, bool wanted,
                                                    CXCursor where) {
  integer_at(place, where);
  bool is_one = place.choices.size() == 1 && is(place.choices[0].guard, true);
  bool is_read_back = is_one && !place.variable->is_global;
  if ((wanted && !is_read_back) || !is_one) given.bits = arithmetic_.hold(std::move(given.bits));
  each(place, [&](const Cell& cell) { code_.assign(cell.names, given.bits); });
  if (wanted && is_read_back) given.bits = variables_of(place.cell(place.choices[0]).names);
  return given;
}

// An index that is not known chooses among statements, each of which has one element in it: diagrams of one
// that has them all would grow with the values of all. The choice itself looks at locals only.
void FunctionTranslator::each(const Place& place, const std::function<void(const Cell&)>& make) {
  bp::Statement choice{.kind = bp::Statement::Kind::choice};
  for (std::size_t i = 0; i < place.choices.size(); ++i) {
    const Place::Choice& one = place.choices[i];
    if (is(one.guard, true)) return make(place.cell(one));
    bp::Block block = code_.nested([&] { make(place.cell(one)); });
    bool is_last = i + 1 == place.choices.size();  // an index out of range has failed before
    if (is_last) choice.otherwise = std::move(block);
    if (!is_last) choice.arms.push_back({one.guard, std::move(block)});
  }
  choice.has_otherwise = true;
  if (choice.arms.empty()) return code_.append(std::move(choice.otherwise));
  code_.emit(std::move(choice));
}

}  // namespace thrum::cprogram
