// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --leaks: what is told of lost blocks, and how leaks are told apart, suppressed and replayed.
#include "endtoend.hpp"

namespace {

using nlohmann::json;

// first() loses a block in some schedules only, second() always one to three of them.
const char kTwoLeaks[] = R"(#include <atomic>
#include <thread>
struct Node { Node* next = nullptr; };
std::atomic<Node*> shared{nullptr};
std::atomic<int> n{0};
thread_local Node* mine = nullptr;
void first() {
  if (shared == nullptr) shared = new Node;
}
void second() {
  for (int i = n++; i >= 0; --i) {
    mine = new Node{new Node};
  }
}
int main(int argc, char**) {
  std::thread a([&] { first(); if (argc > 1) second(); });
  std::thread b([&] { first(); if (argc > 1) second(); });
  a.join();
  b.join();
  delete shared;
}
)";

class Leaks : public EndToEnd {
 protected:
  static std::vector<std::string> functions(const json& bug) {
    std::vector<std::string> names;
    for (const json& location : bug["locations"]) names.push_back(location["function"]);
    return names;
  }
};

TEST_F(Leaks, AreLookedForWhereAskedFor) {
  std::string program = build(write("always.cpp", R"(
#include <thread>
int* volatile lost;
int main() {
  std::thread thread([] { lost = new int; lost = nullptr; });
  thread.join();
}
)"));
  EXPECT_EQ(check({program}, 0)["tests"][0]["verdict"], "exhausted");
  EXPECT_EQ(check({program, "--leaks"}, 1)["tests"][0]["bugs"][0]["kind"], "leak");
}

TEST_F(Leaks, ThatOnlySomeSchedulesHaveAreLookedForAlways) {
  std::string program = build(write("leaks.cpp", kTwoLeaks));
  json bug = check({program}, 1)["tests"][0]["bugs"][0];
  ChildResult without = thrum({"show", bug["without"]});
  EXPECT_EQ(without.exit_code, 0) << without.errors;
  EXPECT_EQ(bug["kind"], "leak");
  EXPECT_EQ(bug["preemptions"], 1);
  EXPECT_EQ(bug["message"],
            "1 block of the heap (8 bytes) is lost: nothing points to it when the execution ends");
  ASSERT_EQ(bug["locations"].size(), 1);
  EXPECT_EQ(bug["locations"][0]["role"], "allocation");
  EXPECT_EQ(bug["locations"][0]["line"], 8);
  ChildResult again = thrum({"replay", bug["trace"]});
  EXPECT_EQ(again.exit_code, 1) << again.output;
  EXPECT_NE(again.output.find("the same failure again"), std::string::npos) << again.output;
}

// How much is lost differs from schedule to schedule; where it was allocated tells one leak from another.
TEST_F(Leaks, AreToldApartByTheirAllocations) {
  std::string program = build(write("leaks.cpp", kTwoLeaks));
  json test = check({program, "--leaks", "--keep-going", "--", "second"}, 1)["tests"][0];
  ASSERT_EQ(test["bugs"].size(), 2) << test["bugs"];
  EXPECT_NE(test["bugs"][0]["fingerprint"], test["bugs"][1]["fingerprint"]);
  // Of the first, what hangs on another lost block comes last.
  EXPECT_EQ(functions(test["bugs"][0])[0], "second");
  EXPECT_EQ(functions(test["bugs"][1])[0], "first");
}

TEST_F(Leaks, SuppressedOnesHideNothing) {
  std::string program = build(write("leaks.cpp", kTwoLeaks));
  write("list", "leak:^second$\nleak:nobody\n");
  json result = check({program, "--leaks", "--suppressions", "list", "--", "second"}, 1);
  ASSERT_EQ(result["tests"][0]["bugs"].size(), 1);
  EXPECT_EQ(result["tests"][0]["suppressed"], 1);
  EXPECT_EQ(result["suppressions"][0]["count"], 1);
  write("list", "leak:^second$\nleak:first\n");
  json test = check({program, "--leaks", "--suppressions", "list", "--", "second"}, 0)["tests"][0];
  EXPECT_EQ(test["verdict"], "exhausted");
  EXPECT_EQ(test["complete"], true);
  EXPECT_EQ(test["suppressed"], 3);  // each alone, and both in one execution
}

// The last thread has joined all others; what follows is long, and the same for many schedules.
TEST_F(Leaks, AnEndThatIsKnownHidesNone) {
  std::string program = build(write("end.cpp", R"(#include <atomic>
#include <map>
#include <thread>
std::atomic<int> n{0};
struct Node { int value; };
int work() {
  std::map<int, int> all;
  for (int i = 0; i < 300; ++i) all[i] = i * n;
  return all.at(17);
}
[[gnu::noinline]] void finish() {
  Node* volatile last = new Node{work()};
  if (n != 3) delete last;
  last = nullptr;
}
void lose() { for (int i = 0; i < 2; ++i) { int x = n; n = x + 1; } }
int main() {
  std::thread a(lose), b(lose);
  a.join();
  b.join();
  finish();
}
)"));
  const std::vector<std::string> words = {program, "--leaks", "--keep-going", "--jobs", "1"};
  json known = check(words, 1)["tests"][0];
  std::vector<std::string> digest = words;
  digest.emplace_back("--trace-digest");
  json each = check(digest, 1)["tests"][0];
  EXPECT_EQ(known["bugs"].size(), 1);
  for (const char* field : {"executions", "steps", "guarantee"})
    EXPECT_EQ(known[field], each[field]) << field;
  EXPECT_EQ(known["bugs"][0]["preemptions"], each["bugs"][0]["preemptions"]);
}

}  // namespace
