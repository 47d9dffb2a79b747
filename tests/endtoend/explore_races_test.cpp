// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `--races explore`: what races is a bug, becomes visible, and what lies behind it is found.
#include "endtoend.hpp"

namespace {

using nlohmann::json;

class ExploreRaces : public EndToEnd {
 protected:
  // The test of a program that is checked so; each of its traces replays.
  json explore(const std::string& name, const std::string& text,
               const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments{build(write(name, text)), "--races", "explore"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    json test = check(arguments, 1)["tests"][0];
    for (const json& bug : test["bugs"])
      EXPECT_EQ(thrum({"replay", bug["trace"]}).exit_code, 1) << bug.dump(1);
    return test;
  }
  static std::size_t count(const json& test, const std::string& kind) {
    std::size_t number = 0;
    for (const json& bug : test["bugs"]) number += bug["kind"] == kind ? 1 : 0;
    return number;
  }
};

TEST_F(ExploreRaces, LostUpdate) {
  std::string text = R"(
#include <cassert>
#include <thread>
int x;
int main() {
  std::thread a([] { ++x; }), b([] { ++x; });
  a.join();
  b.join();
  assert(x == 2);
}
)";
  json test = explore("lost.cpp", text);
  EXPECT_EQ(count(test, "data-race"), 2);  // of the write with the read, and with the write
  EXPECT_EQ(count(test, "assertion"), 1);
  EXPECT_EQ(test["bugs"].back()["preemptions"], 1);
  EXPECT_EQ(test["bugs"].back()["preemptions_minimal"], "proved");
  test = explore("lost.cpp", text, {"--bound", "none", "--keep-going", "--strategy", "dfs"});
  EXPECT_EQ(count(test, "assertion"), 1);
}

// A loop that waits for a plain flag is one that waits, though its two reads lie apart.
TEST_F(ExploreRaces, WaitsForPlainFlag) {
  json test = explore("flag.c", R"(
#include <assert.h>
#include <pthread.h>
int flag, data;
void* set(void* unused) {
  data = 1;
  flag = 1;
  return unused;
}
int main() {
  pthread_t thread;
  pthread_create(&thread, 0, set, 0);
  while (!flag) __asm__ volatile("pause" ::: "memory");
  assert(data == 1);
  pthread_join(thread, 0);
}
)");
  EXPECT_EQ(count(test, "data-race"), test["bugs"].size());
  EXPECT_EQ(test["guarantee"]["text"], "every schedule");
}

// Peterson's lock of plain variables excludes, where memory is sequentially consistent; without the turn it
// does not.
TEST_F(ExploreRaces, Peterson) {
  std::string text = R"(
#include <assert.h>
#include <pthread.h>
#define SEEN __asm__ volatile("" ::: "memory")
int want[2], turn, inside;
void* enter(void* argument) {
  long me = (long)argument, other = 1 - me;
  want[me] = 1;
  SEEN;
  turn = TURN;
  SEEN;
  while (want[other] && turn == other) SEEN;
  assert(inside == 0);
  inside = 1;
  SEEN;
  inside = 0;
  SEEN;
  want[me] = 0;
  return 0;
}
int main() {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], 0, enter, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
}
)";
  json right = explore("right.c", "#define TURN other\n" + text, {"--bound", "none"});
  EXPECT_EQ(count(right, "data-race"), right["bugs"].size());
  EXPECT_EQ(right["guarantee"]["text"], "every schedule");
  EXPECT_EQ(count(explore("wrong.c", "#define TURN me\n" + text, {"--bound", "none"}), "assertion"), 1);
}

// A free is visible, too, and what comes after it is another bug.
TEST_F(ExploreRaces, Freed) {
  json test = explore("freed.cpp", R"(
#include <thread>
int seen;
int main() {
  int* value = new int(1);
  std::thread a([&] { seen = *value; }), b([&] { delete value; });
  a.join();
  b.join();
}
)");
  EXPECT_EQ(count(test, "data-race"), 1);
  EXPECT_EQ(count(test, "use-after-free"), 1);
}

// What no scheduling point can stand before is named.
TEST_F(ExploreRaces, InsideACall) {
  json test = explore("call.cpp", R"(
#include <cstring>
#include <thread>
char text[8] = "abc";
std::size_t length;
int main() {
  std::thread a([] { length = std::strlen(text); }), b([] { text[1] = 0; });
  a.join();
  b.join();
}
)");
  EXPECT_EQ(count(test, "data-race"), 1);
  bool named = false;
  for (const json& assumption : test["guarantee"]["assumptions"])
    named |= assumption["kind"] == "races-not-explored";
  EXPECT_TRUE(named) << test.dump(1);
  EXPECT_NE(test["guarantee"]["text"], "every schedule");
}

}  // namespace
