// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that listeners of test frameworks and thrum::check() call:
// include/thrum/detail/thrum_tests.h.
#include <charconv>
#include <string>

#include "runtime/base/notes.hpp"
#include "runtime/drive/native_program.hpp"
#include "runtime/intercept/intercept.hpp"
#include "runtime/threads/test_framework.hpp"

using namespace thrum;

namespace {

// See thrum_tests.h.
enum Asked : int { kNothing, kList, kOneTest };
enum FailureKind : int { kExpectation, kException };

void begin_test() {
  test_framework().begin();
  scheduler().current().in_test = true;
}

// What is wrong with a call of thrum::check(), in one line; empty: nothing.
std::string problem_of_call(const std::string& name) {
  const std::string test = "the test '" + name + "' ";
  const Thread& me = scheduler().current();
  const Thread& main = me.slot == 0 ? me : scheduler().thread_in_slot(0);
  if (main.in_test)
    return test + "begins within the test '" + world.job->test + "'; a test cannot hold another one";
  if (me.slot != 0) return test + "begins in another thread than main's; call thrum::check there";
  if (name.empty()) return "thrum::check: the name of a test is empty; give it one, or leave it out";
  return {};
}

}  // namespace

THRUM_EXPORT int thrum_tests_asked() {
  if (!searching()) return kNothing;
  test_framework().note_presence();
  return world.job->test.empty() ? kList : kOneTest;
}

THRUM_EXPORT const char* thrum_tests_wanted() { return world.job->test.c_str(); }

THRUM_EXPORT void thrum_tests_add(const char* name) { test_framework().add_test(name); }

THRUM_EXPORT void thrum_tests_listed() {
  test_framework().complete_list();
  end_of_list();
}

THRUM_EXPORT void thrum_test_begins() { begin_test(); }

THRUM_EXPORT void thrum_test_fails(int kind, const char* message, const char* file, int line) {
  Failure failure;
  failure.kind = kind == kException ? BugKind::uncaught_exception : BugKind::test_failure;
  failure.message = *message ? message : "the test failed";
  failure.thread = scheduler().current().id;
  if (file && line > 0) {
    failure.file = file;
    failure.line = static_cast<std::uint32_t>(line);
  }
  fail(std::move(failure));
}

THRUM_EXPORT void thrum_test_skips(const char* reason) {
  test_framework().begin();
  test_framework().skip(reason);
  end_test(THRUM_CALLER);
}

THRUM_EXPORT void thrum_test_ends() { end_test(THRUM_CALLER); }

THRUM_EXPORT void thrum_check_word(const char* name, const char* value) {
  test_framework().add_option(std::string(name) + "=" + value);
}

THRUM_EXPORT void thrum_check_number(const char* name, long long value) {
  test_framework().add_option(std::string(name) + "=" + std::to_string(value));
}

THRUM_EXPORT void thrum_check_seconds(const char* name, double value) {
  char digits[32];
  char* end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  test_framework().add_option(std::string(name) + "=" +
                              std::string(digits, static_cast<std::size_t>(end - digits)));
}

THRUM_EXPORT void thrum_check_flag(const char* name) { test_framework().add_option(name); }

THRUM_EXPORT int thrum_check_begins(const char* name) {
  if (std::string problem = problem_of_call(name); !problem.empty()) lose_control(kWrongUse, problem);
  const std::string& test = test_framework().add_call(name, scheduler().current().tests++);
  if (world.job->test.empty() || test != world.job->test) return 0;
  begin_test();
  return 1;
}

THRUM_EXPORT unsigned thrum_part_wanted() {
  test_framework().note_parts();
  return world.job->part;
}

THRUM_EXPORT void thrum_part_passes_over() {
  test_framework().pass_over();
  if (world.running) pass_over();
}

THRUM_EXPORT void thrum_part_begins() {
  test_framework().begin_part();
  if (world.running) explore_again();
}

THRUM_EXPORT void thrum_part_named(const char* name) { test_framework().name_part(name); }

THRUM_EXPORT void thrum_part_ends(int more) {
  test_framework().end_part(more != 0);
  end_test(THRUM_CALLER);
}

THRUM_EXPORT void thrum_part_missing() {
  test_framework().miss_part();
  end_test(THRUM_CALLER);
}
