// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The randomised strategies on real programs (docs/strategies.md).
#include "endtoend.hpp"

namespace {

using nlohmann::json;

class Randomised : public EndToEnd, public testing::WithParamInterface<const char*> {
 protected:
  // By one worker: what several have run when one finds a bug depends on how fast they are.
  std::vector<std::string> with(std::vector<std::string> arguments, const std::string& seed = "7") {
    arguments.insert(arguments.end(), {"--strategy", GetParam(), "--seed", seed, "--jobs", "1"});
    return arguments;
  }
};

TEST_P(Randomised, FindsABugTheSameWayEachTime) {
  std::string program = build(example("bluetooth.cpp"));
  json first = check(with({program, "--executions", "3000"}), 1)["tests"][0];
  json again = check(with({program, "--executions", "3000"}), 1)["tests"][0];
  ASSERT_EQ(first["bugs"].size(), 1) << first;
  EXPECT_EQ(first["strategy"], GetParam());
  EXPECT_EQ(first["bugs"][0]["kind"], "assertion");
  EXPECT_EQ(first["bugs"][0]["execution"], again["bugs"][0]["execution"]);
  EXPECT_EQ(first["bugs"][0]["preemptions"], 1) << "made simple afterwards";
  EXPECT_EQ(first["steps"], again["steps"]);

  ChildResult replayed = thrum({"replay", path("thrum-out/bug-1.trace.json")});
  EXPECT_EQ(replayed.exit_code, 1) << replayed.output << replayed.errors;
  ChildResult on_system_threads =
      thrum({"replay", path("thrum-out/bug-1.trace.json"), "--threads", "system"});
  EXPECT_EQ(on_system_threads.exit_code, 1) << on_system_threads.output << on_system_threads.errors;
}

// Objects lie elsewhere then, and are drawn all the same.
TEST_P(Randomised, AddressesDecideNothing) {
  std::string program = build(example("work_stealing_queue_bug1.cpp"));
  json first = check(with({program, "--executions", "3000"}), 1)["tests"][0];
  std::vector<std::string> command = {DENY_CALL, "personality"};
  for (const std::string& word :
       with({THRUM_PROGRAM, "check", program, "--executions", "3000", "--json", "-"}))
    command.push_back(word);
  ChildResult result = run(command, path(""));
  json elsewhere = json::parse(result.output, nullptr, false);
  ASSERT_FALSE(elsewhere.is_discarded()) << result.output << result.errors;
  EXPECT_EQ(elsewhere["tests"][0]["bugs"][0]["execution"], first["bugs"][0]["execution"]);
  EXPECT_EQ(elsewhere["tests"][0]["steps"], first["steps"]);
}

TEST_P(Randomised, TheSeedDecides) {
  std::string program = build(example("work_stealing_queue.cpp"));
  auto digest = [&](const std::string& seed, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = with({program, "--executions", "100", "--trace-digest"}, seed);
    arguments.insert(arguments.end(), more.begin(), more.end());
    json test = check(arguments, 0)["tests"][0];
    EXPECT_EQ(test["executions"], 100);
    return test["trace_digest"].get<std::string>();
  };
  std::string first = digest("7", {});
  EXPECT_EQ(digest("7", {}), first);
  EXPECT_EQ(digest("7", {"--threads", "system"}), first);
  EXPECT_NE(digest("8", {}), first);
}

TEST_P(Randomised, NeverSaysThatAllWasRun) {
  json test = check(with({example("bluetooth_fixed.cpp"), "--executions", "500"}), 0)["tests"][0];
  EXPECT_EQ(test["verdict"], "inconclusive");
  EXPECT_EQ(test["complete"], false);
  EXPECT_TRUE(test["guarantee"]["bounds"].empty());
  EXPECT_EQ(test["executions"], 500);
  EXPECT_EQ(test["guarantee"]["text"].get<std::string>().find("nothing"), 0u);
}

INSTANTIATE_TEST_SUITE_P(All, Randomised, testing::Values("random", "pct", "pos", "surw", "urw"),
                         [](const auto& parameter) { return std::string(parameter.param); });

class Chances : public EndToEnd {
 protected:
  json probability(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--executions", "200"});
    return check(arguments, 0)["tests"][0]["guarantee"]["probability"];
  }
  // Threads that do two, two and one atomic operations.
  std::string plain() {
    return build(write("plain.cpp",
                       "#include <atomic>\n#include <thread>\nstd::atomic<int> x, y, z;\n"
                       "int main() {\n"
                       "  std::thread a([] { x = 1; y = 1; }), b([] { x = 2; z = 1; }), c([] { x = 3; });\n"
                       "  a.join();\n  b.join();\n  c.join();\n}\n"));
  }
};

TEST_F(Chances, OfPct) {
  json chance = probability({plain(), "--strategy", "pct", "--depth", "2"});
  EXPECT_EQ(chance["of"], "bug-of-depth");
  EXPECT_EQ(chance["depth"], 2);
  EXPECT_EQ(chance["threads"], 4);
  EXPECT_EQ(chance["executions"], 199) << "all but the first";
  double steps = chance["steps"];
  EXPECT_GE(steps, 5);
  EXPECT_NEAR(chance["per_execution"], 1 / (4 * steps), 1e-12);
  EXPECT_NE(chance["text"].get<std::string>().find("depth 2"), std::string::npos);
}

TEST_F(Chances, OfUrwAndSurw) {
  std::string program = plain();
  json all = probability({program, "--strategy", "urw"});
  EXPECT_EQ(all["of"], "interleaving");
  EXPECT_EQ(all["steps"], 6) << "the end of the process is one, which comes last";
  EXPECT_NEAR(all["per_execution"], 1.0 / 30, 1e-9) << "5! / (2! 2! 1!)";
  json selected = probability({program, "--strategy", "surw"});
  EXPECT_EQ(selected["of"], "object-order");
  EXPECT_NEAR(selected["per_execution"], 1.0 / 6, 1e-9) << "3! orders of the stores to x";
}

TEST_F(Chances, AreNotGivenWhereTheTheoremIsNotForTheProgram) {
  json locks = probability({example("work_stealing_queue.cpp"), "--strategy", "urw"});
  EXPECT_EQ(locks["per_execution"], nullptr);
  EXPECT_NE(locks["text"].get<std::string>().find("no number can be given"), std::string::npos);
  std::string yields = write("yields.cpp",
                             "#include <atomic>\n#include <thread>\nstd::atomic<int> x;\n"
                             "void work() { x = 1; std::this_thread::yield(); x = 2; }\n"
                             "int main() { std::thread a(work), b(work); a.join(); b.join(); }\n");
  EXPECT_EQ(probability({yields, "--strategy", "pct"})["per_execution"], nullptr);
  EXPECT_FALSE(check({example("bluetooth_fixed.cpp")}, 0)["tests"][0]["guarantee"].contains("probability"));
}

TEST_F(Chances, DepthIsANumberFrom1) {
  for (const char* depth : {"0", "1001", "three"}) {
    ChildResult result = thrum({"check", "--strategy", "pct", "--depth", depth, "program"});
    EXPECT_EQ(result.exit_code, 2) << depth;
    EXPECT_NE(result.errors.find("--depth"), std::string::npos) << result.errors;
  }
}

TEST_F(Chances, RandomisedStrategiesHaveNoBound) {
  for (const char* strategy : {"random", "pct", "pos", "surw", "urw"}) {
    ChildResult result = thrum({"check", "--strategy", strategy, "--bound", "preemptions=2", "program"});
    EXPECT_EQ(result.exit_code, 2) << strategy;
    EXPECT_NE(result.errors.find("has no bound"), std::string::npos) << result.errors;
  }
}

}  // namespace
