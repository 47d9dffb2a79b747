// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Twelve tests. Wrong: "lazy value, wrong", "sections, one wrong", "generators, one wrong", "a tag that does
// not hold".
#include <catch2/catch.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

template <typename... Functions>
void together(Functions... functions) {
  std::vector<std::thread> threads;
  (threads.emplace_back(functions), ...);
  for (std::thread& thread : threads) thread.join();
}

class Stack {
 public:
  void push(int value) {
    std::lock_guard<std::mutex> guard(mutex_);
    values_.push_back(value);
  }
  bool pop(int& value) {
    std::lock_guard<std::mutex> guard(mutex_);
    if (values_.empty()) return false;
    value = values_.back();
    values_.pop_back();
    return true;
  }
  bool empty() const {
    std::lock_guard<std::mutex> guard(mutex_);
    return values_.empty();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<int> values_;
};

struct Filled {
  Filled() { stack.push(1); }
  Stack stack;
};

int not_atomic(std::atomic<int>& value) {
  int now = value.load() + 1;
  value.store(now);
  return now;
}

}  // namespace

TEST_CASE("push by two threads", "[stack]") {
  Stack stack;
  together([&] { stack.push(1); }, [&] { stack.push(2); });
  int a = 0;
  int b = 0;
  REQUIRE(stack.pop(a));
  REQUIRE(stack.pop(b));
  CHECK(a + b == 3);
  CHECK(stack.empty());
}

TEST_CASE("pop of one, twice", "[stack]") {
  Stack stack;
  stack.push(7);
  std::atomic<int> popped{0};
  auto pop = [&] {
    int value = 0;
    if (stack.pop(value)) popped.fetch_add(value);
  };
  together(pop, pop);
  REQUIRE(popped.load() == 7);
}

TEST_CASE_METHOD(Filled, "with a fixture", "[stack]") {
  int value = 0;
  together([&] { stack.pop(value); });
  REQUIRE(value == 1);
}

TEST_CASE("lazy value, wrong") {
  std::atomic<int> made{0};
  std::atomic<bool> there{false};
  auto make = [&] {
    if (!there.load()) {
      made.fetch_add(1);
      there.store(true);
    }
  };
  together(make, make);
  INFO("made " << made.load() << " times");
  CHECK(made.load() == 1);
}

TEST_CASE("sections, one wrong") {
  std::atomic<int> value{0};
  SECTION("right") {
    together([&] { value.fetch_add(1); }, [&] { value.fetch_add(1); });
    REQUIRE(value.load() == 2);
  }
  SECTION("wrong") {
    together([&] { not_atomic(value); }, [&] { not_atomic(value); });
    REQUIRE(value.load() == 2);
  }
  SECTION("nested") {
    value.store(5);
    SECTION("first") {
      together([&] { value.fetch_add(1); }, [&] { value.fetch_sub(1); });
      REQUIRE(value.load() == 5);
    }
    SECTION("second") { REQUIRE(value.load() == 5); }
  }
}

TEST_CASE("generators, one wrong") {
  int threads = GENERATE(1, 2);
  std::atomic<int> value{0};
  if (threads == 1) together([&] { not_atomic(value); });
  if (threads == 2) together([&] { not_atomic(value); }, [&] { not_atomic(value); });
  CAPTURE(threads);
  REQUIRE(value.load() == threads);
}

TEST_CASE("assertions in threads") {
  std::mutex mutex;  // Catch2's own state is not for several threads at once
  int next = 0;
  auto work = [&] {
    std::lock_guard<std::mutex> guard(mutex);
    ++next;
    REQUIRE(next <= 2);
  };
  together(work, work);
  REQUIRE(next == 2);
}

TEST_CASE("expected exceptions") {
  REQUIRE_THROWS_AS(throw std::runtime_error("x"), std::runtime_error);
  REQUIRE_NOTHROW(together([] {}));
}

TEST_CASE("may fail", "[!mayfail]") { REQUIRE(1 == 2); }

TEST_CASE("should fail", "[!shouldfail]") { REQUIRE(1 == 2); }

TEST_CASE("a tag that does not hold", "[!shouldfail]") { REQUIRE(1 == 1); }

TEST_CASE("name, with \"quotes\" [and] brackets*") { SUCCEED(); }

TEST_CASE("hidden", "[.]") { FAIL("a hidden test ran"); }
