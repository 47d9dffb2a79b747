// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A listener that tells `thrum check` of the tests of a program that uses Catch2, version 2.
//
// Listeners can be registered only in the file of a program that holds Catch2 itself. It does nothing in a
// program that is run by itself. THRUM_NO_TEST_FRAMEWORK leaves it out; then the whole program is one test.
#pragma GCC system_header
#if !defined(THRUM_WRAPPED_CATCH) && defined(CATCH_IMPL)
#define THRUM_WRAPPED_CATCH
#if defined(__THRUM__) && !defined(CATCH_CONFIG_DISABLE) && !defined(THRUM_NO_TEST_FRAMEWORK)

#include <cstdlib>
#include <string>
#include <vector>

#include "thrum_tests.h"

namespace thrum_catch {

using Tests = std::vector<Catch::TestCase>;

inline std::string failure_message(const Catch::AssertionStats& stats) {
  const Catch::AssertionResult& result = stats.assertionResult;
  std::string message = result.hasExpression() ? result.getExpressionInMacro() : std::string();
  auto add = [&](const std::string& line) { message += (message.empty() ? "" : "\n") + line; };
  if (result.hasExpandedExpression()) add("with expansion: " + result.getExpandedExpression());
  if (result.getResultType() == Catch::ResultWas::ThrewException)
    add("unexpected exception: " + std::string(result.getMessage()));
  else if (result.hasMessage())
    add(result.getMessage());
  for (const Catch::MessageInfo& info : stats.infoMessages) {
    if (info.type == Catch::ResultWas::Info) add(info.message);
  }
  return message;
}

// An exception that left the test; where one leaves an assertion, that has failed.
inline bool left_the_test(const Catch::AssertionResult& result) {
  std::string macro(result.getTestMacroName());
  return result.getResultType() == Catch::ResultWas::ThrewException &&
         (macro.empty() || macro == "TEST_CASE");
}

struct Listener : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;

  void testGroupStarting(const Catch::GroupInfo&) override {
    int asked = thrum_tests_asked();
    if (asked == THRUM_TESTS_NOTHING) return;
    if (asked == THRUM_TESTS_LIST) {
      const Tests& all = Catch::getAllTestCasesSorted(*m_config);
      for (const Catch::TestCase& test : Catch::filterTests(all, m_config->testSpec(), *m_config))
        thrum_tests_add(test.name.c_str());
      thrum_tests_listed();
    }
  }

  // Which tests follow is decided when the first begins. So the one that is wanted is run in its place, and
  // ends the execution.
  void testCaseStarting(const Catch::TestCaseInfo& first) override {
    if (thrum_tests_asked() != THRUM_TESTS_ONE) return;
    may_fail_ = first.okToFail();
    if (checked_) return;
    for (const Catch::TestCase& test : Catch::getAllTestCasesSorted(*m_config)) {
      if (test.name != thrum_tests_wanted()) continue;
      checked_ = true;
      thrum_test_begins();
      static_cast<Catch::RunContext&>(*Catch::getCurrentContext().getRunner()).runTest(test);
    }
    std::exit(0);
  }

  // The body of a test is run once for each of its sections and for each value of its generators, as a
  // section itself that holds the others.
  void sectionStarting(const Catch::SectionInfo& section) override {
    if (!checked_) return;
    if (depth_++ > 0) {
      path_ += (path_.empty() ? "" : " / ") + section.name;
      if (parts_ == thrum_part_wanted() + 1) thrum_part_named(path_.c_str());
      return;
    }
    path_.clear();
    unsigned part = parts_++;
    if (part < thrum_part_wanted()) thrum_part_passes_over();
    if (part == thrum_part_wanted()) thrum_part_begins();
    if (part > thrum_part_wanted()) thrum_part_ends(1);
  }

  void sectionEnded(const Catch::SectionStats& stats) override {
    if (!checked_) return;
    --depth_;
    if (stats.missingAssertions && is_wanted_part() && !may_fail_)
      fail("no assertion was made in " + stats.sectionInfo.name, stats.sectionInfo.lineInfo);
  }

  bool assertionEnded(const Catch::AssertionStats& stats) override {
    const Catch::AssertionResult& result = stats.assertionResult;
    if (!checked_ || result.isOk() || may_fail_ || !is_wanted_part()) return false;
    int kind = left_the_test(result) ? THRUM_FAILURE_EXCEPTION : THRUM_FAILURE_EXPECTATION;
    Catch::SourceLineInfo place = result.getSourceInfo();
    thrum_test_fails(kind, failure_message(stats).c_str(), place.file, static_cast<int>(place.line));
  }

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    if (!checked_) return;
    if (!is_wanted_part()) thrum_part_missing();
    if (may_fail_ && stats.totals.testCases.failed > 0)
      fail("the test was to fail, and did not", stats.testInfo.lineInfo);
    thrum_part_ends(0);
  }

 private:
  bool is_wanted_part() const { return parts_ == thrum_part_wanted() + 1; }

  static void fail(const std::string& message, const Catch::SourceLineInfo& place) {
    thrum_test_fails(THRUM_FAILURE_EXPECTATION, message.c_str(), place.file, static_cast<int>(place.line));
  }

  // In the program's memory: each execution begins as the first one did.
  bool checked_ = false;
  bool may_fail_ = false;
  unsigned parts_ = 0;
  int depth_ = 0;
  std::string path_;
};

namespace {
// Before main, so that the runtime knows that tests will be announced.
const int listener_is_there __attribute__((unused)) = thrum_tests_asked();
const Catch::ListenerRegistrar<Listener> listener_registrar;
}  // namespace

}  // namespace thrum_catch

#endif
#endif
