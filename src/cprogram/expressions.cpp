// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is computed.
#include <utility>

#include "cprogram/function_translator.hpp"

namespace thrum::cprogram {

namespace {

CXBinaryOperatorKind without_assignment(CXBinaryOperatorKind kind) {
  switch (kind) {
    case CXBinaryOperator_MulAssign: return CXBinaryOperator_Mul;
    case CXBinaryOperator_DivAssign: return CXBinaryOperator_Div;
    case CXBinaryOperator_RemAssign: return CXBinaryOperator_Rem;
    case CXBinaryOperator_AddAssign: return CXBinaryOperator_Add;
    case CXBinaryOperator_SubAssign: return CXBinaryOperator_Sub;
    case CXBinaryOperator_ShlAssign: return CXBinaryOperator_Shl;
    case CXBinaryOperator_ShrAssign: return CXBinaryOperator_Shr;
    case CXBinaryOperator_AndAssign: return CXBinaryOperator_And;
    case CXBinaryOperator_XorAssign: return CXBinaryOperator_Xor;
    default: return CXBinaryOperator_Or;
  }
}

bool is_shift(CXBinaryOperatorKind kind) {
  return kind == CXBinaryOperator_Shl || kind == CXBinaryOperator_Shr;
}

// The number whose power of two this constant is.
std::optional<std::size_t> power_of_two(const Bits& bits) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (is(bits[i], false)) continue;
    if (!is(bits[i], true) || found) return std::nullopt;
    found = i;
  }
  return found;
}

template <typename Operator>
Bits bitwise(const Bits& a, const Bits& b, Operator one) {
  Bits result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(one(a[i], b[i]));
  return result;
}

}  // namespace

FunctionTranslator::Value FunctionTranslator::value(CXCursor cursor, bool wanted) {
  if (auto number = constant_of(cursor)) return literal(*number, cursor);
  switch (clang_getCursorKind(cursor)) {
    case CXCursor_ParenExpr: return value(children_of(cursor)[0], wanted);
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr: return cast(cursor, wanted);
    case CXCursor_DeclRefExpr:
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_MemberRefExpr: return read(place(cursor), cursor);
    case CXCursor_UnaryOperator: return unary(cursor, wanted);
    case CXCursor_BinaryOperator: return binary(cursor, wanted);
    case CXCursor_CompoundAssignOperator: return compound_assignment(cursor, wanted);
    case CXCursor_ConditionalOperator: return conditional_value(cursor, wanted);
    case CXCursor_CallExpr: return call(cursor, wanted);
    case CXCursor_StmtExpr: return block_value(cursor, wanted);
    case CXCursor_StringLiteral: throw unsupported(cursor, "a string", "leave it out, or use printf");
    case CXCursor_FloatingLiteral: throw unsupported(cursor, "a floating-point number", "use an integer");
    default:
      throw unsupported(cursor, "this kind of expression (" + kind_of(cursor) + ")",
                        "write it with integer variables and operators");
  }
}

FunctionTranslator::Value FunctionTranslator::converted(Value from, const Scalar& to, CXCursor where) {
  if (from.bits.empty())
    throw unsupported(where, "the value of something that gives none, or a pointer,", "give an integer");
  if (to.kind != Scalar::Kind::integer) {
    throw unsupported(where, "a thread or a mutex as a value", "name it in calls of pthread functions only");
  }
  if (to.is_bool) return {{nonzero(from.bits)}, false};
  return {arithmetic_.extend(std::move(from.bits), to.width, from.is_signed), to.is_signed};
}

Bit FunctionTranslator::truth(CXCursor cursor) {
  return converted(value(cursor), {.width = 1, .is_bool = true}, cursor).bits[0];
}

// 0 or 1, in the expression's type.
FunctionTranslator::Value FunctionTranslator::from_bit(Bit bit, CXCursor cursor) {
  Scalar type = unit_.types().scalar(clang_getCursorType(cursor), cursor);
  Bits bits(type.width, constant(false));
  bits[0] = std::move(bit);
  return {std::move(bits), type.is_signed};
}

