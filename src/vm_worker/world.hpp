// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the worker shares with its supervisor (protocol/channel.hpp), and the supervisor's job.
//
// Thread safety: none; one object in a process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "model/thread_names.hpp"
#include "protocol/channel.hpp"
#include "protocol/job.hpp"

namespace thrum {

class VmWorld {
 public:
  // By the environment. Nothing where there is no supervisor.
  static std::optional<VmWorld> enter(ThreadNames& names);

  Board& board() const { return *board_; }
  Channel& channel() const { return *channel_; }
  Ledger& ledger() const { return *ledger_; }
  const Job& job() const { return job_; }
  pid_t supervisor() const { return supervisor_; }
  Channel& channel_of(std::uint32_t slot) const {
    return *reinterpret_cast<Channel*>(reinterpret_cast<char*>(board_) + channel_offset(slot));
  }
  // That channel is this worker's from now on.
  void enter_channel(std::uint32_t slot) { channel_ = &channel_of(slot); }
  bool is_to_stop() const { return board_->stop.load(std::memory_order_relaxed) != 0; }

 private:
  Board* board_ = nullptr;
  Channel* channel_ = nullptr;
  Ledger* ledger_ = nullptr;
  Job job_;
  pid_t supervisor_ = 0;
};

}  // namespace thrum
