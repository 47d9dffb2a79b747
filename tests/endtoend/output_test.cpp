// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the program under test prints: dropped when an execution passes, kept with a failing one, live under
// replay.
#include "endtoend.hpp"

namespace {

using nlohmann::json;

class Output : public EndToEnd {
 protected:
  json trace() const { return json::parse(read(path("thrum-out/bug-1.trace.json"))); }
};

constexpr char kFailsInItsSecondExecution[] = R"(
#include <atomic>
#include <cassert>
#include <cstdio>
#include <iostream>
#include <thread>
std::atomic<int> x;
int main() {
  std::puts("set-up");
  std::ios::sync_with_stdio(false);
  std::thread a([] {
    x.fetch_add(1);
    std::printf("in the buffer");
    std::cout << "of the stream";
    assert(x.load() != 2);
  });
  std::thread b([] { x.fetch_add(1); });
  a.join();
  b.join();
  std::puts("passed");
}
)";

TEST_F(Output, OfTheFailingExecutionIsKept) {
  std::string source = write("talks.cpp", kFailsInItsSecondExecution);
  json result = check({source}, 1);
  EXPECT_EQ(result["tests"][0]["bugs"][0]["execution"], 2);
  EXPECT_EQ(trace()["output"], "set-up\nin the bufferof the stream");
  ChildResult shown = thrum({"show", "thrum-out/bug-1.trace.json"});
  EXPECT_NE(shown.output.find("    > in the bufferof the stream\n"), std::string::npos) << shown.output;
  ChildResult replayed = thrum({"replay", "thrum-out/bug-1.trace.json"});
  EXPECT_NE(replayed.output.find("in the bufferof the stream"), std::string::npos) << replayed.output;
}

TEST_F(Output, OfACrashInsidePrintf) {
  std::string source = write("crash.cpp",
                             "#include <cstdio>\n#include <thread>\n"
                             "int main() { std::thread([] { std::printf(\"before \");\n"
                             "  std::printf(\"%s\", reinterpret_cast<char*>(64)); }).join(); }\n");
  check({source}, 1);
  EXPECT_EQ(trace()["output"], "before ");
}

TEST_F(Output, ThatIsMuchIsKeptAtBothEnds) {
  std::string source = write("loud.cpp",
                             "#include <cstdio>\n#include <cstdlib>\n#include <thread>\n"
                             "int main() { std::thread([] { std::puts(\"first\");\n"
                             "  for (int i = 0; i < 100000; ++i) std::printf(\"line %d\\n\", i);\n"
                             "  std::puts(\"last\"); std::abort(); }).join(); }\n");
  check({source}, 1);
  auto kept = trace()["output"].get<std::string>();
  EXPECT_LT(kept.size(), 70'000U);
  EXPECT_TRUE(kept.starts_with("first\n"));
  EXPECT_TRUE(kept.ends_with("line 99999\nlast\n")) << kept.substr(kept.size() - 100);
  EXPECT_NE(kept.find("[something is left out here]"), std::string::npos);
}

}  // namespace
