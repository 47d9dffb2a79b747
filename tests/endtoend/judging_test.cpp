// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executions of classes that were judged before need no judge: searches find what they find with each
// execution judged.
#include "both_ways.hpp"

namespace {

class Judging : public BothWays {
 protected:
  Judging() : BothWays("--judge-all", "trusted") {}
  void check_text(const std::string& text, int exit_code, bool trusts = true) {
    check_program(text, exit_code, {"dfs", "random", "icb", "auto", "pct"}, trusts, "6000");
  }
};

TEST_F(Judging, Counters) {
  check_text("int main() { std::thread a(lose), b(lose); a.join(); b.join(); assert(n >= 2); }", 0);
  check_text("int main() { std::thread a(lose), b(lose); a.join(); b.join(); assert(n != 4); }", 1);
}

TEST_F(Judging, LocksAndConditions) {
  check_text(R"(
    std::condition_variable c;
    int items = 0, taken = 0;
    std::shared_mutex s;
    int main() {
      auto put = [] { for (int i = 0; i < 2; ++i) { std::lock_guard l(m); ++items; c.notify_one(); } };
      auto take = [] {
        std::unique_lock l(m);
        c.wait(l, [] { return items > 0; });
        --items;
        std::shared_lock r(s);
        taken += 0;
      };
      std::thread a(put), b(take), d([] { if (m.try_lock()) { ++taken; m.unlock(); } std::lock_guard w(s); });
      a.join(); b.join(); d.join();
      assert(items == 1);
    }
  )",
             0);
}

// The class in which it races is met late.
TEST_F(Judging, RacesOfFewClasses) {
  check_text(R"(
    int plain = 0;
    void work(int mine) {
      for (int i = 0; i < 2; ++i) { int x = n.load(); n.store(x + 1); }
      if (n.load() == 2) plain = mine;
    }
    int main() { std::thread a(work, 1), b(work, 2); a.join(); b.join(); }
  )",
             1);
}

TEST_F(Judging, FreedMemoryOfFewClasses) {
  check_text(R"(
    std::atomic<int*> shared{new int(1)};
    int main() {
      auto read = [] { lose(); int* p = shared.load(); if (p) n += *p; };
      auto drop = [] { lose(); if (n.load() == 4) delete shared.exchange(nullptr); };
      std::thread a(read), b(drop);
      a.join(); b.join();
    }
  )",
             1);
}

// The same events but for what a plain number says: their order is of the class.
TEST_F(Judging, WhatLocksProtect) {
  check_text(R"(
    int last = 0;
    int main() {
      auto work = [](int mine) { for (int i = 0; i < 3; ++i) { std::lock_guard l(m); last = last * 3 + mine; } };
      std::thread a(work, 1), b(work, 2);
      a.join(); b.join();
      assert(last != 1 + 3 * (1 + 3 * (1 + 3 * (2 + 3 * (2 + 3 * 2)))));
    }
  )",
             1);
}

TEST_F(Judging, WordsOfDifferentSizes) {
  check_text(R"(
    union Both { std::atomic<std::uint64_t> whole; std::atomic<std::uint32_t> half[2]; Both() : whole(0) {} };
    Both both;
    int plain = 0;
    int main() {
      auto write = [] { for (int i = 1; i < 4; ++i) both.whole.store(std::uint64_t(i) << 32); plain = 1; };
      auto read = [] { if (both.half[1].load() == 2 && both.half[1].load() == 3) plain = 2; };
      std::thread a(write), b(read);
      a.join(); b.join();
    }
  )",
             1);
}

TEST_F(Judging, ThreadsOfThreadsAndChoices) {
  check_text(R"(
    int main() {
      auto outer = [] {
        std::thread inner(lose);
        std::vector<int> mine(thrum_choose(2) + 1);
        inner.join();
        n += int(mine.size());
      };
      std::thread a(outer), b(lose);
      a.join(); b.join();
    }
  )",
             0);
}

// Orders that are no events', and time.
TEST_F(Judging, WhatHasNoName) {
  check_text(R"(
    int main() {
      std::exception_ptr shared = std::make_exception_ptr(1);
      auto work = [](std::exception_ptr mine) { lose(); mine = nullptr; };
      std::thread a(work, shared), b(work, shared);
      shared = nullptr;
      a.join(); b.join();
    }
  )",
             0, false);
  check_text(R"(
    int main() {
      auto work = [] { lose(); std::this_thread::sleep_for(std::chrono::milliseconds(1)); lose(); };
      std::thread a(work), b(work);
      a.join(); b.join();
    }
  )",
             0, false);
}

// A tree that is searched again: all classes are known after the first time.
TEST_F(Judging, NearlyAllOfALongSearch) {
  const std::string program = build(
      write("program.cpp", kBegin + "int main() { std::thread a(lose), b(lose); a.join(); b.join(); }"));
  const nlohmann::json test =
      check({program, "--strategy", "random", "--executions", "20000", "--jobs", "1"}, 0)["tests"][0];
  EXPECT_GT(test["trusted"].get<int>(), 15'000);
}

}  // namespace
