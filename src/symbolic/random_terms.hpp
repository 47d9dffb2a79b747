// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random terms for tests, each built with the rewriting rules and without.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/random.hpp"
#include "symbolic/terms.hpp"

namespace thrum {

class RandomTerms {
 public:
  struct Pair {
    Term plain;
    Term rewritten;
  };

  explicit RandomTerms(std::uint64_t seed) : random_(seed) {
    constexpr unsigned kWidths[] = {1, 1, 3, 8, 8, 16, 32, 64, 100, 128};
    for (unsigned width : {kWidths[below(10)], kWidths[below(10)], 8u, 1u})
      add([&](Terms& terms) { return terms.symbol(symbols_, width); }), ++symbols_;
  }

  const Terms& plain() const { return plain_; }
  const Terms& rewritten() const { return rewritten_; }
  const std::vector<Pair>& pairs() const { return pairs_; }

  // One term more, of those that are there.
  void grow() {
    const std::size_t a = some();
    switch (below(13)) {
      case 0: return extend(a);
      case 1: return cut(a);
      case 2: return join(a);
      case 3: return choose();
      case 4: return constant(width(a));
      case 5: return with_constants(a);
      case 6: return extend_both(a);
      case 7: return with_its_own(a);
      case 8: return turn(a);
      default: return two(a);
    }
  }

  // Of the symbols: often such as are near a border.
  std::vector<Bits> some_values() {
    std::vector<Bits> values(symbols_);
    for (Bits& value : values) value = some_value(kTermWidthMax);
    return values;
  }

