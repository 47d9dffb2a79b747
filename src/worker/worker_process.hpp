// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process in which a worker searches, whatever engine runs the program: what the search asks of it to
// share itself with other workers (shared_search.hpp), and to be saved (search_state.hpp).
//
// Each engine has one such object in a process. It must outlive every search, also in a copy of the process.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "execution/program.hpp"
#include "protocol/channel.hpp"
#include "protocol/job.hpp"
#include "support/bytes.hpp"

namespace thrum {

class WorkerProcess {
 public:
  virtual ~WorkerProcess() = default;

  virtual Program& program() = 0;
  virtual ThreadNames& names() = 0;
  virtual const Job& job() = 0;
  virtual double seconds() = 0;  // since some fixed moment

  // ---- What is shared with the supervisor (protocol/channel.hpp) ----

  virtual Board& board() = 0;
  // This worker's own.
  virtual Channel& channel() = 0;
  virtual void enter_channel(std::uint32_t slot) = 0;
  // Another worker's can be read, or written too, up to close_channel().
  enum class OpenedFor : std::uint8_t { reading, writing };
  virtual Channel& open_channel(std::uint32_t slot, OpenedFor use) = 0;
  virtual void close_channel(Channel& channel) = 0;
  virtual pid_t supervisor() = 0;

  // ---- Copies of this process ----

  // Whether a copy could go on.
  virtual bool can_be_copied() { return true; }
  // Called before the first part of the search is given away. Not empty: why one worker has to search alone.
  virtual std::string problem_of_sharing() { return {}; }
  // This process is a new copy. False: it cannot be one, and ends.
  virtual bool begin_as_copy() = 0;
  // A copy that may replace this process is about to be made.
  virtual void note_copy() {}
  // Goes on with body() on another, fresh stack; nothing returns to the present one.
  [[noreturn]] virtual void run_on_new_stack(void (*body)()) = 0;

  // ---- What is known of the search, in this process ----

  // The search has to begin again: something was learned that changes what executions are.
  virtual bool restarts() = 0;
  virtual void restart() = 0;
  // Why one worker has to search alone; empty: several may.
  virtual std::string alone() = 0;
  virtual void stay_alone(const std::string& why) = 0;
  // Whether other workers search too, or did.
  virtual bool shares() = 0;
  virtual void set_shares(bool shares) = 0;
  // How much memory is known to be shared by the program's threads, where what is done there is recorded.
  virtual std::size_t shared_cells() { return 0; }

  // ---- What is learned of the program besides results ----

  virtual void add_notes(ReportSoFar& report) = 0;
  // The races that are explored.
  virtual std::vector<KnownRace> known_races() { return {}; }
  // From now on the first so many of them.
  virtual void use_races(std::size_t) {}
  // Called while executions of a search that is resumed are repeated: what they show is known.
  virtual void watch_warnings(bool) {}
  // What executions have loaded, as the first of all that is read.
  virtual void write_loaded(ByteWriter&) {}
  virtual void read_loaded(ByteReader&) {}
  virtual void write_learned(ByteWriter& out) = 0;
  // Of another process: replaces what is known here. same_layout: objects have the same addresses there.
  virtual void read_learned(ByteReader& in, bool same_layout, const ReportSoFar& report) = 0;
  // This process begins a part of another's search: what it has learned so far is known there.
  virtual void begin_part() = 0;
  // Adds what a worker has learned in its part.
  virtual void merge_learned(ByteReader& in, const ReportSoFar& report) = 0;

  // ---- For a search that is saved ----

  // What must be the same for the search to go on.
  virtual void write_identity(ByteWriter& out) = 0;
  // The name of a part of the program that is another one than it was; empty: none.
  virtual std::string changed_part(ByteReader& in) = 0;
  // A digest of the addresses by which objects are told apart.
  virtual std::uint64_t layout() = 0;
};

// While it exists, the search works for long between executions, so that no steps are counted. The supervisor
// must not take this for a hang.
class PassingState {
 public:
  explicit PassingState(Channel& channel) : channel_(channel) { channel_.state_passes.store(1); }
  ~PassingState() { channel_.state_passes.store(0); }
  PassingState(const PassingState&) = delete;
  PassingState& operator=(const PassingState&) = delete;

 private:
  Channel& channel_;
};

}  // namespace thrum
