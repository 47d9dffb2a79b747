// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "functions.hpp"

namespace thrum {
namespace {

constexpr int kValues = 10'000;

// The generator has one state: what is drawn before there is a seed must come first.
TEST(RandomNumbers, AreThoseOfTheCLibrary) {
  std::srand(1);
  for (int i = 0; i < kValues; ++i) ASSERT_EQ(vm_rand(), std::rand()) << i;
  for (unsigned seed :
       {0U, 1U, 2U, 42U, 123'459'876U, 0x7fff'fffeU, 0x7fff'ffffU, 0x8000'0000U, 0xffff'ffffU}) {
    vm_srand(seed);
    std::srand(seed);
    for (int i = 0; i < kValues; ++i) ASSERT_EQ(vm_rand(), std::rand()) << seed << ": " << i;
    vm_srandom(seed + 1);
    srandom(seed + 1);
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(vm_random(), random()) << seed << ": " << i;
      ASSERT_EQ(vm_rand(), std::rand()) << seed << ": " << i;
    }
  }
}

TEST(RandomNumbers, OfACallersSeedAreThoseOfTheCLibrary) {
  for (unsigned seed : {0U, 1U, 12'345U, 0x7fff'ffffU, 0xffff'ffffU}) {
    unsigned ours = seed, theirs = seed;
    for (int i = 0; i < kValues; ++i) {
      ASSERT_EQ(vm_rand_r(&ours), rand_r(&theirs)) << seed << ": " << i;
      ASSERT_EQ(ours, theirs);
    }
  }
}

}  // namespace
}  // namespace thrum
