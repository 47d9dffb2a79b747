// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verdict/thread_pools.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

TEST(ThreadPools, SaysWhatALibraryIsAndWhatToDo) {
  EXPECT_TRUE(
      thread_pool_advice("/lib/libgomp.so.1").starts_with("libgomp.so.1 is the OpenMP runtime of GCC"));
  EXPECT_TRUE(thread_pool_advice("libomp.so.5").starts_with("libomp.so.5 is the OpenMP runtime of clang"));
  EXPECT_NE(thread_pool_advice("libtbb.so.12").find("thrum-c++"), std::string::npos);
}

TEST(ThreadPools, AnyOtherIsToBeBuiltAnew) {
  EXPECT_EQ(
      thread_pool_advice("/opt/libjobs.so"),
      "libjobs.so starts threads of its own. Build it with thrum-cc or thrum-c++, so that they are seen.");
}

}  // namespace
}  // namespace thrum
