// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/rows.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <random>
#include <vector>

namespace thrum {
namespace {

// Each row of each length beside the same done number by number, and what lies behind it untouched.
TEST(Rows, AreAsNumberByNumber) {
  constexpr std::uint32_t kBehind = 77;
  std::mt19937 random(1);
  for (std::size_t count = 0; count <= 40; count += kRowStep) {
    std::vector<std::uint32_t> a(count + 1);
    std::vector<std::uint32_t> b(count + 1);
    std::vector<std::uint32_t> larger(count + 1, kBehind);
    for (std::size_t i = 0; i < count; ++i) {
      a[i] = random() % 4 == 0 ? 0x80000000 - random() % 2 : random() % 3;
      b[i] = random() % 4 == 0 ? 0x80000000 - random() % 2 : random() % 3;
      larger[i] = std::max(a[i], b[i]);
    }
    a[count] = b[count] = kBehind;
    std::vector<std::uint32_t> to = a;
    take_maxima(to.data(), b.data(), count);
    EXPECT_EQ(to, larger);
    copy_row(to.data(), b.data(), count);
    EXPECT_EQ(to, b);
    clear_row(to.data(), count);
    EXPECT_EQ(std::count(to.begin(), to.end() - 1, 0U), static_cast<std::ptrdiff_t>(count));
    EXPECT_EQ(to.back(), kBehind);
  }
}

}  // namespace
}  // namespace thrum
