// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory that the workers of a search share with their supervisor, a file in memory: a board for all of
// them, and behind it a channel for each, with how far the worker is, the plan that it runs just now (so that
// a worker that dies leaves the schedule that killed it), and what it hands in at its end. Behind the
// channels lies a ledger for all of them, with what was seen (ledger.hpp).
//
// The supervisor makes the file and hands the descriptor's number to the first worker in the environment
// variable kChannelVariable. The first worker has channel 0. Others are copies of workers, made when the
// supervisor asks for that: a worker that is asked to split its search copies its process, and the copy goes
// on with a part of the search in a channel of its own, until it hands in what it has found. Then it may stay
// there for further parts, which are left in its channel. A worker sees the board, the ledger and its own
// channel; another's, while it reads what was handed in there, or leaves a part.
//
// Fields marked (worker) are written by workers only, the others by the supervisor only.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "model/bug.hpp"
#include "model/plan.hpp"
#include "model/thread_names.hpp"
#include "protocol/ledger.hpp"

namespace thrum {

inline constexpr char kChannelVariable[] = "THRUM_CHANNEL";

// An execution that has killed its worker, and is to end at that place from now on.
struct FatalPlan {
  std::uint64_t plan;   // Digest of write_plan()'s bytes
  std::uint64_t steps;  // instrumented operations until then
  BugKind kind;
  char message[116];
};

struct Board {
  static constexpr std::uint64_t kMagic = 0x314d555248540a05;
  static constexpr std::uint32_t kJobMax = 1 << 22;

  std::uint64_t magic;
  std::uint32_t job_size;
  std::atomic<std::uint32_t> stop;  // not 0: end the search as out of time
  std::int32_t state_file;  // a descriptor that the worker inherits; 0: the search is not to be put down
  std::uint64_t state_to_take_up;  // so many bytes at the beginning of the file; 0: none

  // How often a copy has taken the place of others; who is left of those is to end.
  std::atomic<std::uint32_t> revived;

  static constexpr std::uint32_t kFatalMax = 64;
  std::atomic<std::uint32_t> fatal_count;
  FatalPlan fatal[kFatalMax];

  // (worker) Not 0: who runs a part of the search is to hand in what there is.
  std::atomic<std::uint32_t> calls_back;
  // (worker) Not 0: something was found that ends the search, or will: one more than what it costs. Searches
  // in order of cost go on with what costs less.
  std::atomic<std::uint32_t> found;
  SharedThreadIds threads;  // (worker)

  char job[kJobMax];
};

struct Channel {
  static constexpr std::uint32_t kDeparturesMax = 1 << 16;
  static constexpr std::uint32_t kCountsMax = 1 << 12;

  enum class Phase : std::uint32_t {
    starting,  // before main
    preamble,  // main runs, no choice yet
    searching,
    reported,  // the report is complete, or what is handed in
  };

  // A Policy, but for its counts.
  static constexpr std::uint32_t kParametersMax = 8;
  struct RunningPolicy {
    Policy::Kind kind;
    Base base;
    Fairness fairness;
    Waiting waiting;
    std::uint32_t parameter_count;
    std::uint64_t seed;
    std::uint64_t parameters[kParametersMax];
  };

  // A Progress, when it was last told: what is not known is marked so. It may be read while it is written;
  // nothing but a number that people see comes of it.
  struct PassedProgress {
    static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
    std::atomic<std::uint64_t> waiting;
    std::atomic<std::uint64_t> level;
    std::atomic<std::uint64_t> classes;
    std::atomic<double> done;  // less than 0: not known
    std::atomic<double> share;
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

  // What a worker is asked for, between two executions or while it waits.
  enum class Request : std::uint32_t {
    split,  // to copy itself, so that the copy runs a part of its search in channel `slot`
    give,   // to leave a part of its search in channel `slot`, whose worker, of `search`, waits for one; or
            // as split, where the part is large or the search another one by now
    merge,  // to take what was handed in there
    copy,   // to copy itself, so that the copy takes its place if it dies
  };

  // Of a worker that is led from outside (remote_program.hpp), who is to go on: a futex. The message is where
  // the report will be.
  enum class Turn : std::uint32_t { nobody, leader, worker };

  std::atomic<std::uint32_t> asked;  // how often the supervisor has asked for progress
  // How often the supervisor has asked for a state. It asks again when it is done with the last one.
  std::atomic<std::uint32_t> state_asked;
  Request request;
  std::uint32_t slot;
  std::uint32_t search;
  std::atomic<std::uint32_t> requests;  // so many; a futex. The next one comes when the last was answered
  std::atomic<std::uint32_t> wake;      // a futex: not 0 when a copy is to take the place of its original

  std::atomic<Turn> turn;  // (both)

  std::atomic<std::uint32_t> answers;  // (worker) and what follows: the last of `requests` that was answered
  // The new process; kTaken: a part was left for the worker that waits; 0: there is none.
  std::int32_t copied;
  static constexpr std::int32_t kTaken = -1;
  // Whether, when it has handed in, it waits for another part: the number of its search; 0: it ends.
  std::atomic<std::uint32_t> stays;
  // (worker that gives a part, and the one that takes it) A futex: not 0 when it is there, as a report.
  std::atomic<std::uint32_t> left;
  std::atomic<std::uint32_t> waits;  // it can go on only by a request
  std::atomic<std::uint32_t> in_execution;
  std::atomic<Phase> phase;
  // Instrumented operations so far are steps less steps_left, which stands still while the program hangs.
  std::atomic<std::uint64_t> steps;
  std::atomic<std::uint64_t> steps_left;
  std::atomic<std::uint64_t> steps_limit;  // of the execution that runs: from where steps_left counts down
  std::atomic<std::uint64_t> executions;
  std::atomic<std::uint64_t> report_size;  // set last, but for `left`
  std::atomic<std::uint32_t> answered;     // the last of `asked` that progress answers
  std::atomic<std::uint32_t> has_progress;
  PassedProgress progress;
  std::atomic<std::uint32_t> state_answered;  // the last of `state_asked` that `state` answers
  PassedState state;                          // not written while the two are the same
  // A further one, behind it in the file, from a search that a limit has ended.
  PassedState last_state;
  std::atomic<std::uint32_t> has_last_state;
  std::atomic<std::uint32_t> state_passes;  // one is being written or read: steps stand still for that
  RunningPolicy policy;                     // the plan that runs; its inputs are not told
  std::uint32_t count_count;
  std::uint32_t departure_count;
  ThreadCount counts[kCountsMax];
  Departure departures[kDeparturesMax];
  char report[];  // up to the end of the channel
};

// A file with holes.
inline constexpr std::uint64_t kBoardSize = std::uint64_t{1} << 24;
inline constexpr std::uint64_t kChannelSize = std::uint64_t{1} << 32;
inline constexpr std::uint32_t kChannelsMax = 256;
inline constexpr std::uint64_t channel_offset(std::uint32_t slot) { return kBoardSize + slot * kChannelSize; }
inline constexpr std::uint64_t kLedgerOffset = channel_offset(kChannelsMax);
inline constexpr std::uint64_t kSharedSize = kLedgerOffset + kLedgerSize;

static_assert(sizeof(Board) <= kBoardSize && sizeof(Channel) < kChannelSize);

// The signal by which a worker tells the supervisor to look at its channel.
int bell_signal();

// The signal by which the supervisor tells a worker to end the execution that runs: as a hang, since its
// steps stand still; or, where the board says stop, since the time has ended.
int hang_signal();

}  // namespace thrum