 private:
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_.below(limit)); }
  // The newest ones more often.
  std::size_t some() {
    return below(3) == 0 ? below(pairs_.size())
                         : pairs_.size() - 1 - below(std::min<std::size_t>(pairs_.size(), 5));
  }
  unsigned width(std::size_t of) const { return plain_.width(pairs_[of].plain); }

  Bits some_value(unsigned width) {
    const Bits any = static_cast<Bits>(random_.next()) << 64 | random_.next();
    switch (below(8)) {
      case 0: return 0;
      case 1: return bits_up_to(width);
      case 2: return Bits{1} << below(width);
      case 3: return bits_up_to(width) >> 1;
      case 4:
      case 5: return below(4);
      default: return any & bits_up_to(width);
    }
  }

  template <typename Make>
  void add(Make make) {
    pairs_.push_back({make(plain_), make(rewritten_)});
  }
  // make: of the store, and of the terms in it.
  template <typename Make>
  void of(std::size_t a, std::size_t b, std::size_t c, Make make) {
    const Pair x = pairs_[a], y = pairs_[b], z = pairs_[c];
    pairs_.push_back(
        {make(plain_, x.plain, y.plain, z.plain), make(rewritten_, x.rewritten, y.rewritten, z.rewritten)});
  }
  void constant(unsigned width) {
    const Bits value = some_value(width);
    add([&](Terms& terms) { return terms.constant(value, width); });
  }
  // One of that width.
  std::size_t as_wide_as(std::size_t a) {
    for (int tries = 0; tries < 8; ++tries) {
      const std::size_t b = some();
      if (width(b) == width(a)) return b;
    }
    if (below(4) == 0) return a;
    if (below(8) == 0) {
      of(a, a, a, [](Terms& terms, Term x, Term, Term) { return terms.bit_not(x); });
    } else {
      constant(width(a));
    }
    return pairs_.size() - 1;
  }
  void two(std::size_t a) {
    std::size_t b = as_wide_as(a);
    if (below(4) == 0) std::swap(a, b);
    two_by(below(3) == 0 ? some_comparison() : some_operator(), a, b);
  }
  std::size_t some_operator() {
    constexpr std::size_t kFirst = static_cast<std::size_t>(TermKind::add);
    return kFirst + below(static_cast<std::size_t>(TermKind::shift_right_signed) - kFirst + 1);
  }
  std::size_t some_comparison() {
    constexpr std::size_t kFirst = static_cast<std::size_t>(TermKind::equal);
    return kFirst + below(static_cast<std::size_t>(kTermKinds) - kFirst);
  }
  std::size_t two_by(std::size_t kind, std::size_t a, std::size_t b) {
    of(a, b, b,
       [&](Terms& terms, Term x, Term y, Term) { return terms.make(static_cast<TermKind>(kind), x, y); });
    return pairs_.size() - 1;
  }
  // (a op k) op l, compared with m or not; or a condition between two constants.
  void with_constants(std::size_t a) {
    const auto number = [&] { return constant(width(a)), pairs_.size() - 1; };
    const std::size_t kind = some_operator();
    std::size_t inner = two_by(kind, a, number());
    if (below(4) == 0 && width(0) == 1) {
      const std::size_t then = number(), otherwise = number();
      of(0, then, otherwise,
         [](Terms& terms, Term x, Term y, Term z) { return terms.if_then_else(x, y, z); });
      inner = pairs_.size() - 1;
    }
    if (below(2) == 0) return void(two_by(some_comparison(), inner, number()));
    two_by(below(2) == 0 ? kind : some_operator(), inner, below(2) == 0 ? number() : as_wide_as(a));
  }
  // Once or twice.
  void turn(std::size_t a) {
    const bool negates = below(2) == 0;
    const auto turned = [&](Terms& terms, Term x, Term, Term) {
      return negates ? terms.negate(x) : terms.bit_not(x);
    };
    of(a, a, a, turned);
    const std::size_t once = pairs_.size() - 1;
    if (below(2) == 0) of(once, once, once, turned);
  }
  // Both as wide as each other, extended and compared.
  void extend_both(std::size_t a) {
    const std::size_t b = as_wide_as(a);
    const auto wide = static_cast<unsigned>(width(a) + below(kTermWidthMax - width(a) + 1));
    const bool with_sign = below(2) == 0;
    std::size_t both[2];
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      const std::size_t one = i == 0 ? a : b;
      of(one, one, one, [&](Terms& terms, Term x, Term, Term) {
        return with_sign ? terms.sign_extend(x, wide) : terms.zero_extend(x, wide);
      });
      both[i] = pairs_.size() - 1;
    }
    if (below(3) == 0) constant(wide), both[below(2)] = pairs_.size() - 1;
    two_by(some_comparison(), both[0], both[1]);
  }
  // (a op b) op a, and the like.
  void with_its_own(std::size_t a) {
    std::size_t b = as_wide_as(a);
    if (below(4) == 0) constant(width(a)), b = pairs_.size() - 1;
    const std::size_t inner = two_by(some_operator(), a, b);
    const std::size_t other = below(2) == 0 ? a : b;
    const std::size_t kind = below(4) == 0 ? some_comparison() : some_operator();
    below(2) == 0 ? two_by(kind, inner, other) : two_by(kind, other, inner);
  }
  void extend(std::size_t a) {
    const auto wide = static_cast<unsigned>(width(a) + below(kTermWidthMax - width(a) + 1));
    const bool with_sign = below(2) == 0;
    of(a, a, a, [&](Terms& terms, Term x, Term, Term) {
      return with_sign ? terms.sign_extend(x, wide) : terms.zero_extend(x, wide);
    });
  }
  void cut(std::size_t a) {
    const auto low = static_cast<unsigned>(below(2) == 0 ? 0 : below(width(a)));
    const auto bits = static_cast<unsigned>(1 + below(width(a) - low));
    of(a, a, a, [&](Terms& terms, Term x, Term, Term) { return terms.extract(x, low, bits); });
    if (below(2) == 0 || low == 0) return;
    // What lies below, and the two together.
    const std::size_t high = pairs_.size() - 1;
    of(a, a, a, [&](Terms& terms, Term x, Term, Term) { return terms.extract(x, 0, low); });
    of(high, high + 1, a, [&](Terms& terms, Term x, Term y, Term) { return terms.concat(x, y); });
  }
  void join(std::size_t a) {
    const std::size_t b = some();
    if (width(a) + width(b) > kTermWidthMax) return;
    of(a, b, b, [](Terms& terms, Term x, Term y, Term) { return terms.concat(x, y); });
  }
  void choose() {
    std::size_t condition = some();
    for (int tries = 0; tries < 20 && width(condition) != 1; ++tries) condition = below(pairs_.size());
    if (width(condition) != 1) return;
    const std::size_t then = some();
    const std::size_t otherwise = as_wide_as(then);
    of(condition, then, otherwise,
       [](Terms& terms, Term x, Term y, Term z) { return terms.if_then_else(x, y, z); });
  }

  Random random_;
  Terms plain_{Terms::Rewriting::off};
  Terms rewritten_;
  std::vector<Pair> pairs_;
  std::uint32_t symbols_ = 0;
};

}  // namespace thrum