FunctionTranslator::Value FunctionTranslator::literal(std::int64_t number, CXCursor cursor) {
  Scalar type = unit_.types().scalar(clang_getCursorType(cursor), cursor);
  return {constant_in(type, number, cursor), type.is_signed};
}

FunctionTranslator::Value FunctionTranslator::cast(CXCursor cursor, bool wanted) {
  std::vector<CXCursor> inner = expressions_of(cursor);
  bool implicit = clang_getCursorKind(cursor) == CXCursor_UnexposedExpr;
  if (inner.empty() || (implicit && inner.size() != 1)) {
    throw unsupported(cursor, "this kind of expression", "write it with integer variables and operators");
  }
  CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
  if (type.kind == CXType_Void || !wanted) {
    effect(inner.back());
    return {};
  }
  CXCursor object = without_parentheses(inner.back());
  if (clang_getCursorKind(object) == CXCursor_StringLiteral) value(object);  // says so
  return value_as(inner.back(), unit_.types().scalar(clang_getCursorType(cursor), cursor));
}

// --- Operators with one operand ---

FunctionTranslator::Value FunctionTranslator::unary(CXCursor cursor, bool wanted) {
  CXCursor operand = expressions_of(cursor).at(0);
  CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(cursor);
  switch (kind) {
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PostDec: return step(cursor, kind == CXUnaryOperator_PostInc, false, wanted);
    case CXUnaryOperator_PreInc:
    case CXUnaryOperator_PreDec: return step(cursor, kind == CXUnaryOperator_PreInc, true, wanted);
    case CXUnaryOperator_Extension: return value(operand, wanted);
    case CXUnaryOperator_LNot: return from_bit(!truth(operand), cursor);
    case CXUnaryOperator_AddrOf:
      throw unsupported(cursor, "the address of something",
                        "use the variable itself, or an array and an index");
    case CXUnaryOperator_Deref:
      throw unsupported(cursor, "a pointer that is followed",
                        "use the variable itself, or an array and an index");
    case CXUnaryOperator_Plus:
    case CXUnaryOperator_Minus:
    case CXUnaryOperator_Not: break;
    default: throw unsupported(cursor, "this operator", "use those of integers");
  }
  Scalar type = unit_.types().scalar(clang_getCursorType(cursor), cursor);
  Value result = value_as(operand, type);
  if (kind == CXUnaryOperator_Minus) result.bits = arithmetic_.negate(std::move(result.bits));
  if (kind == CXUnaryOperator_Not) {
    for (Bit& bit : result.bits) bit = !std::move(bit);
  }
  return result;
}

// ++ and --.
FunctionTranslator::Value FunctionTranslator::step(CXCursor cursor, bool up, bool before, bool wanted) {
  Place target = place(expressions_of(cursor).at(0));
  Value old = read(target, cursor);
  Scalar type = integer_at(target, cursor);
  Value wide = type.is_bool ? converted(old, unit_.types().integer(), cursor) : old;
  std::size_t width = wide.bits.size();
  wide.bits = arithmetic_.add(std::move(wide.bits), constant_bits(up ? 0 : -1, width), constant(up));
  bool keeps_old = wanted && !before;
  if (keeps_old) old.bits = code_.store(std::move(old.bits));
  Value now = write(target, converted(std::move(wide), type, cursor), wanted && before, cursor);
  return keeps_old ? old : now;
}

// --- Operators with two operands ---

FunctionTranslator::Value FunctionTranslator::binary(CXCursor cursor, bool wanted) {
  std::vector<CXCursor> operands = expressions_of(cursor);
  CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(cursor);
  switch (kind) {
    case CXBinaryOperator_Assign: return assignment(cursor, wanted);
    case CXBinaryOperator_LAnd:
    case CXBinaryOperator_LOr: return logical(cursor);
    case CXBinaryOperator_Comma: effect(operands[0]); return value(operands[1], wanted);
    default: break;
  }
  Scalar type = unit_.types().scalar(clang_getCursorType(operands[0]), operands[0]);
  Value a = value_as(operands[0], type);
  Value b = is_shift(kind) ? value(operands[1]) : value_as(operands[1], type);
  return compute(kind, std::move(a), std::move(b), cursor);
}

