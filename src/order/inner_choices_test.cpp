// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/inner_choices.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

std::vector<Departure> list_of(std::uint16_t first, std::uint16_t second) {
  return {{{1, ChoiceKind::value, 4}, {first, Via::run}}, {{1, ChoiceKind::value, 5}, {second, Via::run}}};
}

TEST(InnerChoices, EqualListsHaveOneNumber) {
  InnerChoices choices;
  EXPECT_EQ(choices.number_of({}), 0u);
  const std::uint32_t first = choices.number_of(list_of(1, 2));
  const std::uint32_t second = choices.number_of(list_of(2, 1));
  EXPECT_NE(first, second);
  EXPECT_EQ(choices.number_of(list_of(1, 2)), first);
  EXPECT_EQ(choices[second], list_of(2, 1));
  EXPECT_TRUE(choices[0].empty());
}

TEST(InnerChoices, AreTakenUpWithTheirNumbers) {
  InnerChoices choices;
  for (std::uint16_t i = 0; i < 300; ++i) choices.number_of(list_of(i, 0));
  ByteWriter out;
  choices.save(out);
  InnerChoices other;
  ByteReader in(out.bytes());
  other.load(in);
  EXPECT_TRUE(in.ok() && in.at_end());
  for (std::uint16_t i = 0; i < 300; ++i) EXPECT_EQ(other.number_of(list_of(i, 0)), i + 1u);
}

}  // namespace
}  // namespace thrum
