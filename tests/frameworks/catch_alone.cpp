// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program of one file with a main of its own, and tests that end in other ways than by an assertion.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>

TEST_CASE("throws") {
  SECTION("in the test") { throw std::runtime_error("thrown"); }
  SECTION("in an assertion") {
    auto thrower = []() -> bool { throw std::runtime_error("thrown"); };
    REQUIRE(thrower());
  }
}

TEST_CASE("deadlocks") {
  std::mutex a, b;
  SECTION("in this section") {
    std::thread other([&] {
      std::lock_guard<std::mutex> first(a);
      std::lock_guard<std::mutex> second(b);
    });
    {
      std::lock_guard<std::mutex> first(b);
      std::lock_guard<std::mutex> second(a);
    }
    other.join();
  }
  SECTION("not in this one") {
    std::thread other([&] { std::lock_guard<std::mutex> guard(a); });
    other.join();
    SUCCEED();
  }
}

TEST_CASE("crashes in a section before another") {
  volatile int* nowhere = nullptr;
  SECTION("crash") { CHECK(*nowhere == 0); }
  SECTION("beyond") { SUCCEED(); }
}

int main(int argc, char* argv[]) {
  Catch::Session session;
  if (int error = session.applyCommandLine(argc, argv)) return error;
  return session.run();
}
