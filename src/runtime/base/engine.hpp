// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Leaving the program's code for the engine.
//
// The engine runs plans, on a stack of its own. It enters the program's code to run an execution. Control
// comes back when any layer leaves that code: the execution has ended, or it has to run again because
// something was learned, or it is to be kept as a waypoint. The engine does the work that follows
// (drive/native_program.cpp).
//
// A layer that needs something of a layer above it declares the function here, or in hooks.hpp of its own
// folder. The upper layer defines it. No layer includes one above it.
//
// Thread safety: one thread of the program runs at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/bug.hpp"
#include "model/place.hpp"
#include "model/plan.hpp"
#include "model/trace.hpp"
#include "runtime/base/fiber.hpp"
#include "runtime/base/thread.hpp"

namespace thrum {

// What the engine does next with the plan whose execution was left.
enum class Again : std::uint8_t { no, same, more_threads, library };

struct Engine {
  Context context;            // while the program's code runs
  std::uint64_t fs_base = 0;  // of the system thread that it runs on
  Trace* trace = nullptr;     // of the execution that runs
  Again again = Again::no;
  bool records_places = false;      // Wanted::kPlaces
  bool records_footprints = false;  // Wanted::kFootprints, without kAccesses
  bool records_values = false;      // Wanted::kAccesses
  const Plan* plan = nullptr;       // of the execution that runs
};
extern constinit Engine engine;

// The trace of the execution that runs.
inline Trace& current_trace() { return *engine.trace; }

// Leaves the program's code for the engine, which comes back (shortcuts/waypoints.hpp). REQUIRES: an
// execution runs.
void switch_to_engine();

// These leave the program's code for the engine, for good. REQUIRES: an execution runs.
[[noreturn]] void end_execution();
[[noreturn, gnu::cold]] void cut_execution(End end);
// Run the same plan again: after something was learned that changes how it runs, or with a larger thread
// pool.
[[noreturn, gnu::cold]] void start_anew();
[[noreturn, gnu::cold]] void need_more_threads();
// Begin the search again: with the library that the loader is to load, or after something was learned that
// changes every execution.
[[noreturn, gnu::cold]] void need_library();
[[noreturn, gnu::cold]] void restart_search();

// One worker alone must search, since several processes cannot do at once what an execution, or the set-up,
// has done. In an execution the call may not return. why: "its executions make files".
void stay_alone(const std::string& why);
// Whether other workers search too, or did. The search sets it.
extern bool shares_search;

// ---- Defined in threads/scheduler.cpp ----

// The thread whose code runs; main before the first choice.
Thread& running_thread();
// The threads that have not ended, by name.
std::span<Thread* const> live_threads();
// nullptr: no thread of this execution has used the slot.
const Thread* thread_in_slot(std::uint32_t slot);

// ---- Defined in threads/failure.cpp ----

// Ends the execution with that bug; before the first choice, the process.
[[noreturn, gnu::cold]] void fail(Failure failure);
// The same for the running thread, at the place in the program that called into the runtime.
[[noreturn, gnu::cold]] void fail_here(BugKind kind, const char* message);

// ---- Defined in threads/places.cpp ----

// Return addresses of the running stack from the program's own code on, innermost first; as far as it can be
// read.
std::vector<Place> running_stack();

// ---- Defined in drive/native_program.cpp ----

// Whether the events of the running execution are needed from its beginning to its end.
bool needs_all_events();
// From here on events are recorded only if somebody wants them. If nobody does, those recorded so far are
// dropped.
void record_as_wanted();

// The process under test ends with this status: in an execution, or before any choice, in which case there is
// one execution only.
[[noreturn]] void exit_process(int status);

// Before the first choice: ends the process with a report of one execution. failure: nullptr if there was
// none. end: how the execution ended if there was no failure.
[[noreturn, gnu::cold]] void report_without_search(const Failure* failure, End end = End::finished);
// The time limit was reached before the first choice.
[[noreturn, gnu::cold]] void report_without_first_choice();

}  // namespace thrum
