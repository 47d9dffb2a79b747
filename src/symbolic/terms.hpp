// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Terms over bit vectors: what a value is, as a function of inputs and of what was read from others. Each
// term is kept once, so that two equal ones have one number.
//
// A term is rewritten where it is built (rewrite.cpp), so that most conditions that are always true, or
// never, are constants, and that a pointer stays a constant base with an offset. What a term means is
// SMT-LIB's theory of bit vectors: sums and products wrap around, x / 0 has all bits set, and x % 0 is x.
//
// Example: Terms terms; Term x = terms.symbol(0, 32); terms.make(TermKind::equal, x, terms.constant(3, 32))
//
// Tested by terms_test.cpp, and against Z3 by src/solver.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "support/interned.hpp"

namespace thrum {

// The value of a term: its low bits, as many as the term is wide. The others are 0.
using Bits = unsigned __int128;
inline constexpr unsigned kTermWidthMax = 128;

enum class TermKind : std::uint8_t {
  constant,
  symbol,  // an input, or a value that was read
  // Of two terms of one width, which the result has, too. From here to bit_xor their order does not matter.
  add,
  multiply,
  bit_and,
  bit_or,
  bit_xor,
  subtract,
  unsigned_divide,
  signed_divide,
  unsigned_remainder,
  signed_remainder,
  shift_left,
  shift_right,
  shift_right_signed,
  // Of other widths.
  concat,   // the first one has the high bits
  extract,  // some bits
  zero_extend,
  sign_extend,
  if_then_else,  // by a term of one bit
  // Of two terms of one width; the result has one bit.
  equal,
  unsigned_less,
  unsigned_at_most,
  signed_less,
  signed_at_most,
};
inline constexpr int kTermKinds = static_cast<int>(TermKind::signed_at_most) + 1;

struct TermKindRow {
  std::string_view name;  // SMT-LIB's
  std::string_view sign;  // for people
  int operands = 0;
  bool commutes = false;
  bool compares = false;
};
const TermKindRow& row_of(TermKind kind);

class Terms {
 public:
  using Term = std::uint32_t;
  static constexpr Term kNone = 0xffffffff;

  struct Node {
    TermKind kind = TermKind::constant;
    std::uint8_t width = 1;  // in bits
    std::uint16_t low = 0;   // of extract: the lowest bit
    // Of a symbol the first one is its number; of a constant, where its value is kept.
    std::array<Term, 3> operands{kNone, kNone, kNone};

    friend bool operator==(const Node&, const Node&) = default;
  };

  enum class Rewriting : bool { off, on };
  explicit Terms(Rewriting rewriting = Rewriting::on);

  // value: bits above the width are left out.
  Term constant(Bits value, unsigned width);
  Term truth(bool value) { return constant(value ? 1 : 0, 1); }
  // What the number stands for is the caller's affair.
  Term symbol(std::uint32_t number, unsigned width);
  // Of two terms of one width. REQUIRES: the kind is none of those that have functions of their own here.
  Term make(TermKind kind, Term a, Term b);
  Term concat(Term high, Term low);
  // REQUIRES: low + width is at most the term's width.
  Term extract(Term of, unsigned low, unsigned width);
  // REQUIRES: width is at least the term's.
  Term zero_extend(Term of, unsigned width);
  Term sign_extend(Term of, unsigned width);
  // REQUIRES: the condition has one bit, the others one width.
  Term if_then_else(Term condition, Term then, Term otherwise);
  Term bit_not(Term of);
  Term negate(Term of) { return make(TermKind::subtract, constant(0, width(of)), of); }

  // The term of the node, whose operands are of this object; a constant's and a symbol's as they are.
  Term term_of(const Node& node);

  std::size_t size() const { return nodes_.size(); }
  const Node& operator[](Term term) const { return nodes_[term]; }
  unsigned width(Term term) const { return nodes_[term].width; }
  bool is_constant(Term term) const { return nodes_[term].kind == TermKind::constant; }
  // REQUIRES: is_constant(term)
  Bits value(Term term) const { return constants_[nodes_[term].operands[0]]; }
  bool is_value(Term term, Bits value) const { return is_constant(term) && this->value(term) == value; }

  // How often each rule was used, by its place in rewriting_rules().
  std::span<const std::uint64_t> rules_used() const { return rules_used_; }

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.nodes_, self.constants_);
  }

 private:
  Term keep(const Node& node);

  Interned<Node> nodes_;
  Interned<Bits> constants_;
  Rewriting rewriting_;
  std::vector<std::uint64_t> rules_used_;
};

using Term = Terms::Term;

constexpr Bits bits_up_to(unsigned width) {
  return width == kTermWidthMax ? ~Bits{0} : (Bits{1} << width) - 1;
}

// What the node's value is if its operands have these. width: the operands'; of concat: the second one's.
Bits value_of(const Terms::Node& node, std::span<const Bits> operands, unsigned width);

// Values of terms where symbols have these values, each found once.
class TermValues {
 public:
  // symbols: by number; those that are missing are 0. Both must outlive it.
  TermValues(const Terms& terms, std::span<const Bits> symbols) : terms_(terms), symbols_(symbols) {}

  Bits of(Term term);

 private:
  const Terms& terms_;
  std::span<const Bits> symbols_;
  std::vector<Bits> values_;
  std::vector<bool> known_;
};

// All terms that these are made of, and they, each once.
std::vector<Term> parts_of(const Terms& terms, std::span<const Term> of);

// The rules by which a term is rewritten. Each gives a term of the same value with fewer nodes, or narrower
// ones, or with constants further outside: so they end. Each is checked by random values, and by Z3.
struct RewritingRule {
  TermKind kind = TermKind::constant;  // of the term that it is for
  std::string_view text;               // for people; k, l: constants
  // The node's operands are rewritten, not all constant, and in order where that does not matter. Nothing:
  // the rule is not for it.
  std::optional<Term> (*apply)(Terms& terms, const Terms::Node& node) = nullptr;
};
// Those of one kind stand together, and the first one that is for a term is taken.
std::span<const RewritingRule> rewriting_rules();
// The first one of the kind, or their number.
std::size_t first_rule_of(TermKind kind);

std::string decimal(Bits value);

// For people: "x + 3 <u y". name: of a symbol. A term of more than `most` nodes is cut: "...".
std::string to_text(const Terms& terms, Term term, std::string (*name)(std::uint32_t symbol), int most = 100);

}  // namespace thrum
