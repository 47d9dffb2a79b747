// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules by which terms are rewritten.
#include <array>
#include <iterator>
#include <optional>
#include <span>

#include "symbolic/terms.hpp"

namespace thrum {

namespace {

using Node = Terms::Node;
using Result = std::optional<Term>;
using enum TermKind;

// What a rule looks at: the node, and its operands.
struct At {
  At(Terms& all, const Node& at) : terms(all), node(at), a(at.operands[0]), b(at.operands[1]) {}

  Term c() const { return node.operands[2]; }
  bool is(Term term, TermKind kind) const { return terms[term].kind == kind; }
  bool is_constant(Term term) const { return terms.is_constant(term); }
  Bits value(Term term) const { return terms.value(term); }
  bool is_zero(Term term) const { return terms.is_value(term, 0); }
  bool is_ones(Term term) const { return terms.is_value(term, bits_up_to(terms.width(term))); }
  Term first(Term term) const { return terms[term].operands[0]; }
  Term second(Term term) const { return terms[term].operands[1]; }
  // x op k
  bool has_constant(Term term, TermKind kind) const { return is(term, kind) && is_constant(second(term)); }
  unsigned width(Term term) const { return terms.width(term); }
  Term constant(Bits value) const { return terms.constant(value, node.width); }
  Term constant(Bits value, Term like) const { return terms.constant(value, width(like)); }
  // Whether one of the two is the other with all bits changed.
  bool are_opposite(Term x, Term y) const {
    const auto is_not_of = [&](Term one, Term other) {
      return has_constant(one, bit_xor) && is_ones(second(one)) && first(one) == other;
    };
    return is_not_of(x, y) || is_not_of(y, x);
  }

