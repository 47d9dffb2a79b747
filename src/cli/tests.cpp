// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by tests_test.cpp.
#include "cli/tests.hpp"

#include <fnmatch.h>

#include <algorithm>

#include "verdict/error.hpp"

namespace thrum {

namespace {

bool matches(const std::string& glob, const std::string& test) {
  return glob == test || fnmatch(glob.c_str(), test.c_str(), 0) == 0;
}

}  // namespace

bool is_asked_for(const std::string& test, const CheckOptions& options) {
  return options.tests.empty() || std::any_of(options.tests.begin(), options.tests.end(),
                                              [&](const std::string& glob) { return matches(glob, test); });
}

std::vector<std::string> select_tests(const std::vector<std::string>& tests, const CheckOptions& options) {
  if (tests.empty())
    throw UserError("the program has no test to check: its own arguments or filter leave none");
  for (const std::string& glob : options.tests) {
    bool any =
        std::any_of(tests.begin(), tests.end(), [&](const std::string& test) { return matches(glob, test); });
    if (!any)
      throw UserError("--test: '" + glob + "' is the name of no test; thrum check --list-tests shows them");
  }
  std::vector<std::string> selected;
  std::copy_if(tests.begin(), tests.end(), std::back_inserter(selected),
               [&](const std::string& test) { return is_asked_for(test, options); });
  return selected;
}

double time_for_test(const CheckOptions& options, double begun_seconds, std::size_t tests_left) {
  constexpr double kShortest = 0.001;  // not 0, which is no limit
  double time = options.time_per_test_seconds;
  if (options.time_seconds > 0) {
    double left = std::max(options.time_seconds - begun_seconds, kShortest);
    double share = left / static_cast<double>(tests_left);
    time = time > 0 ? std::min(time, left) : std::max(share, kShortest);
  }
  return time;
}

}  // namespace thrum
