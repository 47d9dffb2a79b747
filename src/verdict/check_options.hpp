// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of `thrum check`. Its verdict depends on them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "campaign/strategies.hpp"
#include "protocol/job.hpp"

namespace thrum {

struct CheckOptions {
  std::vector<std::string> inputs;     // one program, or source files
  std::vector<std::string> arguments;  // of the program

  // One member for each row of the table in cli/check_table.cpp, which says what the option means. The first
  // values are the defaults. An empty string: the option is not given.
  std::string strategy = "auto";
  std::string bound = "none";
  std::string fair = "auto";
  std::uint64_t seed = 0;
  std::uint32_t depth = 3;
  std::string priority;
  std::vector<std::string> focus_methods;
  std::vector<std::string> focus_variables;
  int jobs = 0;  // set by validate(), if it is not given: one for each processor
  std::string engine = "native";
  bool state_cache = false;
  std::uint64_t state_curves = 0;
  std::string symmetry = "heap";     // of states; or none
  double time_seconds = 60;          // of all tests; 0: no limit
  double time_per_test_seconds = 0;  // 0: a share of time_seconds
  std::uint64_t executions = 0;
  std::uint64_t steps = 1'000'000;
  std::uint32_t hang_seconds = 10;
  std::string program_memory = "1G";
  std::string search_memory = "1G";
  bool require_exhausted = false;
  std::vector<std::string> tests;  // globs; none: all tests
  bool list_tests = false;
  std::string compile_flags;
  std::string memory_model = "sc";
  std::string heap = "lifo";
  std::string waiting = "merge";
  std::string threads = "auto";
  double early_timeouts_seconds = 10;
  bool spurious = false;
  std::string races = "report";
  bool no_leads_to = false;
  bool leaks = false;
  bool keep_going = false;
  std::string baseline;      // a path
  std::string suppressions;  // a path
  std::string out = "thrum-out";
  std::string suite;  // a path
  std::string json;   // a path; "-": standard output
  std::string progress = "auto";
  std::string color = "auto";
  bool assumptions = false;
  bool statistics = false;
  bool count_classes = false;
  std::string coverage;
  std::string plot;            // a path
  std::string plot_unfolding;  // a path
  bool decisions = false;
  std::string checkpoint;  // a path
  double checkpoint_seconds = 60;
  std::string resume;  // a path
  std::uint64_t repeat = 1;
  bool no_waypoints = false;
  bool judge_all = false;
  bool no_fsgsbase = false;
  bool trace_digest = false;
  bool measure_tree = false;
  // The names of the options on the command line. They win over the options that the program's code gives.
  std::vector<std::string> given;

  // Set by validate() from the members above.
  std::uint64_t program_memory_bytes = 0;
  std::uint32_t yields = 0;  // 0: no bound
  std::optional<std::uint32_t> state_depth = {};
  Fairness fairness = Fairness::watch;
  StrategySettings settings;
};

// Seconds of virtual time, in nanoseconds, and back.
std::uint64_t nanoseconds_of(double seconds);
double seconds_of(std::uint64_t nanoseconds);

// The word of --races.
const char* races_word(Races races);

}  // namespace thrum
