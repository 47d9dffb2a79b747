// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiled program as a Program: each execution begins from the snapshot and runs under the scheduler.
#pragma once

#include "execution/program.hpp"
#include "protocol/job.hpp"
#include "runtime/base/engine.hpp"
#include "support/digest.hpp"

namespace thrum {

class NativeProgram final : public Program {
 public:
  void run(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) override;
  ThreadNames& names() override;
};

// The state to which each execution is put back is the present one from now on. REQUIRES: no execution runs.
void take_snapshot();

// Where the engine's next stack ends, upwards. There are two, used in turns.
char* new_engine_stack();

// The program is loading a library that the last execution asked for. REQUIRES: no execution runs.
void load_library();

// A library's constructors may run, that an execution has asked for.
bool is_loading();

// Of the events of all executions so far, where the job asks for it.
Digest& trace_digest();

// Goes on with body() on another stack than the engine's, which is as new. REQUIRES: no execution runs.
[[noreturn]] void run_on_new_stack(void (*body)());

// Adds to a report what is known of the search besides its result: modules, notes, tests.
void describe_search(Report& report);

// The process ends with this report.
[[noreturn]] void send_report(Report& report);

// Of the clock by which searches are timed.
double search_seconds();

// The test that was asked for is over; code: where. Other threads may live on, and do what they do before.
[[noreturn]] void end_test(std::uint64_t code);  // intercept_process.cpp

// From here on the execution goes on by the base policy alone, unseen by the search; and is searched again.
// REQUIRES: an execution runs.
void pass_over();
void explore_again();

// A test framework has announced all tests of a process that is to list them: its work is done.
[[noreturn, gnu::cold]] void end_of_list();

}  // namespace thrum
