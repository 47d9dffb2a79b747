// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "both_ways.hpp"

#include <algorithm>
#include <iterator>

using nlohmann::json;

namespace {

// Takes out what differs from run to run: times; how often executions were audited, which takes a part of the
// time; and how often what is not under control was met, as audits meet it too.
void strip(json& value) {
  if (value.is_object()) {
    for (auto it = value.begin(); it != value.end();) {
      const std::string& key = it.key();
      const bool differs = key.find("second") != std::string::npos || key == "audited";
      it = differs ? value.erase(it) : std::next(it);
    }
    if (value.value("kind", json()) == "uncontrolled-call") value.erase("count");
  }
  if (value.is_structured()) {
    for (json& part : value) strip(part);
  }
}

}  // namespace

const std::string BothWays::kBegin = R"(
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>
#include <thrum/thrum.h>
std::atomic<int> n;
std::mutex m;
void lose() { for (int i = 0; i < 3; ++i) { int x = n.load(); n.store(x + 1); } }
)";

void BothWays::check_both(const std::string& program, int exit_code,
                          const std::vector<const char*>& strategies, const std::string& executions) {
  for (const char* strategy : strategies) {
    const int found = compare({program, "--strategy", strategy, "--executions", executions});
    if (strategy == strategies[0]) {
      EXPECT_EQ(found, exit_code);
    }
  }
}

void BothWays::check_program(const std::string& text, int exit_code,
                             const std::vector<const char*>& strategies, bool takes,
                             const std::string& executions) {
  check_both(build(write("program.cpp", kBegin + text)), exit_code, strategies, executions);
  EXPECT_EQ(taken_ > 0, takes);
}

// The exit code.
int BothWays::compare(std::vector<std::string> options) {
  options.insert(options.end(), {"--keep-going", "--jobs", "1", "--seed", "7"});
  int found = 0;
  json with = run_all(options, found);
  options.push_back(without_);
  int found_without = 0;
  json without = run_all(options, found_without);
  EXPECT_EQ(found, found_without);
  const std::string& strategy = options[2];
  taken_ += with[counter_].get<int>();
  EXPECT_EQ(without[counter_], 0);
  for (const char* field : {"verdict", "reason", "executions", "steps", "complete", "statistics", "guarantee",
                            "threads", "happens_before_classes"})
    EXPECT_EQ(with[field], without[field]) << strategy << ' ' << field;
  EXPECT_EQ(with["bugs"].size(), without["bugs"].size()) << strategy;
  for (std::size_t i = 0; i < std::min(with["bugs"].size(), without["bugs"].size()); ++i) {
    for (const char* field : {"kind", "message", "execution", "preemptions", "fingerprint"})
      EXPECT_EQ(with["bugs"][i][field], without["bugs"][i][field]) << strategy << ' ' << field;
  }
  return found;
}

json BothWays::run_all(const std::vector<std::string>& options, int& found) {
  std::vector<std::string> arguments{"check", "--json", "-"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  ChildResult result = thrum(arguments);
  found = result.exit_code.value_or(-1);
  json document = json::parse(result.output, nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << result.output;
  json test = document["tests"][0];
  strip(test);
  return test;
}
