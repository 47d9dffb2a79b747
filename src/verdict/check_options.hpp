// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a check was asked to do: the options of `thrum check`, by which its verdict is weighed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "campaign/strategies.hpp"
#include "protocol/job.hpp"
#include "report/text_style.hpp"

namespace thrum {

struct CheckOptions {
  std::vector<std::string> inputs;     // one program, or source files
  std::vector<std::string> arguments;  // of the program
  std::string strategy = "auto";
  std::string priority;  // of best-first; empty: its default
  std::vector<std::string> focus_methods;
  std::vector<std::string> focus_variables;
  std::string search_memory = "1G";
  std::string program_memory = "1G";
  std::uint64_t program_memory_bytes = 0;  // by validate(), from program_memory
  std::string engine = "native";
  std::string bound = "none";
  std::string memory_model = "sc";
  std::string heap = "lifo";
  std::string threads = "auto";
  std::string races = "report";
  std::vector<std::string> tests;  // globs; none: all
  bool list_tests = false;
  double time_seconds = 60;          // of all tests; 0: no limit
  double time_per_test_seconds = 0;  // 0: a share of time_seconds
  std::uint64_t executions = 0;
  std::uint64_t steps = 1'000'000;
  std::uint32_t hang_seconds = 10;
  double early_timeouts_seconds = 10;
  bool no_leads_to = false;
  std::uint32_t yields = 0;  // by validate(), from bound; 0: no bound
  std::uint64_t seed = 0;
  std::uint32_t depth = 3;   // of the bugs that pct looks for
  std::uint64_t repeat = 1;  // the whole search, so often, for benchmarks
  int jobs = 0;              // by validate() one for each processor, unless given
  bool keep_going = false;
  bool spurious = false;
  std::string fair = "auto";
  Fairness fairness = Fairness::watch;  // by validate(), from fair and strategy
  bool leaks = false;
  bool require_exhausted = false;
  bool assumptions = false;  // in full in the report
  bool no_waypoints = false;
  bool judge_all = false;
  bool no_fsgsbase = false;
  bool trace_digest = false;
  bool statistics = false;     // in the report
  bool count_classes = false;  // also where the strategy does not need to
  std::string progress = "auto";
  std::string compile_flags;
  std::string baseline;      // a result's path; empty: none
  std::string suppressions;  // likewise
  std::string out = "thrum-out";
  std::string json;  // empty: none; "-": standard output

  std::string plot;  // the path of a picture; empty: none

  std::string checkpoint;  // a path; empty: none
  std::string resume;      // likewise
  double checkpoint_seconds = 60;

  Colour colour = Colour::automatic;
  StrategySettings settings;  // made by validate()

  // The names of the options that the command line gives: they win over those that the program's code gives.
  std::vector<std::string> given;
};

// Seconds of virtual time, in nanoseconds, and back.
std::uint64_t nanoseconds_of(double seconds);
double seconds_of(std::uint64_t nanoseconds);

// The word of --races.
const char* races_word(Races races);

}  // namespace thrum
