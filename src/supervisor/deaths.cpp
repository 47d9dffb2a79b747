// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "supervisor/deaths.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>

#include "support/digest.hpp"

namespace thrum {

namespace {

// A program that kills itself does so at the same operation each time. Somebody who kills at random may hit a
// long execution again and again, such as the first of a worker that has just begun to go on, which stands
// still where pages are copied.
constexpr int kKillsAtOneOperationMax = 40;
constexpr int kKillsInSetUpMax = 5;
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

bool Deaths::try_again(SharedMemory& memory, std::uint32_t slot, int status, std::uint64_t steps) {
  if (!WIFSIGNALED(status)) return false;
  const Channel& channel = memory.channel(slot);
  const bool killed = WTERMSIG(status) == SIGKILL;
  const Channel::Phase phase = channel.phase;
  // The set-up of a program may do what is not to be done twice.
  if (phase != Channel::Phase::searching && !killed) return false;
  std::string point;
  const bool searches = phase == Channel::Phase::searching || slot != 0;  // others are copies of the first
  if (searches) point = point_of(memory, slot);
  bool again = ++at_[point] < (!killed ? kOthersMax : searches ? kKillsMax : kKillsInSetUpMax);
  if (killed && searches && channel.in_execution != 0) {
    const std::uint64_t left = channel.steps_left;
    const std::string operation = point + "/" + std::to_string(left);
    const bool has_begun = left != steps;
    if (++at_[operation] >= kKillsAtOneOperationMax && has_begun) again = false;
  }
  if (again) ++count_;
  return again;
}

bool Deaths::make_known(SharedMemory& memory, const Death& death, std::uint64_t steps) {
  const Channel& channel = memory.channel(death.slot);
  const bool in_execution = channel.phase == Channel::Phase::searching && channel.in_execution != 0;
  const std::uint64_t left = channel.steps_left;
  if (!in_execution || left >= steps || known_.size() == Board::kFatalMax) return false;
  const std::optional<Failure> failure = failure_of(death, channel.phase);
  if (!failure) return false;
  const std::string point = point_of(memory, death.slot);
  Digest digest;
  digest.add(point.data(), point.size());
  // It was to end before that, and could not: what it did before has ruined the process.
  const bool is_known = std::any_of(known_.begin(), known_.end(),
                                    [&](const FatalPlan& fatal) { return fatal.plan == digest.value(); });
  if (is_known) return false;
  if (const auto tried = at_.find(point); tried != at_.end()) {
    count_ -= static_cast<std::uint64_t>(tried->second) - 1;
    at_.erase(tried);
  }
  FatalPlan& fatal = known_.emplace_back(FatalPlan{digest.value(), steps - left, failure->kind, {}});
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
