// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What listeners of test frameworks call: include/thrum/wrapped/thrum_tests.h.
#include "runtime/drive/native_program.hpp"
#include "runtime/intercept/intercept.hpp"
#include "runtime/threads/test_framework.hpp"

using namespace thrum;

namespace {

// As in thrum_tests.h.
enum Asked : int { kNothing, kList, kOneTest };
enum FailureKind : int { kExpectation, kException };

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

THRUM_EXPORT void thrum_test_begins() { test_framework().begin(); }

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
