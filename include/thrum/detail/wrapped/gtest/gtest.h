// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's own gtest/gtest.h, and a listener that tells `thrum check` of its tests.
//
// This folder stands first on the include path of programs that are built for Thrum. The listener is compiled
// against the very version of GoogleTest (1.10 or later) that the program uses, and does nothing in a program
// that is run by itself. THRUM_NO_TEST_FRAMEWORK leaves it out; then the whole program is one test.
//
// The real header is included each time: this one may stand on the path twice, and then finds itself first.
#pragma GCC system_header
#include_next <gtest/gtest.h>

#ifndef THRUM_WRAPPED_GTEST
#define THRUM_WRAPPED_GTEST
#if defined(__THRUM__) && defined(INSTANTIATE_TEST_SUITE_P) && !defined(THRUM_NO_TEST_FRAMEWORK)

#include <cstdlib>
#include <string>

#include "../../thrum_tests.h"

namespace thrum_gtest {

// Which tests run is decided before any listener is called, and by options that a program may set itself, by
// sharding too. So the listener decides it again. An explicit instantiation may name private members.
template <typename Tests, bool Tests::*kShouldRun>
struct Selection {
  friend void select(Tests& tests, bool should_run) { tests.*kShouldRun = should_run; }
};
template struct Selection<testing::TestInfo, &testing::TestInfo::should_run_>;
template struct Selection<testing::TestSuite, &testing::TestSuite::should_run_>;
void select(testing::TestInfo& test, bool should_run);
void select(testing::TestSuite& suite, bool should_run);

class Listener : public testing::EmptyTestEventListener {
 public:
  explicit Listener(int asked) : lists_(asked == THRUM_TESTS_LIST) {}

  void OnTestProgramStart(const testing::UnitTest& program) override {
    for (int i = 0; i < program.total_test_suite_count(); ++i) {
      const testing::TestSuite& suite = *program.GetTestSuite(i);
      bool wanted = false;
      for (int j = 0; j < suite.total_test_count(); ++j) {
        const testing::TestInfo& test = *suite.GetTestInfo(j);
        if (lists_) {
          if (test.should_run()) thrum_tests_add(name(test).c_str());
        } else {
          bool this_one = name(test) == thrum_tests_wanted();
          select(const_cast<testing::TestInfo&>(test), this_one);
          wanted = wanted || this_one;
        }
      }
      if (!lists_) select(const_cast<testing::TestSuite&>(suite), wanted);
    }
    if (lists_) thrum_tests_listed();
  }

  void OnTestStart(const testing::TestInfo&) override { thrum_test_begins(); }

  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (part.failed() && !lists_) {
      thrum_test_fails(is_exception(part) ? THRUM_FAILURE_EXCEPTION : THRUM_FAILURE_EXPECTATION,
                       part.message(), part.file_name(), part.line_number());
    }
  }

  void OnTestEnd(const testing::TestInfo& test) override {
    const testing::TestResult& result = *test.result();
    if (!result.Skipped()) thrum_test_ends();
    std::string reason;
    for (int i = 0; i < result.total_part_count(); ++i) {
      const testing::TestPartResult& part = result.GetTestPartResult(i);
      if (part.skipped()) reason = part.message();
    }
    thrum_test_skips(reason.c_str());
  }

  void OnTestProgramEnd(const testing::UnitTest&) override {
    if (!lists_) thrum_test_skips("the global set-up skipped all tests");
  }

 private:
  static std::string name(const testing::TestInfo& test) {
    return std::string(test.test_suite_name()) + "." + test.name();
  }

  // An exception that GoogleTest has caught; only where the program's options say that it shall.
  static bool is_exception(const testing::TestPartResult& part) {
    std::string message = part.message();
    return part.file_name() == nullptr && (message.compare(0, 14, "C++ exception ") == 0 ||
                                           message.compare(0, 22, "Unknown C++ exception ") == 0);
  }

  bool lists_;
};

inline bool add_listener() {
  int asked = thrum_tests_asked();
  if (asked == THRUM_TESTS_NOTHING) return false;
  // Where an exception is not caught, it is known where it was thrown. The option is read when GoogleTest is
  // initialised, which may be before this or after it.
  setenv("GTEST_CATCH_EXCEPTIONS", "0", 0);
#ifdef GTEST_FLAG_SET
  if (std::string(getenv("GTEST_CATCH_EXCEPTIONS")) == "0") GTEST_FLAG_SET(catch_exceptions, false);
#else
  if (std::string(getenv("GTEST_CATCH_EXCEPTIONS")) == "0") testing::GTEST_FLAG(catch_exceptions) = false;
#endif
  testing::UnitTest::GetInstance()->listeners().Append(new Listener(asked));
  return true;
}

// Once in a program, however many of its files include this.
inline bool listener_is_there() {
  static const bool added = add_listener();
  return added;
}

namespace {
const bool thrum_listener_is_there __attribute__((unused)) = listener_is_there();
}

}  // namespace thrum_gtest

#endif
#endif