  Terms& terms;
  const Node& node;
  Term a;
  Term b;
};

unsigned places_of(Bits value) {  // of a power of two
  unsigned places = 0;
  while ((value >> places & 1) == 0) ++places;
  return places;
}

bool is_power_of_two(Bits value) { return value != 0 && (value & (value - 1)) == 0; }

Bits top_bit(unsigned width) { return Bits{1} << (width - 1); }

// Whether the value is what some value of that width is, extended.
bool fits(Bits value, unsigned width, unsigned wide, bool with_sign) {
  const Bits low = value & bits_up_to(width);
  const bool fills = with_sign && (low & top_bit(width)) != 0;
  return value == (fills ? (low | ~bits_up_to(width)) & bits_up_to(wide) : low);
}

#define RULE(kind, text, condition, result)                  \
  RewritingRule {                                            \
    kind, text, [](Terms& all, const Node& node) -> Result { \
      const At t(all, node);                                 \
      if (!(condition)) return std::nullopt;                 \
      return result;                                         \
    }                                                        \
  }

const RewritingRule kRules[] = {
    RULE(add, "x + 0 = x", t.is_zero(t.b), t.a),
    RULE(add, "(x + k) + l = x + (k + l)", t.is_constant(t.b) && t.has_constant(t.a, add),
         all.make(add, t.first(t.a), t.constant(t.value(t.second(t.a)) + t.value(t.b)))),
    RULE(add, "(x + k) + y = (x + y) + k", t.has_constant(t.a, add),
         all.make(add, all.make(add, t.first(t.a), t.b), t.second(t.a))),
    RULE(add, "x + (y + k) = (x + y) + k", t.has_constant(t.b, add),
         all.make(add, all.make(add, t.a, t.first(t.b)), t.second(t.b))),
    RULE(add, "y + (x - y) = x", t.is(t.b, subtract) && t.second(t.b) == t.a, t.first(t.b)),

    RULE(multiply, "x * 0 = 0", t.is_zero(t.b), t.b),
    RULE(multiply, "x * 1 = x", t.is_constant(t.b) && t.value(t.b) == 1, t.a),
    RULE(multiply, "(x * k) * l = x * (k * l)", t.is_constant(t.b) && t.has_constant(t.a, multiply),
         all.make(multiply, t.first(t.a), t.constant(t.value(t.second(t.a)) * t.value(t.b)))),

    RULE(bit_and, "x & 0 = 0", t.is_zero(t.b), t.b),
    RULE(bit_and, "x & ~0 = x", t.is_ones(t.b), t.a),
    RULE(bit_and, "x & x = x", t.a == t.b, t.a),
    RULE(bit_and, "x & ~x = 0", t.are_opposite(t.a, t.b), t.constant(0)),
    RULE(bit_and, "(x & k) & l = x & (k & l)", t.is_constant(t.b) && t.has_constant(t.a, bit_and),
         all.make(bit_and, t.first(t.a), t.constant(t.value(t.second(t.a)) & t.value(t.b)))),
    RULE(
        bit_and, "zext(x) & k = zext(x & k)", t.is_constant(t.b) && t.is(t.a, zero_extend),
        all.zero_extend(all.make(bit_and, t.first(t.a), t.constant(t.value(t.b), t.first(t.a))), node.width)),

    RULE(bit_or, "x | 0 = x", t.is_zero(t.b), t.a),
    RULE(bit_or, "x | ~0 = ~0", t.is_ones(t.b), t.b),
    RULE(bit_or, "x | x = x", t.a == t.b, t.a),
    RULE(bit_or, "x | ~x = ~0", t.are_opposite(t.a, t.b), t.constant(~Bits{0})),
    RULE(bit_or, "(x | k) | l = x | (k | l)", t.is_constant(t.b) && t.has_constant(t.a, bit_or),
         all.make(bit_or, t.first(t.a), t.constant(t.value(t.second(t.a)) | t.value(t.b)))),

    RULE(bit_xor, "x ^ 0 = x", t.is_zero(t.b), t.a),
    RULE(bit_xor, "x ^ x = 0", t.a == t.b, t.constant(0)),
    RULE(bit_xor, "(x ^ k) ^ l = x ^ (k ^ l)", t.is_constant(t.b) && t.has_constant(t.a, bit_xor),
         all.make(bit_xor, t.first(t.a), t.constant(t.value(t.second(t.a)) ^ t.value(t.b)))),
    RULE(bit_xor, "(x ^ k) ^ y = (x ^ y) ^ k", t.has_constant(t.a, bit_xor),
         all.make(bit_xor, all.make(bit_xor, t.first(t.a), t.b), t.second(t.a))),
    RULE(bit_xor, "x ^ (y ^ k) = (x ^ y) ^ k", t.has_constant(t.b, bit_xor),
         all.make(bit_xor, all.make(bit_xor, t.a, t.first(t.b)), t.second(t.b))),

    RULE(subtract, "x - k = x + (-k)", t.is_constant(t.b), all.make(add, t.a, t.constant(0 - t.value(t.b)))),
    RULE(subtract, "x - x = 0", t.a == t.b, t.constant(0)),
    RULE(subtract, "0 - (0 - x) = x", t.is_zero(t.a) && t.is(t.b, subtract) && t.is_zero(t.first(t.b)),
         t.second(t.b)),
    RULE(subtract, "(x + k) - y = (x - y) + k", t.has_constant(t.a, add),
         all.make(add, all.make(subtract, t.first(t.a), t.b), t.second(t.a))),
    RULE(subtract, "x - (y + k) = (x - y) + (-k)", t.has_constant(t.b, add),
         all.make(add, all.make(subtract, t.a, t.first(t.b)), t.constant(0 - t.value(t.second(t.b))))),
    RULE(subtract, "(x + y) - x = y", t.is(t.a, add) && t.first(t.a) == t.b, t.second(t.a)),
    RULE(subtract, "(x + y) - y = x", t.is(t.a, add) && t.second(t.a) == t.b, t.first(t.a)),

    RULE(unsigned_divide, "x / 1 = x", t.is_constant(t.b) && t.value(t.b) == 1, t.a),
    RULE(unsigned_divide, "x / 2^k = x >> k", t.is_constant(t.b) && is_power_of_two(t.value(t.b)),
         all.make(shift_right, t.a, t.constant(places_of(t.value(t.b))))),
    RULE(signed_divide, "x / 1 = x", t.is_constant(t.b) && t.value(t.b) == 1 && node.width > 1, t.a),
    RULE(unsigned_remainder, "x % 2^k = x & (2^k - 1)", t.is_constant(t.b) && is_power_of_two(t.value(t.b)),
         all.make(bit_and, t.a, t.constant(t.value(t.b) - 1))),
    RULE(signed_remainder, "x % 1 = 0", t.is_constant(t.b) && t.value(t.b) == 1 && node.width > 1,
         t.constant(0)),

    RULE(shift_left, "x << 0 = x", t.is_zero(t.b), t.a),
    RULE(shift_left, "0 << x = 0", t.is_zero(t.a), t.a),
    RULE(shift_left, "x << k = 0 if k is the width or more", t.is_constant(t.b) && t.value(t.b) >= node.width,
         t.constant(0)),
    RULE(shift_right, "x >> 0 = x", t.is_zero(t.b), t.a),
    RULE(shift_right, "0 >> x = 0", t.is_zero(t.a), t.a),
    RULE(shift_right, "x >> k = 0 if k is the width or more",
         t.is_constant(t.b) && t.value(t.b) >= node.width, t.constant(0)),
    RULE(shift_right_signed, "x >> 0 = x", t.is_zero(t.b), t.a),
    RULE(shift_right_signed, "x >> k = x >> (width - 1) if k is the width or more",
         t.is_constant(t.b) && t.value(t.b) >= node.width,
         all.make(shift_right_signed, t.a, t.constant(node.width - 1u))),

    RULE(concat, "0 : x = zext(x)", t.is_zero(t.a), all.zero_extend(t.b, node.width)),
    RULE(concat, "x[high] : x[low] = x[both] if they are neighbours",
         t.is(t.a, extract) && t.is(t.b, extract) && t.first(t.a) == t.first(t.b) &&
             all[t.a].low == all[t.b].low + t.width(t.b),
         all.extract(t.first(t.a), all[t.b].low, node.width)),
    RULE(concat, "(y : x[high]) : x[low] = y : x[both] if they are neighbours",
         t.is(t.a, concat) && t.is(t.second(t.a), extract) && t.is(t.b, extract) &&
             t.first(t.second(t.a)) == t.first(t.b) && all[t.second(t.a)].low == all[t.b].low + t.width(t.b),
         all.concat(t.first(t.a),
                    all.extract(t.first(t.b), all[t.b].low, t.width(t.b) + t.width(t.second(t.a))))),
    RULE(concat, "x[high] : (x[low] : y) = x[both] : y if they are neighbours",
         t.is(t.b, concat) && t.is(t.first(t.b), extract) && t.is(t.a, extract) &&
             t.first(t.first(t.b)) == t.first(t.a) &&
             all[t.a].low == all[t.first(t.b)].low + t.width(t.first(t.b)),
         all.concat(all.extract(t.first(t.a), all[t.first(t.b)].low, t.width(t.a) + t.width(t.first(t.b))),
                    t.second(t.b))),

    RULE(extract, "x[all] = x", node.width == t.width(t.a), t.a),
    RULE(extract, "x[bits][bits] = x[bits]", t.is(t.a, extract),
         all.extract(t.first(t.a), all[t.a].low + node.low, node.width)),
    RULE(extract, "(x : y)[bits of y] = y[bits]",
         t.is(t.a, concat) && node.low + node.width <= t.width(t.second(t.a)),
         all.extract(t.second(t.a), node.low, node.width)),
    RULE(extract, "(x : y)[bits of x] = x[bits]", t.is(t.a, concat) && node.low >= t.width(t.second(t.a)),
         all.extract(t.first(t.a), node.low - t.width(t.second(t.a)), node.width)),
    RULE(extract, "(x : y)[bits] = x[bits] : y[bits]", t.is(t.a, concat),
         all.concat(all.extract(t.first(t.a), 0, node.low + node.width - t.width(t.second(t.a))),
                    all.extract(t.second(t.a), node.low, t.width(t.second(t.a)) - node.low))),
    RULE(extract, "ext(x)[bits of x] = x[bits]",
         (t.is(t.a, zero_extend) || t.is(t.a, sign_extend)) && node.low + node.width <= t.width(t.first(t.a)),
         all.extract(t.first(t.a), node.low, node.width)),
    RULE(extract, "zext(x)[bits above x] = 0", t.is(t.a, zero_extend) && node.low >= t.width(t.first(t.a)),
         t.constant(0)),
    RULE(extract, "zext(x)[bits] = zext(x[bits])", t.is(t.a, zero_extend),
         all.zero_extend(all.extract(t.first(t.a), node.low, t.width(t.first(t.a)) - node.low), node.width)),
    RULE(extract, "sext(x)[low bits] = sext(x)", t.is(t.a, sign_extend) && node.low == 0,
         all.sign_extend(t.first(t.a), node.width)),
    RULE(extract, "(x op y)[low bits] = x[low bits] op y[low bits]",
         node.low == 0 && (t.is(t.a, add) || t.is(t.a, subtract) || t.is(t.a, multiply)),
         all.make(all[t.a].kind, all.extract(t.first(t.a), 0, node.width),
                  all.extract(t.second(t.a), 0, node.width))),
    RULE(extract, "(x op y)[bits] = x[bits] op y[bits], bit by bit",
         t.is(t.a, bit_and) || t.is(t.a, bit_or) || t.is(t.a, bit_xor),
         all.make(all[t.a].kind, all.extract(t.first(t.a), node.low, node.width),
                  all.extract(t.second(t.a), node.low, node.width))),
    RULE(extract, "(c ? k : l)[bits] = c ? k[bits] : l[bits]",
         t.is(t.a, if_then_else) && t.is_constant(t.second(t.a)) && t.is_constant(all[t.a].operands[2]),
         all.if_then_else(t.first(t.a), all.extract(t.second(t.a), node.low, node.width),
                          all.extract(all[t.a].operands[2], node.low, node.width))),

    RULE(zero_extend, "zext(x) = x if it is as wide", node.width == t.width(t.a), t.a),
    RULE(zero_extend, "zext(zext(x)) = zext(x)", t.is(t.a, zero_extend),
         all.zero_extend(t.first(t.a), node.width)),
    RULE(sign_extend, "sext(x) = x if it is as wide", node.width == t.width(t.a), t.a),
    RULE(sign_extend, "sext(sext(x)) = sext(x)", t.is(t.a, sign_extend),
         all.sign_extend(t.first(t.a), node.width)),
    RULE(sign_extend, "sext(zext(x)) = zext(x)", t.is(t.a, zero_extend),
         all.zero_extend(t.first(t.a), node.width)),

    RULE(if_then_else, "1 ? x : y = x", t.is_constant(t.a) && t.value(t.a) == 1, t.b),
    RULE(if_then_else, "0 ? x : y = y", t.is_zero(t.a), t.c()),
    RULE(if_then_else, "c ? x : x = x", t.b == t.c(), t.b),
    RULE(if_then_else, "~c ? x : y = c ? y : x", t.has_constant(t.a, bit_xor),
         all.if_then_else(t.first(t.a), t.c(), t.b)),
    RULE(if_then_else, "c ? 1 : 0 = c", node.width == 1 && t.is_ones(t.b) && t.is_zero(t.c()), t.a),
    RULE(if_then_else, "c ? 0 : 1 = ~c", node.width == 1 && t.is_zero(t.b) && t.is_ones(t.c()),
         all.bit_not(t.a)),
    RULE(if_then_else, "c ? (c ? x : y) : z = c ? x : z", t.is(t.b, if_then_else) && t.first(t.b) == t.a,
         all.if_then_else(t.a, t.second(t.b), t.c())),
    RULE(if_then_else, "c ? x : (c ? y : z) = c ? x : z", t.is(t.c(), if_then_else) && t.first(t.c()) == t.a,
         all.if_then_else(t.a, t.b, all[t.c()].operands[2])),

    RULE(equal, "(x == x) = 1", t.a == t.b, all.truth(true)),
    RULE(equal, "(x == 1) = x, of one bit", t.width(t.a) == 1 && t.is_ones(t.b), t.a),
    RULE(equal, "(x == 0) = ~x, of one bit", t.width(t.a) == 1 && t.is_zero(t.b), all.bit_not(t.a)),
    RULE(equal, "(x == ~x) = 0", t.are_opposite(t.a, t.b), all.truth(false)),
    RULE(equal, "(x + k == l) = (x == l - k)", t.is_constant(t.b) && t.has_constant(t.a, add),
         all.make(equal, t.first(t.a), t.constant(t.value(t.b) - t.value(t.second(t.a)), t.b))),
    RULE(equal, "(x ^ k == l) = (x == k ^ l)", t.is_constant(t.b) && t.has_constant(t.a, bit_xor),
         all.make(equal, t.first(t.a), t.constant(t.value(t.b) ^ t.value(t.second(t.a)), t.b))),
    RULE(equal, "(x - y == 0) = (x == y)", t.is_zero(t.b) && t.is(t.a, subtract),
         all.make(equal, t.first(t.a), t.second(t.a))),
    RULE(equal, "(zext(x) == k) = (x == k), or 0", t.is_constant(t.b) && t.is(t.a, zero_extend),
         fits(t.value(t.b), t.width(t.first(t.a)), t.width(t.a), false)
             ? all.make(equal, t.first(t.a), t.constant(t.value(t.b), t.first(t.a)))
             : all.truth(false)),
    RULE(equal, "(sext(x) == k) = (x == k), or 0", t.is_constant(t.b) && t.is(t.a, sign_extend),
         fits(t.value(t.b), t.width(t.first(t.a)), t.width(t.a), true)
             ? all.make(equal, t.first(t.a), t.constant(t.value(t.b), t.first(t.a)))
             : all.truth(false)),
    RULE(equal, "(ext(x) == ext(y)) = (x == y)",
         (t.is(t.a, zero_extend) || t.is(t.a, sign_extend)) && all[t.a].kind == all[t.b].kind &&
             t.width(t.first(t.a)) == t.width(t.first(t.b)),
         all.make(equal, t.first(t.a), t.first(t.b))),
    RULE(equal, "(x : y == k) = (x == k[high]) & (y == k[low])", t.is_constant(t.b) && t.is(t.a, concat),
         all.make(
             bit_and,
             all.make(equal, t.first(t.a), t.constant(t.value(t.b) >> t.width(t.second(t.a)), t.first(t.a))),
             all.make(equal, t.second(t.a), t.constant(t.value(t.b), t.second(t.a))))),
    RULE(equal, "((c ? k : l) == m) = c, ~c, 1 or 0",
         t.is_constant(t.b) && t.is(t.a, if_then_else) && t.is_constant(t.second(t.a)) &&
             t.is_constant(all[t.a].operands[2]),
         all.if_then_else(t.first(t.a), all.truth(t.second(t.a) == t.b),
                          all.truth(all[t.a].operands[2] == t.b))),

    RULE(unsigned_less, "(x < x) = 0", t.a == t.b, all.truth(false)),
    RULE(unsigned_less, "(x < 0) = 0", t.is_zero(t.b), all.truth(false)),
    RULE(unsigned_less, "(~0 < x) = 0", t.is_ones(t.a), all.truth(false)),
    RULE(unsigned_less, "(0 < x) = ~(x == 0)", t.is_zero(t.a),
         all.bit_not(all.make(equal, t.b, t.constant(0, t.b)))),
    RULE(unsigned_less, "(x < 1) = (x == 0)", t.is_constant(t.b) && t.value(t.b) == 1,
         all.make(equal, t.a, t.constant(0, t.a))),
    RULE(unsigned_less, "(x < ~0) = ~(x == ~0)", t.is_ones(t.b), all.bit_not(all.make(equal, t.a, t.b))),
    RULE(unsigned_less, "(zext(x) < zext(y)) = (x < y)",
         t.is(t.a, zero_extend) && t.is(t.b, zero_extend) && t.width(t.first(t.a)) == t.width(t.first(t.b)),
         all.make(unsigned_less, t.first(t.a), t.first(t.b))),
    RULE(unsigned_less, "(zext(x) < k) = (x < k), or 1", t.is(t.a, zero_extend) && t.is_constant(t.b),
         t.value(t.b) > bits_up_to(t.width(t.first(t.a)))
             ? all.truth(true)
             : all.make(unsigned_less, t.first(t.a), t.constant(t.value(t.b), t.first(t.a)))),
    RULE(unsigned_less, "(k < zext(x)) = (k < x), or 0", t.is(t.b, zero_extend) && t.is_constant(t.a),
         t.value(t.a) >= bits_up_to(t.width(t.first(t.b)))
             ? all.truth(false)
             : all.make(unsigned_less, t.constant(t.value(t.a), t.first(t.b)), t.first(t.b))),
    RULE(unsigned_at_most, "(x <= y) = ~(y < x)", true, all.bit_not(all.make(unsigned_less, t.b, t.a))),

    RULE(signed_less, "(x < x) = 0", t.a == t.b, all.truth(false)),
    RULE(signed_less, "(x < the least) = 0", t.is_constant(t.b) && t.value(t.b) == top_bit(t.width(t.b)),
         all.truth(false)),
    RULE(signed_less, "(the greatest < x) = 0",
         t.is_constant(t.a) && t.value(t.a) == bits_up_to(t.width(t.a) - 1), all.truth(false)),
    RULE(signed_less, "(x < 0) = x[top]", t.is_zero(t.b), all.extract(t.a, t.width(t.a) - 1, 1)),
    RULE(signed_less, "(sext(x) < sext(y)) = (x < y)",
         t.is(t.a, sign_extend) && t.is(t.b, sign_extend) && t.width(t.first(t.a)) == t.width(t.first(t.b)),
         all.make(signed_less, t.first(t.a), t.first(t.b))),
    RULE(signed_less, "(zext(x) < zext(y)) = (x <u y)",
         t.is(t.a, zero_extend) && t.is(t.b, zero_extend) && t.width(t.first(t.a)) == t.width(t.first(t.b)),
         all.make(unsigned_less, t.first(t.a), t.first(t.b))),
    RULE(signed_less, "(zext(x) < k) = (zext(x) <u k), or 0", t.is(t.a, zero_extend) && t.is_constant(t.b),
         (t.value(t.b) & top_bit(t.width(t.b))) != 0 ? all.truth(false) : all.make(unsigned_less, t.a, t.b)),
    RULE(signed_less, "(k < zext(x)) = (k <u zext(x)), or 1", t.is(t.b, zero_extend) && t.is_constant(t.a),
         (t.value(t.a) & top_bit(t.width(t.a))) != 0 ? all.truth(true) : all.make(unsigned_less, t.a, t.b)),
    RULE(signed_at_most, "(x <= y) = ~(y < x)", true, all.bit_not(all.make(signed_less, t.b, t.a))),
};

#undef RULE

std::array<std::size_t, kTermKinds> places() {
  std::array<std::size_t, kTermKinds> places{};
  places.fill(std::size(kRules));
  for (std::size_t i = std::size(kRules); i-- > 0;) places[static_cast<std::size_t>(kRules[i].kind)] = i;
  return places;
}

}  // namespace

std::span<const RewritingRule> rewriting_rules() { return kRules; }

std::size_t first_rule_of(TermKind kind) {
  static const std::array<std::size_t, kTermKinds> kFirst = places();
  return kFirst[static_cast<std::size_t>(kind)];
}

}  // namespace thrum
