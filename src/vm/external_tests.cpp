// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that thrum::check() and listeners of test frameworks call
// (include/thrum/detail/thrum_tests.h).
#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "vm/library.hpp"

namespace thrum::vm {

const std::string& Tests::add_call(const std::string& name, std::uint32_t before) {
  calls.resize(std::min<std::size_t>(before, calls.size()));
  std::string unique = name;
  const auto is_taken = [&](const Test& other) { return other.name == unique; };
  for (int number = 2; std::any_of(calls.begin(), calls.end(), is_taken); ++number)
    unique = name + " (" + std::to_string(number) + ")";
  calls.push_back({std::move(unique), std::exchange(options, {})});
  return calls.back().name;
}

namespace {

enum Asked : int { kList = 1, kOneTest };
enum FailureKind : int { kExpectation, kException };

// What is wrong with a call of thrum::check(), in one line; empty: nothing.
std::string problem_of_call(const Call& call, const std::string& name) {
  const std::string test = "the test '" + name + "' ";
  if (Machine::course().in_test) {
    return test + "begins within the test '" + call.machine.settings.test +
           "'; a test cannot hold another one";
  }
  if (call.thread.slot != 0) return test + "begins in another thread than main's; call thrum::check there";
  if (name.empty()) return "thrum::check: the name of a test is empty; give it one, or leave it out";
  return {};
}

void begin_test(Call& call) {
  call.machine.tests.has_begun = true;
  call.machine.change_course().in_test = true;
}

Next add_option(Call& call, const std::string& value) {
  const auto name = string_at(call, call.argument(0));
  if (!name) return Next::over;
  call.machine.tests.options.push_back(*name + value);
  return Next::done;
}

}  // namespace

void Machine::pass_over() {
  change_course().passes_over = true;
  if (in_execution) director.pause();
}

void Machine::begin_part() {
  change_course().passes_over = false;
  if (!in_execution) return;
  leaks.ignore_so_far();
  director.resume();
}

Next do_tests_asked(Call& call) {
  call.machine.tests.is_present = true;
  return call.result_int(call.machine.settings.test.empty() ? kList : kOneTest);
}

Next do_tests_wanted(Call& call) {
  constexpr std::uint32_t kNumber = (1 << 14) - 2;
  return call.result(constant_text(call, Text::system, kNumber, call.machine.settings.test));
}

Next do_tests_add(Call& call) {
  const auto name = string_at(call, call.argument(0));
  if (!name) return Next::over;
  call.machine.tests.announced.push_back({*name, {}});
  return Next::done;
}

Next do_tests_listed(Call& call) {
  call.machine.tests.is_listed = true;
  call.machine.finish(End::finished);
  return Next::over;
}

Next do_test_begins(Call& call) {
  begin_test(call);
  return Next::done;
}

Next do_test_fails(Call& call) {
  const auto message = string_at(call, call.argument(1));
  if (!message) return Next::over;
  Failure failure;
  failure.kind = call.int_argument(0) == kException ? BugKind::uncaught_exception : BugKind::test_failure;
  failure.message = message->empty() ? "the test failed" : *message;
  failure.thread = call.thread.id;
  failure.code = call.machine.code_of(call.thread);
  const int line = call.int_argument(3);
  if (call.argument(2) != 0 && line > 0) {
    const auto file = string_at(call, call.argument(2));
    if (!file) return Next::over;
    failure.file = *file;
    failure.line = static_cast<std::uint32_t>(line);
  }
  call.machine.fail(std::move(failure));
  return Next::over;
}

Next do_test_ends(Call& call) { return call.machine.leave_process(call.thread, 0, Exit::in_order); }

Next do_test_skips(Call& call) {
  if (call.phase() == 0) {
    const auto reason = string_at(call, call.argument(0));
    if (!reason) return Next::over;
    Tests& tests = call.machine.tests;
    tests.has_begun = true;
    if (tests.skipped++ == 0) tests.skip_reason = *reason;
  }
  return do_test_ends(call);
}

Next do_part_wanted(Call& call) {
  call.machine.tests.has_parts = true;
  return call.result(call.machine.settings.part);
}
Next do_part_passes_over(Call& call) {
  call.machine.pass_over();
  return Next::done;
}
Next do_part_begins(Call& call) {
  call.machine.begin_part();
  return Next::done;
}
Next do_part_named(Call& call) {
  const auto name = string_at(call, call.argument(0));
  if (!name) return Next::over;
  // Executions that fail may end before the inner sections.
  std::string& known = call.machine.tests.part_name;
  if (name->size() > known.size()) known = *name;
  return Next::done;
}
Next do_part_ends(Call& call) {
  Tests& tests = call.machine.tests;
  (call.int_argument(0) != 0 ? tests.saw_more : tests.saw_end) = true;
  return do_test_ends(call);
}
Next do_part_missing(Call& call) {
  call.machine.tests.part_is_missing = true;
  return do_test_ends(call);
}

Next do_check_word(Call& call) {
  const auto value = string_at(call, call.argument(1));
  return value ? add_option(call, "=" + *value) : Next::over;
}
Next do_check_number(Call& call) {
  return add_option(call, "=" + std::to_string(static_cast<std::int64_t>(call.argument(1))));
}
Next do_check_seconds(Call& call) {
  const std::uint64_t bits = call.argument(1);
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  char digits[32];
  char* const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  return add_option(call, "=" + std::string(digits, static_cast<std::size_t>(end - digits)));
}
Next do_check_flag(Call& call) { return add_option(call, ""); }

Next do_check_begins(Call& call) {
  const auto name = string_at(call, call.argument(0));
  if (!name) return Next::over;
  if (std::string problem = problem_of_call(call, *name); !problem.empty())
    return refuse(call, "this program: " + std::move(problem));
  Machine& machine = call.machine;
  const std::string& test = machine.tests.add_call(*name, machine.change_course().tests_called++);
  if (machine.settings.test.empty() || test != machine.settings.test) return call.result_int(0);
  begin_test(call);
  return call.result_int(1);
}

}  // namespace thrum::vm