// a and b are of the same type, but for shifts.
FunctionTranslator::Value FunctionTranslator::compute(CXBinaryOperatorKind kind, Value a, Value b,
                                                      CXCursor cursor) {
  bool is_signed = a.is_signed;
  Arithmetic& with = arithmetic_;
  switch (kind) {
    case CXBinaryOperator_Mul: return {with.multiply(std::move(a.bits), std::move(b.bits)), is_signed};
    case CXBinaryOperator_Div:
    case CXBinaryOperator_Rem: return divide(kind, a, b, cursor);
    case CXBinaryOperator_Add: return {with.add(std::move(a.bits), std::move(b.bits)), is_signed};
    case CXBinaryOperator_Sub: return {with.subtract(std::move(a.bits), std::move(b.bits)), is_signed};
    case CXBinaryOperator_Shl: return {with.shift_left(std::move(a.bits), b.bits), is_signed};
    case CXBinaryOperator_Shr: return {with.shift_right(std::move(a.bits), b.bits, is_signed), is_signed};
    case CXBinaryOperator_And:
      return {bitwise(a.bits, b.bits, [](const Bit& x, const Bit& y) { return x & y; }), is_signed};
    case CXBinaryOperator_Or:
      return {bitwise(a.bits, b.bits, [](const Bit& x, const Bit& y) { return x | y; }), is_signed};
    case CXBinaryOperator_Xor:
      return {bitwise(a.bits, b.bits, [](const Bit& x, const Bit& y) { return x ^ y; }), is_signed};
    case CXBinaryOperator_EQ: return from_bit(with.equal(a.bits, b.bits), cursor);
    case CXBinaryOperator_NE: return from_bit(!with.equal(a.bits, b.bits), cursor);
    case CXBinaryOperator_LT:
      return from_bit(with.less(std::move(a.bits), std::move(b.bits), is_signed), cursor);
    case CXBinaryOperator_GT:
      return from_bit(with.less(std::move(b.bits), std::move(a.bits), is_signed), cursor);
    case CXBinaryOperator_GE:
      return from_bit(!with.less(std::move(a.bits), std::move(b.bits), is_signed), cursor);
    case CXBinaryOperator_LE:
      return from_bit(!with.less(std::move(b.bits), std::move(a.bits), is_signed), cursor);
    default: throw unsupported(cursor, "this operator", "use those of integers");
  }
}

FunctionTranslator::Value FunctionTranslator::divide(CXBinaryOperatorKind kind, const Value& a,
                                                     const Value& b, CXCursor cursor) {
  bool is_quotient = kind == CXBinaryOperator_Div;
  std::size_t width = a.bits.size();
  auto power = power_of_two(b.bits);
  if (power && !a.is_signed && is_quotient) {
    Bits bits(a.bits.begin() + static_cast<std::ptrdiff_t>(*power), a.bits.end());
    return {arithmetic_.extend(std::move(bits), width, false), false};
  }
  if (power && !a.is_signed) {
    Bits bits(a.bits.begin(), a.bits.begin() + static_cast<std::ptrdiff_t>(*power));
    bits.resize(width, constant(false));
    return {std::move(bits), false};
  }
  Bits divisor = arithmetic_.hold(b.bits);
  Bit divides = nonzero(divisor);
  code_.at(position_of(cursor));
  if (!is(divides, true)) code_.assertion(std::move(divides));
  Arithmetic::Division result = arithmetic_.divide(a.bits, std::move(divisor), a.is_signed);
  return {is_quotient ? std::move(result.quotient) : std::move(result.remainder), a.is_signed};
}

// --- Operators that choose what is computed ---

