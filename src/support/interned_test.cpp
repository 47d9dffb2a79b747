// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/interned.hpp"

#include <gtest/gtest.h>

#include <string>

namespace thrum {
namespace {

TEST(Interned, KeepsEachValueOnce) {
  constexpr std::uint64_t kHash = 7;  // of all: they are told apart by what they are
  Interned<std::string> words;
  EXPECT_EQ(words.find("a", kHash), std::nullopt);
  EXPECT_EQ(words.number_of("a", kHash), 0u);
  EXPECT_EQ(words.number_of("b", kHash), 1u);
  EXPECT_EQ(words.number_of("a", kHash), 0u);
  EXPECT_EQ(words.find("b", kHash), 1u);
  EXPECT_EQ(words[1], "b");
  EXPECT_EQ(words.size(), 2u);
}

}  // namespace
}  // namespace thrum
