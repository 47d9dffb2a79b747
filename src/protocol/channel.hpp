// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory that a worker shares with its supervisor: the job, how far the worker is, the plan that it runs
// just now (so that a worker that dies leaves the schedule that killed it), and its report.
//
// The supervisor makes it as a file in memory of kChannelSize bytes, and hands the descriptor's number to the
// worker in the environment variable kChannelVariable. Fields marked (worker) are written by the worker only,
// the others by the supervisor only.
#pragma once

#include <atomic>
#include <cstdint>

#include "model/plan.hpp"

namespace thrum {

inline constexpr char kChannelVariable[] = "THRUM_CHANNEL";

struct Channel {
  static constexpr std::uint64_t kMagic = 0x314d555248540a02;
  static constexpr std::uint32_t kDeparturesMax = 1 << 16;
  static constexpr std::uint32_t kThreadsMax = 1 << 16;
  static constexpr std::uint32_t kCountsMax = 1 << 12;
  static constexpr std::uint32_t kJobMax = 1 << 22;

  enum class Phase : std::uint32_t {
    starting,  // before main
    preamble,  // main runs, no choice yet
    searching,
    reported,  // the report is complete
  };

  // A Policy, but for its counts.
  struct RunningPolicy {
    Policy::Kind kind;
    Base base;
    Fairness fairness;
    std::uint32_t depth;
    std::uint64_t seed;
    std::uint64_t steps;
    std::uint64_t object;
  };

  // A Progress: what is not known is marked so.
  struct PassedProgress {
    static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
    std::uint64_t waiting;
    std::uint64_t level;
    std::uint64_t classes;
    double done;  // less than 0: not known
  };

  // A search that was put down, in the file: bytes of search_state.hpp in the runtime.
  struct PassedState {
    std::uint64_t offset;
    std::uint64_t size;    // 0: it could not be written
    std::uint64_t digest;  // StreamDigest
    std::int64_t error;    // size 0: why, an error number
    std::uint64_t executions;
    double seconds;  // that it took
  };

  struct NamedThread {
    ThreadId parent;
    std::uint32_t ordinal;
  };

  std::uint64_t magic;
  std::uint32_t job_size;
  std::atomic<std::uint32_t> stop;   // not 0: end the search as out of time
  std::atomic<std::uint32_t> asked;  // how often the supervisor has asked for progress
  std::int32_t state_file;  // a descriptor that the worker inherits; 0: the search is not to be put down
  std::uint64_t state_to_take_up;  // so many bytes at the beginning of the file; 0: none
  // How often the supervisor has asked for a state. It asks again when it is done with the last one.
  std::atomic<std::uint32_t> state_asked;

  std::atomic<Phase> phase;                 // (worker) and what follows
  std::atomic<std::uint32_t> thread_count;  // entries of threads: id i + 1 is child `ordinal` of `parent`
  // Instrumented operations so far are steps less steps_left, which stands still while the program hangs.
  std::atomic<std::uint64_t> steps;
  std::atomic<std::uint64_t> steps_left;
  std::atomic<std::uint64_t> executions;
  std::atomic<std::uint64_t> report_size;     // set last
  std::atomic<std::uint32_t> answered;        // the last of `asked` that progress answers
  PassedProgress progress;                    // not written while the two are the same
  std::atomic<std::uint32_t> state_answered;  // the last of `state_asked` that `state` answers
  PassedState state;                          // not written while the two are the same
  // A further one, behind it in the file, from a search that a limit has ended.
  PassedState last_state;
  std::atomic<std::uint32_t> has_last_state;
  std::atomic<std::uint32_t> state_passes;  // one is being written or read: steps stand still for that
  RunningPolicy policy;                     // the plan that runs
  std::uint32_t count_count;
  std::uint32_t departure_count;
  ThreadCount counts[kCountsMax];
  Departure departures[kDeparturesMax];
  NamedThread threads[kThreadsMax];

  char job[kJobMax];
  char report[];  // up to the end of the file
};

inline constexpr std::uint64_t kChannelSize = std::uint64_t{1} << 34;  // a file with holes

// The signal by which the supervisor tells a worker whose steps stand still to end the execution as a hang.
int hang_signal();

}  // namespace thrum
