// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A schedule of a reduced test suite (--suite), and its form as one line of text:
//
//   finished 5c0e3d0b6b1f9a72 waiting=written 0.1@3=0.2 0.2@5=0.1:timeout 0.1@4!0.2 0@7#41 0.1?0:32=07000000
//
// These are, with a space between two of them: how its execution ended; the digest of its events; the parts
// of the policy that are not as usual (fairness=, waiting=, rounds=); the departures from the non-preemptive
// base, each with the thread and its events so far, and then =THREAD or =THREAD:VIA for who goes on, !THREAD
// for the waiter that is woken, #NUMBER for a value; and the inputs, each as THREAD?NUMBER:BITS=BYTES. Names
// of threads mean the same in every process, and so does a line.
//
// Tested by suite_schedule_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/plan.hpp"
#include "model/thread_names.hpp"
#include "model/trace.hpp"

namespace thrum {

struct SuiteSchedule {
  Plan plan;                 // departures from the non-preemptive base
  End end = End::finished;   // of the execution that was seen
  std::uint64_t events = 0;  // digest_of_events() of that

  friend bool operator==(const SuiteSchedule&, const SuiteSchedule&) = default;
};

// Without the line's end. REQUIRES: the plan has the non-preemptive base policy.
std::string to_line(const SuiteSchedule& schedule, const ThreadNames& names);

// Nothing if the line is not of that form.
std::optional<SuiteSchedule> schedule_of_line(std::string_view line, ThreadNames& names);

// A digest of which thread did which operation, in their order, and whether it succeeded. Objects and values
// do not count: their addresses differ from build to build. REQUIRES: all events were recorded.
std::uint64_t digest_of_events(const Trace& trace, const ThreadNames& names);

}  // namespace thrum
