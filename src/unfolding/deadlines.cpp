// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unfolding/deadlines.hpp"

namespace thrum {

template <typename Step>
void Deadlines::look_at_one(const Step& step) {
  is_clock_read_ = is_clock_read_ || step.operation == Operation::clock_read;
  if (!step.has_deadline) return;
  waiting_.insert(step.thread);
  is_late_ = is_late_ || !step.timed;
  is_from_now_ =
      is_from_now_ || step.operation == Operation::sleep || step.operation == Operation::futex_return;
}

std::string_view Deadlines::look_at(const Trace& trace) {
  for (const Event& event : trace.events) look_at_one(event);
  for (const PendingOperation& pending : trace.pending) look_at_one(pending);
  for (const RecordedAccess& access : trace.accesses)
    is_clock_read_ = is_clock_read_ || access.operation == Operation::clock_read;
  if (is_late_) return "waits that are longer than --early-timeouts";
  if (trace.compares_deadlines) return "several threads of which only deadlines let one go on";
  if (waiting_.size() > 1 && is_from_now_ && is_clock_read_)
    return "sleeps of several threads beside a clock";
  return {};
}

}  // namespace thrum