FunctionTranslator::Value FunctionTranslator::logical(CXCursor cursor) {
  std::vector<CXCursor> operands = expressions_of(cursor);
  bool is_and = clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_LAnd;
  Bit left = truth(operands[0]);
  Bits result = code_.fresh(1);
  Bit right;
  Control before = control_;
  bp::Block block = code_.nested([&] { right = truth(operands[1]); });
  meet(cursor, before);
  if (block.empty()) {
    code_.give_up(result);
    return from_bit(is_and ? std::move(left) & std::move(right) : std::move(left) | std::move(right), cursor);
  }
  bp::Block last = code_.nested([&] { code_.assign(names_of(result), {right}); });
  block.insert(block.end(), last.begin(), last.end());
  code_.assign(names_of(result), {std::move(left)});
  code_.choice(is_and ? result[0] : !result[0], std::move(block), {});
  return from_bit(result[0], cursor);
}

FunctionTranslator::Value FunctionTranslator::conditional_value(CXCursor cursor, bool wanted) {
  std::vector<CXCursor> parts = expressions_of(cursor);
  bool gives = wanted && clang_getCanonicalType(clang_getCursorType(cursor)).kind != CXType_Void;
  Scalar type;
  if (gives) type = unit_.types().scalar(clang_getCursorType(cursor), cursor);
  Bit condition = truth(parts[0]);
  Bits result = code_.fresh(type.width);
  Control before = control_;
  Bits if_so;
  Bits if_not;
  auto arm = [&](CXCursor part, Bits& bits) {
    bp::Block block = code_.nested([&] {
      if (!gives) return effect(part);
      bits = value_as(part, type).bits;
    });
    Control behind = std::exchange(control_, before);
    return std::pair(std::move(block), behind);
  };
  auto [yes, behind_yes] = arm(parts[1], if_so);
  auto [no, behind_no] = arm(parts[2], if_not);
  control_ = behind_yes;
  meet(cursor, behind_no);
  if (gives && yes.empty() && no.empty()) {
    code_.give_up(result);
    return {arithmetic_.choose(std::move(condition), std::move(if_so), if_not), type.is_signed};
  }
  auto give = [&](bp::Block& block, const Bits& bits) {
    bp::Block last = code_.nested([&] { code_.assign(names_of(result), bits); });
    block.insert(block.end(), last.begin(), last.end());
  };
  give(yes, if_so);
  give(no, if_not);
  code_.choice(std::move(condition), std::move(yes), std::move(no));
  return {std::move(result), type.is_signed};
}

// --- Assignments ---

FunctionTranslator::Value FunctionTranslator::assignment(CXCursor cursor, bool wanted) {
  std::vector<CXCursor> operands = expressions_of(cursor);
  Value given = value_as(operands[1], unit_.types().scalar(clang_getCursorType(operands[0]), operands[0]));
  return write(place(operands[0]), std::move(given), wanted, cursor);
}

FunctionTranslator::Value FunctionTranslator::compound_assignment(CXCursor cursor, bool wanted) {
  std::vector<CXCursor> operands = expressions_of(cursor);
  CXBinaryOperatorKind kind = without_assignment(clang_getCursorBinaryOperatorKind(cursor));
  // Clang has converted the right side to the type in which both are computed; a shift's left side is
  // promoted.
  Scalar own = unit_.types().scalar(clang_getCursorType(operands[0]), operands[0]);
  Scalar common = own;
  if (!is_shift(kind)) common = unit_.types().scalar(clang_getCursorType(operands[1]), operands[1]);
  if (is_shift(kind) && own.width < unit_.types().integer().width) common = unit_.types().integer();
  Value by = is_shift(kind) ? value(operands[1]) : value_as(operands[1], common);
  Place target = place(operands[0]);
  Value old = converted(read(target, cursor), common, cursor);
  Value now = converted(compute(kind, std::move(old), std::move(by), cursor), own, cursor);
  return write(target, std::move(now), wanted, cursor);
}

// ({ ... }): the value is that of the last statement.
FunctionTranslator::Value FunctionTranslator::block_value(CXCursor cursor, bool wanted) {
  std::vector<CXCursor> statements = children_of(children_of(cursor).at(0));
  for (std::size_t i = 0; i < statements.size(); ++i) {
    bool is_last = i + 1 == statements.size() && clang_isExpression(clang_getCursorKind(statements[i])) != 0;
    if (is_last) return value(statements[i], wanted);
    statement(statements[i]);
  }
  return {};
}

}  // namespace thrum::cprogram
