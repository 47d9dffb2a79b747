// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --coverage values: what threads read. A search by values, which is about nothing else, and a search of all
// classes of executions meet the same.
//
//   THRUM_VALUES_SECONDS  all programs of tests/programs are searched, for so many seconds each
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "endtoend.hpp"

namespace {

using nlohmann::json;

const std::string kPrograms = std::string(THRUM_SOURCES) + "/tests/programs/";

class Values : public EndToEnd {
 protected:
  struct Searched {
    bool is_exhausted = false;
    json statistics = json::object();
  };

  // Rounds of loops that a search by values leaves out, others leave out with --waiting block; and values
  // that are addresses should mean the same memory. With several workers some executions are run before all
  // of them know what is shared.
  Searched search(const std::string& program, const std::string& strategy, const std::string& seconds,
                  const std::vector<std::string>& arguments = {}) {
    std::vector<std::string> command = {"check",      program,  "--strategy", strategy,
                                        "--coverage", "values", "--jobs",     "1",
                                        "--waiting",  "block",  "--heap",     "fresh",
                                        "--time",     seconds,  "--json",     path("searched.json")};
    command.insert(command.end(), arguments.begin(), arguments.end());
    thrum(command);
    const json result = json::parse(read(path("searched.json")), nullptr, false);
    if (result.is_discarded() || result["tests"].empty()) return {};
    const json& test = result["tests"][0];
    if (!test.contains("statistics")) return {};
    return {test["verdict"] == "exhausted", test["statistics"]};
  }

  json counted(const std::string& program, const std::string& strategy) {
    const Searched searched = search(program, strategy, "0");
    EXPECT_TRUE(searched.is_exhausted) << strategy;
    EXPECT_TRUE(searched.statistics["value_sequences_exact"]) << strategy;
    return searched.statistics["value_sequences"];
  }
};

TEST_F(Values, EachCountsBehindThoseBeforeIt) {
  const std::string program = build(write("twice.c", R"(
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
atomic_int x;
void* write_twice(void* none) { x = 1; x = 1; return none; }
void* read_twice(void* none) { atomic_load(&x); atomic_load(&x); return none; }
int main(void) {
  pthread_t writer, reader;
  pthread_create(&writer, NULL, write_twice, NULL);
  pthread_create(&reader, NULL, read_twice, NULL);
  pthread_join(writer, NULL);
  pthread_join(reader, NULL);
}
)"));
  // 0 and 1; behind 0 again 0 and 1; behind 1 only 1. (A std::thread would also read what its creator wrote.)
  for (const char* strategy : {"mcr", "dpor", "icb", "unfolding", "dfs", "auto"})
    EXPECT_EQ(counted(program, strategy), 5) << strategy;
  const ChildResult told = thrum({"check", program, "--strategy", "mcr", "--coverage", "values", "--plot",
                                  "all.svg", "--json", "one.json"});
  EXPECT_NE(told.output.find("\nSequences of values met: 5 (the last new one in execution "),
            std::string::npos)
      << told.output;
  EXPECT_NE(read(path("all.svg")).find("sequences of values met"), std::string::npos);
  EXPECT_EQ(thrum({"plot", "one.json", "--out", "again.svg"}).exit_code, 0);
  EXPECT_EQ(read(path("again.svg")), read(path("all.svg")));
  const json growth =
      check({program, "--strategy", "dpor", "--coverage", "values"}, 0)["tests"][0]["statistics"]["growth"];
  EXPECT_EQ(growth.back()["value_sequences"], 5);
}

// That several threads access memory may be seen late: in indexer.c, in which threads share a slot of a table
// only if their hashes collide, and what was counted before is counted again.
TEST_F(Values, AreTheSameByValuesAndByClasses) {
  for (const char* name : {"correct/containers/michael_scott_queue.cpp", "correct/condvar/signal.c",
                           "correct/counts/indexer.c", "correct/counts/try_lock.cpp",
                           "correct/counts/thread_creates_thread.cpp", "correct/exclusion/ttas_lock.cpp",
                           "correct/heap/stale_cache_fresh.cpp", "correct/counts/lock_sections.cpp"}) {
    const std::string program = build(kPrograms + name);
    const json by_values = counted(program, "mcr");
    EXPECT_GT(by_values, 3) << name;
    EXPECT_EQ(by_values, counted(program, "dpor")) << name;
  }
}

TEST_F(Values, OfAllPrograms) {
  const char* seconds = std::getenv("THRUM_VALUES_SECONDS");
  if (seconds == nullptr) GTEST_SKIP() << "THRUM_VALUES_SECONDS is not set";
  std::size_t programs = 0;
  std::size_t by_values = 0;
  std::size_t same = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kPrograms)) {
    const std::string extension = entry.path().extension().string();
    if (entry.path().parent_path() == kPrograms || (extension != ".c" && extension != ".cpp")) continue;
    if (entry.path().string().find("/libraries/") != std::string::npos) continue;
    std::vector<std::string> compile = {extension == ".c" ? "cc" : "c++", entry.path().string(), "-o",
                                        path("program"), "-I" + kPrograms};
    std::vector<std::string> cases;
    std::ifstream lines(entry.path());
    for (std::string line; std::getline(lines, line) && line.starts_with("//");) {
      std::istringstream words(line);
      std::string word;
      words >> word >> word;
      if (word == "case" && words >> word) cases.push_back(word.substr(0, word.find(':')));
      for (const bool are_flags = word == "flags:"; are_flags && words >> word;) compile.push_back(word);
    }
    if (thrum(compile).exit_code != 0) continue;
    if (cases.empty()) cases.emplace_back();
    for (const std::string& one : cases) {
      ++programs;
      std::vector<std::string> arguments;
      if (!one.empty()) arguments = {"--", one};
      const Searched mcr = search(path("program"), "mcr", seconds, arguments);
      if (!mcr.is_exhausted || !mcr.statistics.contains("value_sequences")) continue;
      ++by_values;
      const Searched dpor = search(path("program"), "dpor", seconds, arguments);
      if (!dpor.is_exhausted || dpor.statistics["value_sequences_exact"] != true) continue;
      EXPECT_EQ(mcr.statistics["value_sequences"], dpor.statistics["value_sequences"])
          << entry.path() << ' ' << one;
      ++same;
    }
    std::filesystem::remove(path("program"));
  }
  std::cout << programs << " programs, " << by_values << " searched to the end by values, of which " << same
            << " by classes, too\n";
  EXPECT_GT(same, 150u);
}

}  // namespace
