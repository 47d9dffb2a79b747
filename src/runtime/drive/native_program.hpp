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
  Wanted::Set can_record() const override {
    return Program::can_record() | Wanted::kFootprints | Wanted::kAccesses;
  }
};

// From now on each execution begins from the present state. REQUIRES: no execution runs.
void take_snapshot();

// The upper end of the engine's next stack. There are two, used in turns.
char* new_engine_stack();

// Loads the library that the last execution asked for. REQUIRES: no execution runs.
void load_library();

// Whether a library that an execution asked for is being loaded, and its constructors may run.
bool is_loading();

// Digest of the events of all executions so far, if the job asks for it.
Digest& trace_digest();

// Goes on with body() on another, fresh stack of the engine. REQUIRES: no execution runs.
[[noreturn]] void run_on_new_stack(void (*body)());

// Adds to a report what is known of the search besides its result: modules, notes, tests.
void describe_search(Report& report);

// The process sends this report and ends.
[[noreturn]] void send_report(Report& report);

// The time on the clock that measures searches.
double search_seconds();

// The requested test has ended, at `code`. Other threads may be alive; they may go on until the process ends.
[[noreturn]] void end_test(std::uint64_t code);  // intercept_process.cpp

// From here on the execution follows the base policy, and the search sees no choices. explore_again() ends
// that. REQUIRES: an execution runs.
void pass_over();
void explore_again();

// A test framework has announced all tests of a process that had to list them: it is done.
[[noreturn, gnu::cold]] void end_of_list();

}  // namespace thrum
