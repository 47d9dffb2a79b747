// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests as closures. The argument says which main there is: each a function below.
#include <thrum/thrum.hpp>

#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

static std::atomic<int> ticks{0};

// Two threads add 1 each.
static void add_carefully() {
  std::atomic<int> sum{0};
  std::thread other([&] { ++sum; });
  ++sum;
  other.join();
  assert(sum == 2);
}

static void add_carelessly() {
  std::atomic<int> sum{0};
  std::thread other([&] { sum = sum + 1; });
  sum = sum + 1;
  other.join();
  assert(sum == 2);
}

static int several() {
  thrum::check("careful", add_carefully);
  thrum::check("careless", [] { add_carelessly(); });
  for (int i = 0; i < 2; ++i) thrum::check([] { add_carefully(); });
  thrum::check("no preemption", {.bound = "preemptions=0"}, add_carelessly);
  thrum::check({.strategy = "random", .executions = 5, .seed = 3, .time = 50}, add_carefully);
  thrum::check("without threads", [] { assert(std::string("a") + "b" == "ab"); });
  return 0;
}

// A body says when it runs.
static int correct() {
  std::puts("main begins");
  thrum::check("first", [] {
    std::puts("first");
    add_carefully();
  });
  std::puts("between");
  const std::string name = "second";
  thrum::check(name, {.strategy = "astrology"}, [&name] {  // which nobody looks at
    std::puts(name.c_str());
    add_carefully();
  });
  std::puts("main ends");
  return 0;
}

// Their searches end at a limit, at a bug, or with the threads in an order of its own.
static int limited() {
  thrum::check("must end", {.strategy = "random", .executions = 5, .require_exhausted = true}, add_carefully);
  thrum::check("hangs", {.hang = 1}, [] {
    std::thread endless([] {
      for (;;) asm volatile("");
    });
    endless.join();
  });
  thrum::check("needs memory", {.program_memory = "1M"}, [] {
    std::thread other(add_carefully);
    std::string large(std::size_t{8} << 20, 'x');
    other.join();
    assert(large.back() == 'x');
  });
  thrum::check("in order", {.strategy = "best-first", .priority = "rand,pb"}, add_carefully);
  return 0;
}

static std::atomic<void*> block{nullptr};

static void lose_a_block() {
  std::thread([] { block = std::malloc(24); }).join();
  block = nullptr;
}

static int leaking() {
  thrum::check("leak", {.leaks = true}, lose_a_block);
  thrum::check("nothing is asked", lose_a_block);
  return 0;
}

__attribute__((noinline)) static void throw_one() { throw std::runtime_error("thrown"); }

static void add_and_throw() {
  const std::string held = "something to destroy when the exception passes";
  std::thread(add_carefully).join();
  throw_one();
}

static int throwing() {
  thrum::check("throws", add_and_throw);
  return 0;
}

static int throwing_to_main() {
  try {
    thrum::check("throws", add_and_throw);
    thrum::check("catches", [] {
      try {
        add_and_throw();
      } catch (const std::exception&) {
      }
    });
  } catch (const std::exception&) {
    std::puts("caught");
  }
  return 0;
}

// Its thread is part of the executions of each test.
static int with_a_thread_before() {
  std::thread background([] { ++ticks; });
  thrum::check("early", [] { assert(ticks == 0 || ticks == 1); });
  thrum::check("late", [] { assert(ticks == 0); });
  background.join();
  return 0;
}

static int nested() {
  thrum::check("outer", [] { thrum::check("inner", add_carefully); });
  return 0;
}

static int nested_in_a_thread() {
  thrum::check("outer", [] { std::thread([] { thrum::check("inner", add_carefully); }).join(); });
  return 0;
}

static int in_another_thread() {
  std::thread([] { thrum::check("lonely", add_carefully); }).join();
  return 0;
}

static int without_name() {
  thrum::check("", add_carefully);
  return 0;
}

static int wrong_strategy() {
  thrum::check("first", add_carefully);
  thrum::check("second", {.strategy = "astrology"}, add_carefully);
  return 0;
}

static int wrong_number() {
  thrum::check("negative", {.executions = -1}, add_carefully);
  return 0;
}

static int wrong_size() {
  thrum::check("huge", {.program_memory = "1X"}, add_carefully);
  return 0;
}

static int wrong_together() {
  thrum::check("both", {.strategy = "dpor", .bound = "preemptions=1"}, add_carefully);
  return 0;
}

static int failing_outside() {
  thrum::check("passes", add_carefully);
  std::abort();
}

static int exiting_with_3() {
  thrum::check("passes", add_carefully);
  return 3;
}

static int without_a_test() {
  std::thread(add_carelessly).join();
  return 0;
}

struct Main {
  const char* name;
  int (*run)();
};

constexpr Main kMains[] = {{"several", several},
                           {"correct", correct},
                           {"limited", limited},
                           {"leaking", leaking},
                           {"throwing", throwing},
                           {"throwing_to_main", throwing_to_main},
                           {"with_a_thread_before", with_a_thread_before},
                           {"nested", nested},
                           {"nested_in_a_thread", nested_in_a_thread},
                           {"in_another_thread", in_another_thread},
                           {"without_name", without_name},
                           {"wrong_strategy", wrong_strategy},
                           {"wrong_number", wrong_number},
                           {"wrong_size", wrong_size},
                           {"wrong_together", wrong_together},
                           {"failing_outside", failing_outside},
                           {"exiting_with_3", exiting_with_3},
                           {"without_a_test", without_a_test}};

int main(int argc, char** argv) {
  for (const Main& main : kMains) {
    if (argc == 2 && std::strcmp(argv[1], main.name) == 0) return main.run();
  }
  return 9;
}
