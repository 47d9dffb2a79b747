// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by thread_pools_test.cpp.
#include "verdict/thread_pools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace thrum {

namespace {

struct KnownPool {
  std::string_view library;  // how its file's name begins
  std::string_view what;
  std::string_view then;  // what to do
};

constexpr std::string_view kOwnThreads =
    "Check what its parallel regions do in a test that calls it from std::thread, built without -fopenmp.";
constexpr std::string_view kOwnBuild =
    "Link a copy of it that was built with thrum-c++, or check what its tasks do in a test that calls it "
    "from "
    "std::thread.";

constexpr KnownPool kKnownPools[] = {
    {"libgomp", "the OpenMP runtime of GCC (-fopenmp)", kOwnThreads},
    {"libomp", "the OpenMP runtime of clang (-fopenmp)", kOwnThreads},
    {"libiomp5", "Intel's OpenMP runtime (-fopenmp)", kOwnThreads},
    {"libtbb", "the task scheduler of oneTBB, and of std::execution::par", kOwnBuild},
    {"libuv", "libuv, whose loop has a pool of threads", kOwnBuild},
    {"libglib", "GLib, which has pools of threads", kOwnBuild},
    {"libQt", "Qt, which has pools of threads", kOwnBuild},
};

}  // namespace

std::string thread_pool_advice(const std::string& library) {
  const std::string name = library.substr(library.rfind('/') + 1);
  const auto* known = std::find_if(std::begin(kKnownPools), std::end(kKnownPools),
                                   [&](const KnownPool& pool) { return name.starts_with(pool.library); });
  if (known != std::end(kKnownPools)) return fmt::format("{} is {}. {}", name, known->what, known->then);
  return fmt::format(
      "{} starts threads of its own. Build it with thrum-cc or thrum-c++, so that they are seen.", name);
}

}  // namespace thrum
