// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by tests_test.cpp.
#include "cli/tests.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

#include "verdict/error.hpp"

namespace thrum {

namespace {

bool matches(const std::string& glob, const std::string& test) {
  return glob == test || fnmatch(glob.c_str(), test.c_str(), 0) == 0;
}

}  // namespace

std::vector<std::string> names_of(const std::vector<AnnouncedTest>& tests) {
  std::vector<std::string> names;
  for (const AnnouncedTest& test : tests) names.push_back(test.name);
  return names;
}

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

namespace {

using Words = std::vector<std::string>;

// The options, changed by the words. Throws UserError.
CheckOptions with_words(CheckOptions options, Words words) {
  read_options(options, std::move(words));
  validate(options);
  return options;
}

// The words without those that give one of the named options.
Words without(const Words& names, Words words) {
  const auto is_named = [&](const std::string& word) {
    return std::find(names.begin(), names.end(), word.substr(0, word.find('='))) != names.end();
  };
  words.erase(std::remove_if(words.begin(), words.end(), is_named), words.end());
  return words;
}

}  // namespace

CheckOptions with_own_options(const CheckOptions& options, const AnnouncedTest& test) {
  try {
    CheckOptions alone;
    alone.inputs = options.inputs;
    with_words(alone, test.options);
  } catch (const UserError& error) {
    throw UserError("the options of the test '" + test.name + "' in the program: " + error.what());
  }
  Words words = without(options.given, test.options);
  if (std::find(options.given.begin(), options.given.end(), "--time") != options.given.end())
    words = without({"--time-per-test"}, words);
  try {
    return with_words(options, words);
  } catch (const UserError&) {
    return with_words(options, without({"--strategy", "--bound", "--depth", "--fair", "--priority"}, words));
  }
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
