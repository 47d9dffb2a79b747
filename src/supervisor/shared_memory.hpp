// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The supervisor's side of what it shares with workers: it makes the memory, puts the job in, and takes out
// what workers left.
// Whatever the worker left may be garbage. Thread safety: none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "protocol/channel.hpp"
#include "protocol/job.hpp"

namespace thrum {

class SharedMemory {
 public:
  // problem() is not empty where the memory cannot be had or the job does not fit.
  SharedMemory(const Job& job, const ThreadNames& names);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  const std::string& problem() const { return problem_; }
  int descriptor() const { return descriptor_; }
  Board& board() { return *board_; }
  // REQUIRES: slot < kChannelsMax. Throws std::bad_alloc where it cannot be mapped.
  Channel& channel(std::uint32_t slot);
  // It is all zeros again, and its memory given back.
  void clear(std::uint32_t slot);

  // The first worker's report; nothing where it is not there or damaged.
  std::optional<Report> report(ThreadNames& names);

  // What workers have written into the ledger until now: each bug, as well as it is known; and the last level
  // that was completed, as a report.
  struct Seen {
    std::vector<FoundBug> bugs;
    std::optional<Report> level;
  };
  void add_seen(Seen& seen, ThreadNames& names);

  // The plan that the worker was running when it was last heard of.
  Plan running_plan(std::uint32_t slot, ThreadNames& names);

 private:
  int descriptor_ = -1;
  Board* board_ = nullptr;
  Ledger* ledger_ = nullptr;
  std::vector<Channel*> channels_;  // by slot; nullptr: not mapped yet
  std::string problem_;
};

}  // namespace thrum
