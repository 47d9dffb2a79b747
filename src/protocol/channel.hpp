// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory that the workers of a search share with their supervisor, a file in memory. A board for all
// workers comes first. Then each worker has a channel: how far the worker is; the plan that it runs (so that
// a worker that dies leaves the schedule that killed it); and what it hands in at its end. A ledger of what
// was seen follows (ledger.hpp), for all workers.
//
// The supervisor creates the file, and passes its descriptor's number to the first worker in the environment
// variable kChannelVariable. The first worker has channel 0. The others are copies of workers, made when the
// supervisor asks a worker to split its search: the worker copies its process, and the copy searches a part,
// with a channel of its own, until it hands in its results. Then it may stay for further parts, which are
// left in its channel. A worker has access to the board, the ledger and its own channel. It has access to
// another worker's channel only while it reads what was handed in, or leaves a part.
//
// Fields marked (worker) are written by workers only, all others by the supervisor only.
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

// An execution that has killed its worker; from now on it ends at that step.
struct FatalPlan {
  std::uint64_t plan;   // Digest of write_plan()'s bytes
  std::uint64_t steps;  // instrumented operations up to that step
  BugKind kind;
  char message[116];
};

struct Board {
  static constexpr std::uint64_t kMagic = 0x314d555248540a06;
  static constexpr std::uint32_t kJobMax = 1 << 22;

  std::uint64_t magic;
  std::uint32_t job_size;
  std::atomic<std::uint32_t> stop;  // not 0: end the search as out of time
  std::int32_t state_file;          // a descriptor that the worker inherits; 0: the search is not saved
  std::uint64_t state_to_take_up;   // size of the saved state at the beginning of the file; 0: none

  // The schedules of a suite, one a line (Job::suite), in a file whose descriptor the worker inherits; 0:
  // none.
  std::int32_t suite_file;
  std::uint64_t suite_size;  // of what is to be replayed
  // (worker) What it has recorded, one whole line after the other from the file's beginning.
  std::atomic<std::uint64_t> suite_recorded;  // bytes
  std::atomic<std::int32_t> suite_error;      // an error number: the file could not be written

  // How often a copy has replaced the other workers; workers from before must end.
  std::atomic<std::uint32_t> revived;

  static constexpr std::uint32_t kFatalMax = 64;
  std::atomic<std::uint32_t> fatal_count;
  FatalPlan fatal[kFatalMax];

