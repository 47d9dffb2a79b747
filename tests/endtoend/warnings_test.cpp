// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warnings: locks that are taken in opposite orders, and threads that wait for ever when the process ends.
#include "endtoend.hpp"

namespace {

using nlohmann::json;

const char kHead[] = R"(#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>
std::mutex a, b, c, gate;
std::shared_mutex s, t;
int n;
void nest(std::mutex& first, std::mutex& second) {
  std::lock_guard outer(first);
  std::lock_guard inner(second);
  ++n;
}
void one_after_another(auto... bodies) { (std::thread(bodies).join(), ...); }
)";

class Warnings : public EndToEnd {
 protected:
  json test(const std::string& body, int exit_code = 0, const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments{write("program.cpp", kHead + body)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return check(arguments, exit_code)["tests"][0];
  }
  json warnings(const std::string& body) { return test(body)["warnings"]; }
};

TEST_F(Warnings, OppositeOrdersOfLocks) {
  json result = test("int main() { one_after_another([] { nest(a, b); }, [] { nest(b, a); }); }");
  EXPECT_EQ(result["verdict"], "exhausted");
  ASSERT_EQ(result["warnings"].size(), 1);
  const json& warning = result["warnings"][0];
  EXPECT_EQ(warning["kind"], "lock-order");
  EXPECT_EQ(warning["text"],
            "two locks are taken in opposite orders; every schedule was run, and none deadlocks");
  ASSERT_EQ(warning["locations"].size(), 4);
  for (const json& location : warning["locations"]) {
    EXPECT_EQ(location["function"], "nest");
    EXPECT_EQ(location["line"], location["role"] == "holds" ? 9 : 10);
  }
}

TEST_F(Warnings, ACircleOfThreeLocks) {
  json all = warnings(
      "int main() { one_after_another([] { nest(a, b); }, [] { nest(b, c); }, [] { nest(c, a); }); }");
  ASSERT_EQ(all.size(), 1);
  EXPECT_EQ(all[0]["locations"].size(), 6);
}

// One of the two orders is taken in few schedules only.
TEST_F(Warnings, OrdersOfSeveralExecutionsMakeACircle) {
  json all = warnings(R"(#include <atomic>
std::atomic<int> order{0};
int main() {
  std::thread first([] { order = 1; }), second([] { order = 2; });
  first.join();
  second.join();
  if (order == 1) one_after_another([] { nest(a, b); }, [] {});
  else one_after_another([] {}, [] { nest(b, a); });
})");
  EXPECT_EQ(all.size(), 1);
}

TEST_F(Warnings, NoneWhereNothingCanGoWrong) {
  for (const char* body : {
           // the same order, one thread, a gate, readers only, a lock that is tried
           "int main() { one_after_another([] { nest(a, b); }, [] { nest(a, b); }); }",
           "int main() { one_after_another([] { nest(a, b); nest(b, a); }); }",
           "int main() { one_after_another([] { std::lock_guard g(gate); nest(a, b); },"
           "                               [] { std::lock_guard g(gate); nest(b, a); }); }",
           "int main() { one_after_another([] { std::shared_lock x(s); std::shared_lock y(t); },"
           "                               [] { std::shared_lock x(t); std::shared_lock y(s); }); }",
           "int main() { one_after_another([] { nest(a, b); }, [] { std::lock_guard g(b);"
           "             if (a.try_lock()) a.unlock(); }); }",
           // several locks at one address, one after another
           "void both(bool turn) {"
           "  auto* x = new std::mutex[2];"
           "  std::thread([=] { nest(x[turn], x[!turn]); }).join();"
           "  delete[] x;"
           "}"
           "int main() { std::thread([] {}).join(); both(false); both(true); }",
           // threads that go on, or could
           "int main() { std::thread([] { while (true) std::this_thread::yield(); }).detach(); }",
       }) {
    EXPECT_EQ(warnings(body), json::array()) << body;
  }
}

// What a deadlock tells is not told twice.
TEST_F(Warnings, ADeadlockTakesTheirPlace) {
  json result = test(
      "int main() { std::thread x([] { nest(a, b); }), y([] { nest(b, a); });"
      " x.join(); y.join(); }",
      1);
  EXPECT_EQ(result["bugs"][0]["kind"], "deadlock");
  EXPECT_EQ(result["warnings"], json::array());
}

TEST_F(Warnings, ThreadsThatWaitForEverAtExit) {
  const char kBody[] = R"(
std::condition_variable& never = *new std::condition_variable;  // nor destroyed
void wait() {
  std::unique_lock lock(a);
  never.wait(lock, [] { return n != 0; });
}
int main() {
  std::thread(wait).detach();
  std::thread(wait).detach();
})";
  json result = test(kBody);
  EXPECT_EQ(result["verdict"], "exhausted");
  ASSERT_EQ(result["warnings"].size(), 1);
  const json& warning = result["warnings"][0];
  EXPECT_EQ(warning["kind"], "blocked-at-exit");
  EXPECT_LE(warning["count"], result["executions"]);
  EXPECT_GT(warning["count"], 1);
  EXPECT_EQ(warning["locations"][0]["function"], "wait");
  EXPECT_EQ(warning["locations"][0]["role"], "waiter");
  ChildResult told = thrum({"check", path("program.cpp")});
  EXPECT_NE(told.output.find("waits to be woken on block 1"), std::string::npos) << told.output;
}

// Another thread may still go on, but not for the lock that main takes to its end.
TEST_F(Warnings, ALockThatIsHeldAtExit) {
  json all = warnings(R"(
int main() {
  a.lock();
  std::thread([] { std::lock_guard guard(a); }).detach();
  std::thread([] { std::lock_guard guard(b); }).detach();
})");
  ASSERT_EQ(all.size(), 1);
  EXPECT_EQ(all[0]["kind"], "blocked-at-exit");
  EXPECT_EQ(all[0]["locations"].size(), 1);
}

}  // namespace
