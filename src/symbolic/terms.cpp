// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "symbolic/terms.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "support/check.hpp"
#include "support/hash.hpp"

namespace thrum {

namespace {

constexpr std::array<TermKindRow, kTermKinds> kTable = {{
    {"", "", 0},
    {"", "", 0},
    {"bvadd", "+", 2, true},
    {"bvmul", "*", 2, true},
    {"bvand", "&", 2, true},
    {"bvor", "|", 2, true},
    {"bvxor", "^", 2, true},
    {"bvsub", "-", 2},
    {"bvudiv", "/u", 2},
    {"bvsdiv", "/s", 2},
    {"bvurem", "%u", 2},
    {"bvsrem", "%s", 2},
    {"bvshl", "<<", 2},
    {"bvlshr", ">>u", 2},
    {"bvashr", ">>s", 2},
    {"concat", ":", 2},
    {"extract", "", 1},
    {"zero_extend", "zext", 1},
    {"sign_extend", "sext", 1},
    {"ite", "?", 3},
    {"=", "==", 2, true, true},
    {"bvult", "<u", 2, false, true},
    {"bvule", "<=u", 2, false, true},
    {"bvslt", "<s", 2, false, true},
    {"bvsle", "<=s", 2, false, true},
}};

std::uint64_t hash_of(Bits value) {
  return mixed(static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64));
}

std::uint64_t hash_of(const Terms::Node& node) {
  const std::uint64_t what =
      static_cast<std::uint64_t>(node.kind) << 32 | std::uint64_t{node.width} << 16 | node.low;
  const auto& [a, b, c] = node.operands;
  return mixed(mixed(what, std::uint64_t{a} << 32 | b), c);
}

bool is_negative(Bits value, unsigned width) { return (value >> (width - 1) & 1) != 0; }

// With the sign in all bits above.
Bits extended(Bits value, unsigned width) {
  return is_negative(value, width) ? value | ~bits_up_to(width) : value;
}

// By the absolute values, and the sign of the result.
Bits signed_divide(Bits a, Bits b, unsigned width, bool remainder) {
  const bool a_negative = is_negative(a, width);
  const bool b_negative = is_negative(b, width);
  const Bits x = a_negative ? (0 - a) & bits_up_to(width) : a;
  const Bits y = b_negative ? (0 - b) & bits_up_to(width) : b;
  if (remainder) {
    const Bits rest = y == 0 ? x : x % y;
    return a_negative ? 0 - rest : rest;
  }
  const Bits quotient = y == 0 ? bits_up_to(width) : x / y;
  return a_negative != b_negative ? 0 - quotient : quotient;
}

Bits shifted(TermKind kind, Bits value, Bits by, unsigned width) {
  const bool fills = kind == TermKind::shift_right_signed && is_negative(value, width);
  if (by >= width) return fills ? ~Bits{0} : 0;
  const auto places = static_cast<unsigned>(by);
  if (kind == TermKind::shift_left) return value << places;
  if (!fills) return value >> places;
  return places == 0 ? value : value >> places | ~(~Bits{0} >> places) | ~(bits_up_to(width) >> places);
}

}  // namespace

const TermKindRow& row_of(TermKind kind) { return kTable[static_cast<std::size_t>(kind)]; }

Bits value_of(const Terms::Node& node, std::span<const Bits> operands, unsigned width) {
  const Bits a = operands[0];
  const Bits b = operands.size() > 1 ? operands[1] : 0;
  const auto value = [&]() -> Bits {
    switch (node.kind) {
      case TermKind::constant:
      case TermKind::symbol: return a;
      case TermKind::add: return a + b;
      case TermKind::multiply: return a * b;
      case TermKind::bit_and: return a & b;
      case TermKind::bit_or: return a | b;
      case TermKind::bit_xor: return a ^ b;
      case TermKind::subtract: return a - b;
      case TermKind::unsigned_divide: return b == 0 ? ~Bits{0} : a / b;
      case TermKind::unsigned_remainder: return b == 0 ? a : a % b;
      case TermKind::signed_divide: return signed_divide(a, b, width, false);
      case TermKind::signed_remainder: return signed_divide(a, b, width, true);
      case TermKind::shift_left:
      case TermKind::shift_right:
      case TermKind::shift_right_signed: return shifted(node.kind, a, b, width);
      case TermKind::concat: return a << width | b;
      case TermKind::extract: return a >> node.low;
      case TermKind::zero_extend: return a;
      case TermKind::sign_extend: return extended(a, width);
      case TermKind::if_then_else: return a != 0 ? b : operands[2];
      case TermKind::equal: return a == b ? 1 : 0;
      case TermKind::unsigned_less: return a < b ? 1 : 0;
      case TermKind::unsigned_at_most: return a <= b ? 1 : 0;
      // With the other sign bit they are in order.
      case TermKind::signed_less: return (a ^ Bits{1} << (width - 1)) < (b ^ Bits{1} << (width - 1)) ? 1 : 0;
      case TermKind::signed_at_most:
        return (a ^ Bits{1} << (width - 1)) <= (b ^ Bits{1} << (width - 1)) ? 1 : 0;
    }
    return 0;
  };
  return value() & bits_up_to(node.width);
}

Terms::Terms(Rewriting rewriting) : rewriting_(rewriting), rules_used_(rewriting_rules().size()) {}

Term Terms::keep(const Node& node) { return nodes_.number_of(node, hash_of(node)); }

