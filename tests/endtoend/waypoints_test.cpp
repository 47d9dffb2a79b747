// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executions that go on where earlier ones came by are those that they would be from the beginning.
#include "both_ways.hpp"

namespace {

using nlohmann::json;

class Waypoints : public BothWays {
 protected:
  Waypoints() : BothWays("--no-waypoints", "midway") {}
  void check_text(const std::string& text, int exit_code, bool goes_on = true) {
    check_program(text, exit_code, {"auto", "dpor", "dfs", "pct"}, goes_on);
  }
};

TEST_F(Waypoints, Counters) {
  check_text("int main() { std::thread a(lose), b(lose); a.join(); b.join(); assert(n >= 2); }", 0);
  check_text("int main() { std::thread a(lose), b(lose); a.join(); b.join(); assert(n != 4); }", 1);
}

TEST_F(Waypoints, MemoryOfBeforeAndBehind) {
  check_text(R"(
    int main() {
      auto* before = new std::map<int, std::string>;
      for (int i = 0; i < 20; ++i) (*before)[i] = std::string(40, 'x');
      std::vector<std::unique_ptr<int>> theirs(2);
      auto work = [&](int mine) {
        std::string* text = new std::string(50, 'y');
        lose();
        theirs[mine] = std::make_unique<int>(n);
        std::lock_guard lock(m);
        before->erase(mine);
        (*before)[20 + n] = *text;
        delete text;
      };
      std::thread a(work, 0), b(work, 1);
      a.join();
      b.join();
      assert(before->size() >= 19 && before->size() <= 20);
      delete before;
    })",
             0);
}

TEST_F(Waypoints, AFreedBlockIsUsed) {
  check_text(R"(
    int main() {
      int* block = new int(1);
      std::thread a([&] { n.load(); n.store(1); if (n.load() == 1) *block = 2; });
      std::thread b([&] { n.store(2); n.load(); if (n.load() == 2) delete block; });
      a.join(); b.join();
    })",
             1);
}

TEST_F(Waypoints, RacesWithWhatCameBefore) {
  check_text(R"(
    int plain, quiet;
    int main() {
      plain = 1;
      std::thread a([] { plain = 2; n.load(); n.load(); quiet = 1; n.store(1); });
      std::thread b([] { n.load(); if (n.load() == 1) quiet = 2; n.load(); if (n.load() == 0) plain = 3; });
      a.join(); b.join();
    })",
             1);
}

TEST_F(Waypoints, RacesOneAfterTheOther) {
  check_text(R"(
    int first, second;
    int main() {
      std::thread a([] { n.load(); first = 1; n.load(); n.load(); second = 1; });
      std::thread b([] { n.store(1); if (n.load() == 1) first = 2; n.store(2); });
      std::thread c([] { n.load(); if (n.load() == 2) second = 2; else second = 3; first = 3; });
      a.join(); b.join(); c.join();
    })",
             1);
}

TEST_F(Waypoints, OnStacksAndInStorageOfThreads) {
  check_text(R"(
    thread_local int mine = 5;
    struct Counted { ~Counted() { n.fetch_add(mine); } };
    thread_local Counted counted;
    int main() {
      int local[16] = {};
      auto work = [&](int number) {
        (void)&counted;
        int deep[64] = {};
        for (int i = 0; i < 3; ++i) { deep[i] = n.load(); n.store(deep[i] + ++mine); local[number * 8 + i] = deep[i]; }
        try { if (n.load() > 14) throw deep[0]; } catch (int) { n.fetch_add(1); }
      };
      std::thread a(work, 0), b(work, 1);
      a.join(); b.join();
      assert(local[0] == 0);
    })",
             1);
}

TEST_F(Waypoints, LoopsThatWait) {
  check_text(R"(
    std::atomic<bool> ready;
    int main() {
      std::thread a([] { lose(); ready = true; });
      std::thread b([] { while (!ready) {} lose(); });
      std::thread c([] { while (!ready) std::this_thread::yield(); lose(); });
      a.join(); b.join(); c.join();
      assert(n != 7);
    })",
             1);
}

TEST_F(Waypoints, WaitsThatEndByTime) {
  check_text(R"(
    std::condition_variable changed;
    int main() {
      std::thread a([] { std::unique_lock lock(m);
        if (!changed.wait_for(lock, std::chrono::seconds(1), [] { return n > 1; })) n = 10; lock.unlock(); lose(); });
      std::thread b([] { for (int i = 0; i < 2; ++i) { std::lock_guard lock(m); ++n; changed.notify_one(); } lose(); });
      a.join(); b.join();
    })",
             0);
}

// Where it goes on, choices pass that no departure speaks of.
TEST_F(Waypoints, MainWorksBesideTheOthers) {
  const std::string program = build(write("program.cpp", kBegin + R"(
    int main() { std::thread a(lose), b(lose); lose(); a.join(); b.join(); assert(n != 8); })"));
  check_both(program, 1, {"auto", "icb", "dpor", "random", "pct"}, "6000");
}

TEST_F(Waypoints, PhasesOfThreads) {
  check_text(R"(
    int main() {
      for (int phase = 0; phase < 2; ++phase) {
        std::thread a([] { n.load(); n.store(1); }), b([] { n.load(); n.store(2); });
        a.join(); b.join();
      }
      assert(n == 1);
    })",
             1);
}

TEST_F(Waypoints, SignalsAndFilesBehindTheFirstChoice) {
  check_text(R"(
    #include <cstdio>
    int main() {
      std::thread a(lose), b([&] {
        lose();
        std::signal(SIGUSR1, [](int) { n.fetch_add(1); });
        std::raise(SIGUSR1);
        std::FILE* file = std::tmpfile();
        std::fputs("b", file);
        std::fclose(file);
      });
      a.join(); b.join();
      assert(n != 7);
    })",
             1);
}

// Nothing is gone on with where more was done before than is kept.
TEST_F(Waypoints, SignalsAndFilesBefore) {
  check_text(R"(
    #include <cstdio>
    int main() {
      std::thread a(lose);
      std::FILE* file = std::tmpfile();
      std::thread b([&] { lose(); std::fputs("b", file); std::fflush(file); });
      a.join(); b.join();
      std::rewind(file);
      assert(std::fgetc(file) == 'b');
      std::fclose(file);
    })",
             3, false);  // 2,000 executions are not all
  check_text(R"(
    int main() {
      std::signal(SIGUSR1, [](int) { n.fetch_add(1); });
      std::thread a(lose), b([] { lose(); std::raise(SIGUSR1); });
      a.join(); b.join();
      assert(n != 7);
    })",
             1, false);
}

TEST_F(Waypoints, Examples) {
  check_both(build(example("bluetooth.cpp")), 1, {"icb", "best-first-dpor", "random", "surw"});
  check_both(build(example("work_stealing_queue_bug1.cpp")), 1, {"icb", "bpor", "best-first-dpor", "pos"});
}

// Events are written down in the first thousand executions, for lock orders; where they are long, in fewer.
TEST_F(Waypoints, LongExecutions) {
  const std::string program = build(write("program.cpp", kBegin + R"(
int numbers[20000];
int main() {
  std::thread a(lose), b(lose);
  a.join();
  b.join();
  int last = n;
  for (int& number : numbers) number = last;
}
)"));
  const json test = check({program, "--strategy", "dfs", "--jobs", "1"}, 0)["tests"][0];
  EXPECT_EQ(test["executions"], 924);
  EXPECT_GT(test["steps"].get<std::uint64_t>(), 8'000'000U);
  EXPECT_GT(test["midway"].get<int>(), 400);
}

}  // namespace
