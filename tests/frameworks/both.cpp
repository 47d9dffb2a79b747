// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests as closures and tests of GoogleTest in one program; and, wrongly, one within the other.
#include <gtest/gtest.h>
#include <thrum/thrum.hpp>

#include <atomic>
#include <cassert>
#include <thread>

static void add_carefully() {
  std::atomic<int> sum{0};
  std::thread other([&] { ++sum; });
  ++sum;
  other.join();
  assert(sum == 2);
}

TEST(Sum, IsTwo) { add_carefully(); }

TEST(Sum, HoldsAnother) { thrum::check("within", add_carefully); }

int main(int argc, char** argv) {
  thrum::check("closure", {.strategy = "dfs"}, add_carefully);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
