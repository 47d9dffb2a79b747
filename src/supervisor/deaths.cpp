// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "supervisor/deaths.hpp"

#include <sys/wait.h>

#include <csignal>

namespace thrum {

namespace {

// Somebody who kills at random may hit a long execution several times, and a worker that has just begun to go
// on again and again.
constexpr int kKillsMax = 5;
constexpr int kKillsBetweenMax = 100;
constexpr int kOthersMax = 2;

}  // namespace

bool Deaths::try_again(SharedMemory& memory, std::uint32_t slot, int status) {
  if (!WIFSIGNALED(status)) return false;
  const Channel& channel = memory.channel(slot);
  const bool killed = WTERMSIG(status) == SIGKILL;
  const Channel::Phase phase = channel.phase;
  // The set-up of a program may do what is not to be done twice.
  if (phase != Channel::Phase::searching && !killed) return false;
  int most = killed ? kKillsMax : kOthersMax;
  ByteWriter point;
  point.put(phase);
  if (phase == Channel::Phase::searching) {
    ThreadNames names;
    const bool in_execution = channel.in_execution != 0;
    point.put(in_execution);
    if (in_execution) {
      write_plan(point, memory.running_plan(slot, names), names);
    } else {
      point.put(slot);
      point.put(channel.executions.load());
      if (killed) most = kKillsBetweenMax;
    }
  }
  const bool again = ++at_[point.take()] < most;
  if (again) ++count_;
  return again;
}

}  // namespace thrum
