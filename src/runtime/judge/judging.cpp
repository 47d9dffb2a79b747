// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/judge/judging.hpp"

#include <algorithm>

#include "runtime/base/engine.hpp"
#include "runtime/base/world.hpp"
#include "runtime/judge/race_judge.hpp"
#include "runtime/kernel/process_state.hpp"
#include "runtime/kernel/signals.hpp"
#include "runtime/threads/hooks.hpp"
#include "runtime/threads/scheduler.hpp"
#include "runtime/threads/timers.hpp"

namespace thrum {

constinit Forever<Judging> the_judging;

namespace {

// After each kLook executions it is decided whether names pay. They do if kOfEight of eight executions are of
// known classes: an execution of a new class is run twice. After kPatience decisions in a row against names,
// no names are given for a while.
constexpr std::uint32_t kLook = 128;
constexpr std::uint32_t kOfEight = 7;
constexpr std::uint32_t kPatience = 128;
constexpr std::uint32_t kPauseAtFirst = kLook * kPatience;
constexpr std::uint32_t kPausesMax = 8;

}  // namespace

void Judging::begin(bool may_trust) {
  is_second_ = false;
  if (!may_trust || judges_all_ || !world.job->trusts_classes || world.job->races != Races::report) {
    mode_ = Mode::judges;
  } else if (trusting_) {
    mode_ = Mode::trusts;
  } else if (pause_ != 0) {
    --pause_;
    mode_ = Mode::judges;
  } else {
    mode_ = Mode::learns;
  }
}

void Judging::create(const Thread& parent, const Thread& child) {
  if (!names_.create(parent.slot, child.slot, child.id) && mode_ == Mode::trusts) end_execution();
}

void Judging::join(const Thread& thread, const Thread& other) {
  if (!names_.join(thread.slot, other.slot) && mode_ == Mode::trusts) end_execution();
}

void Judging::take(const Thread& thread, std::uint64_t value, std::uint64_t operand, Outcome outcome) {
  const std::uint64_t woken = thread.operation == Operation::signal ? thread.operation_argument : 0;
  const bool is_plain = !thread.forced && !thread.has_deadline;
  const bool is_named = is_plain ? names_.take(thread.slot, {thread.operation, outcome, thread.size,
                                                             thread.object, value, operand, woken})
                                 : names_.lose();
  if (!is_named && mode_ == Mode::trusts) end_execution();
}

// Whether the execution only had events with names, and the judge would treat all executions of its class
// alike.
bool Judging::is_clean() const {
  return !world.made_calls && !race_judge().makes_exceptions() && !signals().used() && !timers().changed() &&
         !process_state().changed() && scheduler().clock_is_steady() &&
         scheduler().slots_used() < kThreadsMax;
}

bool Judging::finish(bool whole) {
  if (mode_ == Mode::judges) return false;
  const bool known = whole && names_.is_kept();
  const bool unsure = mode_ == Mode::trusts && !known;
  if (mode_ == Mode::learns && whole && !known && is_clean()) names_.keep();
  if (!is_second_) count(known);
  if (unsure) {
    mode_ = Mode::learns;
    is_second_ = true;
  }
  return unsure;
}

void Judging::count(bool known) {
  known_ += known ? 1 : 0;
  if (++seen_ < kLook) return;
  trusting_ = known_ * 8 >= seen_ * kOfEight;
  seen_ = known_ = 0;
  refused_ = trusting_ ? 0 : refused_ + 1;
  if (trusting_) pauses_ = 0;
  if (trusting_ || (refused_ < kPatience && !names_.is_full())) return;
  if (names_.is_full()) {
    names_.forget();
    forget_waypoints();  // they hold names
  }
  refused_ = 0;
  pause_ = kPauseAtFirst << pauses_;
  pauses_ = std::min(pauses_ + 1, kPausesMax);
}

void Judging::forget() {
  names_.forget();
  trusting_ = false;
  seen_ = known_ = refused_ = pause_ = pauses_ = 0;
}

void name_operation(const Thread& thread, std::uint64_t value, std::uint64_t operand, Outcome outcome) {
  judging().take(thread, value, operand, outcome);
}

void lose_name() { judging().lose(); }

void name_creation(const Thread& parent, const Thread& child) { judging().create(parent, child); }

}  // namespace thrum
