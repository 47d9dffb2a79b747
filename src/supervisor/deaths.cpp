// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "supervisor/deaths.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "support/digest.hpp"

namespace thrum {

namespace {

// In a row. The runtime answers a program that sends itself SIGKILL, so there is somebody else who sends it,
// or the kernel, which is out of memory. Somebody who kills at random may well meet the same long execution
// again.
constexpr int kKillsMax = 100;
constexpr int kOthersMax = 2;

// What stands for where a worker that was searching is.
std::string point_of(SharedMemory& memory, std::uint32_t slot) {
  const Channel& channel = memory.channel(slot);
  ByteWriter point;
  if (channel.in_execution != 0) {
    ThreadNames names;
    write_plan(point, memory.running_plan(slot, names), names);
  } else {
    point.put(slot);
    point.put(channel.executions.load());
  }
  return point.take();
}

}  // namespace

bool Deaths::try_again(SharedMemory& memory, std::uint32_t slot, int status) {
  if (!WIFSIGNALED(status)) return false;
  const bool killed = WTERMSIG(status) == SIGKILL;
  // The set-up of a program may do what is not to be done twice.
  if (!killed && memory.channel(slot).phase != Channel::Phase::searching) return false;
  const std::string point = point_of(memory, slot);
  if (killed && std::exchange(killed_at_[slot], point) != point) times_[point] = 0;
  if (++times_[point] >= (killed ? kKillsMax : kOthersMax)) return false;
  ++count_;
  return true;
}

bool Deaths::make_known(SharedMemory& memory, const Death& death) {
  const Channel& channel = memory.channel(death.slot);
  const bool in_execution = channel.phase == Channel::Phase::searching && channel.in_execution != 0;
  const std::uint64_t steps = channel.steps_limit - channel.steps_left;
  if (!in_execution || steps == 0 || known_.size() == Board::kFatalMax) return false;
  const std::optional<Failure> failure = failure_of(death, channel.phase);
  if (!failure) return false;
  const std::string point = point_of(memory, death.slot);
  Digest digest;
  digest.add(point.data(), point.size());
  // It was to end before that, and could not: what it did before has ruined the process.
  const bool is_known = std::any_of(known_.begin(), known_.end(),
                                    [&](const FatalPlan& fatal) { return fatal.plan == digest.value(); });
  if (is_known) return false;
  if (const auto tried = times_.find(point); tried != times_.end()) {
    count_ -= static_cast<std::uint64_t>(tried->second) - 1;
    times_.erase(tried);
  }
  FatalPlan& fatal = known_.emplace_back(FatalPlan{digest.value(), steps, failure->kind, {}});
  failure->message.copy(fatal.message, sizeof fatal.message - 1);
  tell(memory);
  return true;
}

void Deaths::tell(SharedMemory& memory) const {
  Board& board = memory.board();
  std::copy(known_.begin(), known_.end(), board.fatal);
  board.fatal_count = static_cast<std::uint32_t>(known_.size());
}

}  // namespace thrum
