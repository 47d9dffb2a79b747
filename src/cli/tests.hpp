// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tests of a program: which of them are checked, and how they share the time.
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"

namespace thrum {

// The name of the test that a program without tests is.
inline constexpr char kWholeProgram[] = "main";

std::vector<std::string> names_of(const std::vector<AnnouncedTest>& tests);

// Whether --test asks for this test.
bool is_asked_for(const std::string& test, const CheckOptions& options);

// The tests that --test asks for. Throws UserError if there are none, or if a glob matches none.
std::vector<std::string> select_tests(const std::vector<std::string>& tests, const CheckOptions& options);

// The options of a test: the options of the command line, and those that the program's code gives the test
// and the command line does not. If they contradict each other, such as a reduction and a bound, the code's
// options that choose schedules are left out. REQUIRES: validate(options) was called. Throws UserError with
// the name of the test if the options in the code are wrong.
CheckOptions with_own_options(const CheckOptions& options, const AnnouncedTest& test);

// The seconds for the next test; 0: no limit. begun_seconds: the time since the check began; tests_left: the
// number of tests without a result, the next one included. Without --time-per-test each of them has an equal
// share of the rest of --time, so a test that needs less leaves more for the others.
double time_for_test(const CheckOptions& options, double begun_seconds, std::size_t tests_left);

}  // namespace thrum
