// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/hex.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

TEST(Hex, GivesEachByteBack) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(to_hex(all).size(), 512U);
  EXPECT_EQ(to_hex(all).substr(0, 10), "0001020304");
  EXPECT_EQ(bytes_of_hex(to_hex(all)), all);
  EXPECT_EQ(bytes_of_hex(""), "");
}

TEST(Hex, RefusesOtherText) {
  for (const char* text : {"0", "012", "0g", "-1", " 1", "1 ", "0x"})
    EXPECT_EQ(bytes_of_hex(text), std::nullopt) << text;
}

}  // namespace
}  // namespace thrum
