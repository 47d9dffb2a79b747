// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What listeners of test frameworks call: include/thrum/wrapped/thrum_tests.h.
#include "runtime/test_framework.hpp"

#include <cstring>

#include "runtime/intercept.hpp"
#include "runtime/known_ends.hpp"
#include "runtime/native_program.hpp"

using namespace thrum;

namespace thrum {

constinit Forever<TestFramework> the_test_framework;

bool TestFramework::has_begun() const { return begun_ || world.job->test.empty(); }

void TestFramework::name_part(const char* name) {
  // Executions that fail may not come to the inner sections.
  if (std::strlen(name) > part_name_.size()) part_name_ = name;
}

void TestFramework::end_part(bool more) { (more ? saw_more_ : saw_end_) = true; }

void TestFramework::skip(const char* reason) {
  known_ends().give_up();
  if (world.repeats) return;
  if (skipped_++ == 0) skip_reason_ = reason;
}

void TestFramework::save(ByteWriter& out) const {
  for (bool flag : {begun_, has_parts_, saw_end_, saw_more_}) out.put(flag);
  out.put_string(part_name_);
  out.put(skipped_);
  out.put_string(skip_reason_);
}

void TestFramework::load(ByteReader& in) {
  for (bool* flag : {&begun_, &has_parts_, &saw_end_, &saw_more_}) *flag = in.get<bool>();
  part_name_ = in.get_string();
  skipped_ = in.get<std::uint64_t>();
  skip_reason_ = in.get_string();
}

void TestFramework::merge(ByteReader& in) {
  TestFramework part;
  part.load(in);
  begun_ |= part.begun_;
  has_parts_ |= part.has_parts_;
  saw_end_ |= part.saw_end_;
  saw_more_ |= part.saw_more_;
  if (part_name_.empty()) part_name_ = part.part_name_;
  if (skipped_ == 0) skip_reason_ = part.skip_reason_;
  skipped_ += part.skipped_;
}

void TestFramework::add_to(Report& report) const {
  if (listed_ && !world.job->replay) report.tests = names_;
  report.part_name = part_name_;
  report.part_missing = part_missing_;
  report.may_have_more = has_parts_ && (saw_more_ || !saw_end_);
  report.executions_skipped = skipped_;
  report.skip_reason = skip_reason_;
}

}  // namespace thrum

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
