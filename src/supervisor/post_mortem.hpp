// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What to say of a worker that ended without a report.
#pragma once

#include <optional>
#include <string>

#include "supervisor/shared_memory.hpp"
#include "supervisor/worker_outcome.hpp"

namespace thrum {

// How the worker came to its end.
struct Death {
  enum class Cause { own, hang, waits, out_of_time };
  Cause cause = Cause::own;        // its own, or why the supervisor killed it
  std::uint32_t slot = 0;          // of the worker
  int status = 0;                  // as waitpid() gives it
  std::uint64_t executions = 0;    // of all workers until then
  std::uint64_t steps = 0;         // of all workers until then
  std::string call;                // waits: the system call
  double seconds = 0;              // since it was started
  std::uint32_t hang_seconds = 0;  // that it had for an instrumented operation
  std::string interpreted;         // the program whose bitcode the worker runs; empty: it runs itself
};

// What the program did, as far as its end tells; nothing where that is no failure of its own.
std::optional<Failure> failure_of(const Death& death, Channel::Phase phase);

// Fills in the report, or problem or internal, from what the memory and the program's last output say. What
// the report says of levels and notes stays.
void compose_report(const Death& death, SharedMemory& memory, ThreadNames& names, WorkerOutcome& outcome);

// Adds the bugs that were seen and are not in the report, because the worker did not finish its work on them.
void add_seen_bugs(std::vector<FoundBug> seen, Report& report);

}  // namespace thrum