  // (worker) Not 0: workers must hand in their parts of the search as they are.
  std::atomic<std::uint32_t> calls_back;
  // (worker) Not 0: something was found that ends the search now or later; the value is its cost plus one.
  // Searches in order of cost go on with plans of lower cost.
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
    reported,  // the report, or what is handed in, is complete
  };

  // A Policy without its counts.
  static constexpr std::uint32_t kParametersMax = 8;
  struct RunningPolicy {
    Policy::Kind kind;
    Base base;
    Fairness fairness;
    Waiting waiting;
    Rounds rounds;
    std::uint32_t parameter_count;
    std::uint64_t seed;
    std::uint64_t parameters[kParametersMax];
  };

  // The last Progress that was passed on, with marks for unknown values. It may be read while it is written:
  // the numbers are only shown to people.
  struct PassedProgress {
    static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
    std::atomic<std::uint64_t> waiting;
    std::atomic<std::uint64_t> level;
    std::atomic<std::uint64_t> classes;
    std::atomic<std::uint64_t> open;
    std::atomic<std::uint64_t> questions;
    std::atomic<std::uint64_t> states;
    std::atomic<std::uint64_t> depth;
    std::atomic<std::uint64_t> bytes;
    std::atomic<double> done;  // less than 0: not known
    std::atomic<double> share;
  };

  // A saved search, in the file: bytes as in worker/search_state.hpp.
  struct PassedState {
    std::uint64_t offset;
    std::uint64_t size;    // 0: it could not be written
    std::uint64_t digest;  // StreamDigest
    std::int64_t error;    // if size is 0: the error number
    std::uint64_t executions;
    double seconds;  // that the search took
  };

  // The requests to a worker, answered between two executions or while it waits.
  enum class Request : std::uint32_t {
    split,  // copy your process; the copy searches a part, in channel `slot`
    give,   // leave a part of the search in channel `slot`, whose worker (of `search`) waits for one; or
            // do as for split, if the part is large or this is another search by now
    merge,  // merge what was handed in there
    copy,   // copy your process; the copy replaces you if you die
  };

  // For a worker that is led from outside (remote_program.hpp): which side has to act; a futex. The message
  // lies at the place of the report, of which the supervisor maps no more.
  static constexpr std::uint64_t kMessageMax = std::uint64_t{1} << 20;
  // `answering`: the leader, which writes. Before, the worker may take the turn from it, and end.
  enum class Turn : std::uint32_t { nobody, leader, answering, worker };

  // A question of a worker, which waits for the answer: what is live at a call (disassembly/liveness.hpp).
  struct Liveness {
    std::atomic<std::uint32_t> asked;     // (worker) how often
    std::atomic<std::uint32_t> answered;  // a futex
    std::uint64_t return_address;         // (worker) as the module's file counts addresses
    char module[4096];                    // (worker) its path, absolute
    std::uint8_t registers;               // one bit for each that is in CallerState
    std::uint64_t words;                  // one bit for each of the first words of the caller's frame
  };

  std::atomic<std::uint32_t> asked;  // how often the supervisor has asked for progress
  // How often the supervisor has asked for a state. It asks again only when it is done with the last one.
  std::atomic<std::uint32_t> state_asked;
  Request request;
  std::uint32_t slot;
  std::uint32_t search;
  std::atomic<std::uint32_t> requests;  // their number; a futex. Each is answered before the next
  std::atomic<std::uint32_t> wake;      // a futex; not 0: the copy replaces its original

  std::atomic<Turn> turn;  // (both)
  Liveness liveness;

  std::atomic<std::uint32_t> answers;  // (worker), as all below: the last of `requests` that was answered
  // The new process. kTaken: a part was left for the worker that waits. 0: none.
  std::int32_t copied;
  static constexpr std::int32_t kTaken = -1;
  // After handing in, the worker waits for another part of the search with this number; 0: it ends.
  std::atomic<std::uint32_t> stays;
  // (worker that gives a part, and worker that takes it) A futex; not 0: a part lies in the report.
  std::atomic<std::uint32_t> left;
  std::atomic<std::uint32_t> waits;  // the worker can go on only after a request
  std::atomic<std::uint32_t> in_execution;
  std::atomic<Phase> phase;
  // Instrumented operations so far: steps - steps_left. The latter does not change while the program hangs.
  std::atomic<std::uint64_t> steps;
  std::atomic<std::uint64_t> steps_left;
  std::atomic<std::uint64_t> steps_limit;  // of the running execution: initial value of steps_left
  std::atomic<std::uint64_t> executions;
  std::atomic<std::uint64_t> report_size;  // set last, except for `left`
  std::atomic<std::uint32_t> answered;     // the last of `asked` that progress answers
  std::atomic<std::uint32_t> has_progress;
  PassedProgress progress;
  std::atomic<std::uint32_t> state_answered;  // the last of `state_asked` that `state` answers
  PassedState state;                          // not written while state_asked equals state_answered
  // One more state, after it in the file: of a search that a limit has ended.
  PassedState last_state;
  std::atomic<std::uint32_t> has_last_state;
  std::atomic<std::uint32_t> state_passes;  // a state is being written or read; steps do not change meanwhile
  RunningPolicy policy;                     // the running plan, without its inputs
  std::uint32_t count_count;
  std::uint32_t departure_count;
  ThreadCount counts[kCountsMax];
  Departure departures[kDeparturesMax];
  char report[];  // up to the end of the channel
};

// The file has holes.
inline constexpr std::uint64_t kBoardSize = std::uint64_t{1} << 24;
inline constexpr std::uint64_t kChannelSize = std::uint64_t{1} << 32;
inline constexpr std::uint32_t kChannelsMax = 256;
inline constexpr std::uint64_t channel_offset(std::uint32_t slot) { return kBoardSize + slot * kChannelSize; }
inline constexpr std::uint64_t kLedgerOffset = channel_offset(kChannelsMax);
inline constexpr std::uint64_t kSharedSize = kLedgerOffset + kLedgerSize;

static_assert(sizeof(Board) <= kBoardSize && sizeof(Channel) + Channel::kMessageMax < kChannelSize);

// The signal by which a worker tells the supervisor to look at its channel.
int bell_signal();

// The signal by which the supervisor tells a worker to end the running execution: as a hang, since its steps
// do not change; or, if `stop` is set, because of the time limit.
int hang_signal();

}  // namespace thrum
