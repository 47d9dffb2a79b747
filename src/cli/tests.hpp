// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tests of a program: which of them are checked, and how the time is shared among them.
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"

namespace thrum {

// What a program is called that announces no tests.
inline constexpr char kWholeProgram[] = "main";

std::vector<std::string> names_of(const std::vector<AnnouncedTest>& tests);

// Whether the test is one of those asked for by --test.
bool is_asked_for(const std::string& test, const CheckOptions& options);

// Those of the tests that are asked for. Throws UserError where none is, or where a glob stands for none.
std::vector<std::string> select_tests(const std::vector<std::string>& tests, const CheckOptions& options);

// The options of a test: those of the command line, and where it leaves one out, the one that the program's
// code gives for the test. Where these do not go together, as a reduction and a bound do not, those of the
// code that say how schedules are chosen are left out. options: as validate() leaves them. Throws UserError,
// which names the test, where what the code gives cannot be.
CheckOptions with_own_options(const CheckOptions& options, const AnnouncedTest& test);

// The seconds for the next test; 0: no limit. begun: how long the check has been running; tests_left: the
// next one included. Without --time-per-test, each test left has the same share of what is left of --time:
// what one does not need, the others have.
double time_for_test(const CheckOptions& options, double begun_seconds, std::size_t tests_left);

}  // namespace thrum
