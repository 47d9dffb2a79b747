// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiled program as a Program: each execution begins from the snapshot and runs under the scheduler.
#pragma once

#include "protocol/job.hpp"
#include "runtime/thread.hpp"
#include "search/program.hpp"
#include "support/digest.hpp"

namespace thrum {

class NativeProgram final : public Program {
 public:
  void run(const Plan& plan, Strategy* online, Recording recording, Trace& trace) override;
  ThreadNames& names() override;
};

// The program's first choice: takes the snapshot and begins the search. Returns at the beginning of each
// execution; in the meantime the search goes on, and at its end the process ends.
void begin_search();

// The program is loading a library that the last execution asked for. REQUIRES: no execution runs.
void load_library();

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

// A digest of the program's memory, without the stacks of its threads; never 0.
std::uint64_t program_memory_digest();

// The trace of the execution that runs.
Trace& current_trace();
// Whether its events are needed to its end, not only where there happen to be some.
bool needs_all_events();
// Events are written down from here on only where somebody wants them; where not, those so far are forgotten.
void record_as_wanted();

// Leaves the program's code for the engine, which comes back (waypoints.hpp). REQUIRES: an execution runs.
void switch_to_engine();

// These leave the program's code for the search, for good. REQUIRES: an execution runs.
[[noreturn]] void end_execution();
// It has done as many instrumented operations as it may.
[[noreturn, gnu::cold]] void cut_by_steps();
// It has as much memory as it may.
[[noreturn, gnu::cold]] void cut_by_memory();
// It starts one thread more than it may.
[[noreturn, gnu::cold]] void cut_by_threads();
// The time of the search has ended.
[[noreturn, gnu::cold]] void cut_by_time();
// It has done what the bound on yields allows.
[[noreturn, gnu::cold]] void cut_by_yields();
// Its threads go round in loops for ever, as far as is known, and that is no bug.
[[noreturn, gnu::cold]] void end_going_round();
// The same plan, after something was learned that changes how it runs; or with a larger thread pool.
[[noreturn, gnu::cold]] void start_anew();
[[noreturn, gnu::cold]] void need_more_threads();
// The search anew, with what loader() is to load; or after something was learned that changes all of it.
[[noreturn, gnu::cold]] void need_library();
[[noreturn, gnu::cold]] void restart_search();

// The program is about to do something that cannot be controlled: it is not done, and the execution is cut.
// Before the search has begun there is no other, and the process reports. kind and text: of the note in the
// result, which is inconclusive.
[[noreturn, gnu::cold]] void lose_control(const char* kind, const std::string& text);
// The same where what it does is a call of that name.
[[noreturn, gnu::cold]] void lose_control_by_call(const std::string& name);

// The test that was asked for is over; code: where. Other threads may live on, and do what they do before.
[[noreturn]] void end_test(std::uint64_t code);  // intercept_process.cpp

// The process under test ends, with this status; in an execution or, where there was no choice yet, the only
// one.
[[noreturn]] void exit_process(int status);

// From here on the execution goes on by the base policy alone, unseen by the search; and is searched again.
// REQUIRES: an execution runs.
void pass_over();
void explore_again();

// A test framework has announced all tests of a process that is to list them: its work is done.
[[noreturn, gnu::cold]] void end_of_list();

// Before the first choice: ends the process with a report of one execution. failure: nullptr where there was
// none; end: how it ended then.
[[noreturn, gnu::cold]] void report_without_search(const Failure* failure, End end = End::finished);

}  // namespace thrum