Term Terms::constant(Bits value, unsigned width) {
  THRUM_CHECK(width > 0 && width <= kTermWidthMax);
  value &= bits_up_to(width);
  const Term kept = constants_.number_of(value, hash_of(value));
  return keep({TermKind::constant, static_cast<std::uint8_t>(width), 0, {kept, kNone, kNone}});
}

Term Terms::symbol(std::uint32_t number, unsigned width) {
  THRUM_CHECK(width > 0 && width <= kTermWidthMax);
  return keep({TermKind::symbol, static_cast<std::uint8_t>(width), 0, {number, kNone, kNone}});
}

Term Terms::make(TermKind kind, Term a, Term b) {
  THRUM_CHECK(width(a) == width(b));
  const auto wide = row_of(kind).compares ? std::uint8_t{1} : nodes_[a].width;
  return term_of({kind, wide, 0, {a, b, kNone}});
}

Term Terms::concat(Term high, Term low) {
  const unsigned wide = width(high) + width(low);
  THRUM_CHECK(wide <= kTermWidthMax);
  return term_of({TermKind::concat, static_cast<std::uint8_t>(wide), 0, {high, low, kNone}});
}

Term Terms::extract(Term of, unsigned low, unsigned width) {
  THRUM_CHECK(width > 0 && low + width <= this->width(of));
  return term_of({TermKind::extract,
                  static_cast<std::uint8_t>(width),
                  static_cast<std::uint16_t>(low),
                  {of, kNone, kNone}});
}

Term Terms::zero_extend(Term of, unsigned width) {
  THRUM_CHECK(width >= this->width(of) && width <= kTermWidthMax);
  return term_of({TermKind::zero_extend, static_cast<std::uint8_t>(width), 0, {of, kNone, kNone}});
}

Term Terms::sign_extend(Term of, unsigned width) {
  THRUM_CHECK(width >= this->width(of) && width <= kTermWidthMax);
  return term_of({TermKind::sign_extend, static_cast<std::uint8_t>(width), 0, {of, kNone, kNone}});
}

Term Terms::if_then_else(Term condition, Term then, Term otherwise) {
  THRUM_CHECK(width(condition) == 1 && width(then) == width(otherwise));
  return term_of({TermKind::if_then_else, nodes_[then].width, 0, {condition, then, otherwise}});
}

Term Terms::bit_not(Term of) { return make(TermKind::bit_xor, of, constant(~Bits{0}, width(of))); }

Term Terms::term_of(const Node& wanted) {
  Node node = wanted;
  const auto count = static_cast<std::size_t>(row_of(node.kind).operands);
  if (rewriting_ == Rewriting::off || count == 0) return keep(node);
  auto& [a, b, c] = node.operands;
  const auto are_constant = [&] {
    return std::all_of(node.operands.begin(), node.operands.begin() + static_cast<std::ptrdiff_t>(count),
                       [&](Term operand) { return is_constant(operand); });
  };
  if (are_constant()) {
    std::array<Bits, 3> values{};
    for (std::size_t i = 0; i < count; ++i) values[i] = value(node.operands[i]);
    const unsigned operand_width = width(node.kind == TermKind::concat ? b : a);
    return constant(value_of(node, std::span(values).first(count), operand_width), node.width);
  }
  // Constants come last.
  if (row_of(node.kind).commutes && (is_constant(a) || (!is_constant(b) && b < a))) std::swap(a, b);
  const std::span<const RewritingRule> rules = rewriting_rules();
  for (std::size_t i = first_rule_of(node.kind); i < rules.size() && rules[i].kind == node.kind; ++i) {
    const std::optional<Term> simpler = rules[i].apply(*this, node);
    if (!simpler) continue;
    ++rules_used_[i];
    return *simpler;
  }
  return keep(node);
}

std::vector<Term> parts_of(const Terms& terms, std::span<const Term> of) {
  std::vector<Term> parts;
  std::unordered_set<Term> seen;
  std::vector<Term> rest(of.begin(), of.end());
  while (!rest.empty()) {
    const Term term = rest.back();
    rest.pop_back();
    if (!seen.insert(term).second) continue;
    parts.push_back(term);
    const Terms::Node& node = terms[term];
    for (int i = 0; i < row_of(node.kind).operands; ++i)
      rest.push_back(node.operands[static_cast<std::size_t>(i)]);
  }
  return parts;
}

// Operands have smaller numbers than the terms that they are in.
Bits TermValues::of(Term term) {
  if (values_.size() <= term) {
    values_.resize(term + std::size_t{1});
    known_.resize(term + std::size_t{1});
  }
  std::vector<Term> rest = {term};
  while (!rest.empty()) {
    const Term each = rest.back();
    const Terms::Node& node = terms_[each];
    const auto count = static_cast<std::size_t>(row_of(node.kind).operands);
    std::array<Bits, 3> operands{};
    bool is_ready = true;
    for (std::size_t i = 0; i < count; ++i) {
      const Term operand = node.operands[i];
      operands[i] = values_[operand];
      if (known_[operand]) continue;
      is_ready = false;
      rest.push_back(operand);
    }
    if (!is_ready) continue;
    rest.pop_back();
    known_[each] = true;
    if (node.kind == TermKind::constant) {
      values_[each] = terms_.value(each);
    } else if (node.kind == TermKind::symbol) {
      const std::uint32_t number = node.operands[0];
      values_[each] = number < symbols_.size() ? symbols_[number] & bits_up_to(node.width) : 0;
    } else {
      const unsigned width = terms_.width(node.operands[node.kind == TermKind::concat ? 1 : 0]);
      values_[each] = value_of(node, std::span(operands).first(count), width);
    }
  }
  return values_[term];
}

}  // namespace thrum
