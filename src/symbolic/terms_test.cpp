// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "symbolic/terms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/random.hpp"
#include "symbolic/random_terms.hpp"

namespace thrum {
namespace {

std::string letter(std::uint32_t symbol) { return std::string(1, static_cast<char>('x' + symbol)); }

class TermsTest : public testing::Test {
 protected:
  Term constant(std::uint64_t value, unsigned width = 32) { return terms.constant(value, width); }
  std::string text(Term term) { return to_text(terms, term, letter); }

  Terms terms;
  Term x = terms.symbol(0, 32);
  Term y = terms.symbol(1, 32);
};

TEST_F(TermsTest, EqualOnesHaveOneNumber) {
  EXPECT_EQ(terms.make(TermKind::add, x, y), terms.make(TermKind::add, y, x));
  EXPECT_EQ(constant(3), constant(3));
  EXPECT_NE(constant(3), constant(3, 16));
  EXPECT_NE(terms.make(TermKind::subtract, x, y), terms.make(TermKind::subtract, y, x));
}

TEST_F(TermsTest, ValuesAreThoseOfBitVectors) {
  const auto value = [&](TermKind kind, std::uint64_t a, std::uint64_t b, unsigned width = 8) {
    return static_cast<std::uint64_t>(terms.value(terms.make(kind, constant(a, width), constant(b, width))));
  };
  EXPECT_EQ(value(TermKind::add, 200, 100), 44u);
  EXPECT_EQ(value(TermKind::subtract, 1, 2), 255u);
  EXPECT_EQ(value(TermKind::unsigned_divide, 7, 0), 255u);
  EXPECT_EQ(value(TermKind::signed_divide, 249, 2), 253u);  // -7 / 2 = -3
  EXPECT_EQ(value(TermKind::signed_divide, 249, 0), 1u);
  EXPECT_EQ(value(TermKind::signed_divide, 128, 255), 128u);
  EXPECT_EQ(value(TermKind::signed_remainder, 249, 2), 255u);
  EXPECT_EQ(value(TermKind::signed_remainder, 249, 0), 249u);
  EXPECT_EQ(value(TermKind::shift_left, 1, 8), 0u);
  EXPECT_EQ(value(TermKind::shift_right_signed, 128, 1), 192u);
  EXPECT_EQ(value(TermKind::shift_right_signed, 128, 200), 255u);
  EXPECT_EQ(value(TermKind::signed_less, 255, 0), 1u);
  EXPECT_EQ(value(TermKind::unsigned_less, 255, 0), 0u);
  EXPECT_EQ(value(TermKind::signed_at_most, 128, 128), 1u);
}

TEST_F(TermsTest, APointerStaysABaseWithAnOffset) {
  const Term base = terms.symbol(2, 64);
  const Term index = terms.sign_extend(x, 64);
  const Term offset = terms.make(TermKind::multiply, index, constant(4, 64));
  const Term at = terms.make(TermKind::add, terms.make(TermKind::add, base, constant(16, 64)), offset);
  EXPECT_EQ(terms.make(TermKind::subtract, at, base), terms.make(TermKind::add, offset, constant(16, 64)));
}

TEST_F(TermsTest, BytesThatWereWrittenTogetherAreReadTogether) {
  Term word = terms.extract(x, 0, 8);
  for (unsigned byte = 1; byte < 4; ++byte) word = terms.concat(terms.extract(x, 8 * byte, 8), word);
  EXPECT_EQ(word, x);
  Term other = terms.extract(x, 24, 8);
  for (unsigned byte = 3; byte-- > 0;) other = terms.concat(other, terms.extract(x, 8 * byte, 8));
  EXPECT_EQ(other, x);
}

TEST_F(TermsTest, TextIsForPeople) {
  EXPECT_EQ(text(terms.make(TermKind::unsigned_less, terms.make(TermKind::add, x, constant(3)), y)),
            "(x + 3) <u y");
  EXPECT_EQ(text(terms.make(TermKind::subtract, x, constant(3))), "x - 3");
  EXPECT_EQ(text(terms.bit_not(terms.make(TermKind::equal, x, y))), "~(x == y)");
  EXPECT_EQ(text(terms.zero_extend(terms.extract(x, 8, 8), 64)), "zext64(x[15..8])");
  EXPECT_EQ(
      to_text(terms, terms.make(TermKind::multiply, terms.make(TermKind::multiply, x, x), x), letter, 3),
      "x * (... * ...)");
}

// Random terms are built with the rules and without. Both have the same values.
TEST(Rewriting, KeepsValues) {
  Random random(1);
  std::vector<std::uint64_t> used(rewriting_rules().size());
  for (int round = 0; round < 8'000 && !testing::Test::HasFailure(); ++round) {
    RandomTerms pair(random.next());
    for (int i = 0; i < 20; ++i) pair.grow();
    for (int i = 0; i < 8; ++i) {
      const std::vector<Bits> symbols = pair.some_values();
      TermValues of_plain(pair.plain(), symbols);
      TermValues of_rewritten(pair.rewritten(), symbols);
      for (const RandomTerms::Pair& each : pair.pairs()) {
        ASSERT_EQ(pair.plain().width(each.plain), pair.rewritten().width(each.rewritten));
        ASSERT_TRUE(of_plain.of(each.plain) == of_rewritten.of(each.rewritten))
            << to_text(pair.plain(), each.plain, letter) << "\n"
            << to_text(pair.rewritten(), each.rewritten, letter);
      }
    }
    const std::span<const std::uint64_t> more = pair.rewritten().rules_used();
    for (std::size_t i = 0; i < used.size(); ++i) used[i] += more[i];
  }
  for (std::size_t i = 0; i < used.size(); ++i)
    EXPECT_GE(used[i], 5u) << "little was seen of the rule " << rewriting_rules()[i].text;
}

}  // namespace
}  // namespace thrum
