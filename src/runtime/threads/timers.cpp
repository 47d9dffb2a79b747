// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/timers.hpp"

#include <algorithm>
#include <climits>

#include "runtime/base/engine.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/threads/cancellation.hpp"
#include "runtime/threads/record.hpp"
#include "runtime/threads/scheduler.hpp"
#include "runtime/threads/signal_delivery.hpp"

namespace thrum {

constinit Forever<Timers> the_timers;

namespace {

bool sends_signal(const sigevent& event) {
  return event.sigev_notify == SIGEV_SIGNAL || event.sigev_notify == SIGEV_THREAD_ID;
}

// The thread in which a SIGEV_THREAD timer calls its function.
void call_function() {
  Thread& me = scheduler().current();
  auto* function = reinterpret_cast<void (*)(sigval)>(reinterpret_cast<void*>(me.body));
  sigval value;
  value.sival_ptr = me.argument;
  function(value);
  me.result = nullptr;
  finish_thread();
}

}  // namespace

Timers::Timer& Timers::change(int number) {
  changed_ = true;
  if (timers_.empty()) {
    timers_.resize(kOfProcess);
    constexpr int kSignals[kOfProcess] = {SIGALRM, SIGVTALRM, SIGPROF};
    for (std::size_t i = 0; i < kOfProcess; ++i) {
      timers_[i].exists = true;
      timers_[i].event.sigev_notify = SIGEV_SIGNAL;
      timers_[i].event.sigev_signo = kSignals[i];
    }
  }
  return timers_[static_cast<std::size_t>(number)];
}

int Timers::create(clockid_t clock, const sigevent& event, Thread* target) {
  change(0);
  std::size_t number = kOfProcess;
  while (number < timers_.size() && timers_[number].exists) ++number;
  if (number == timers_.size()) timers_.emplace_back();
  Timer& timer = timers_[number];
  Thread* sleeper = timer.sleeper;  // of a removed timer that had this number
  timer = {};
  timer.exists = true;
  timer.clock = clock;
  timer.event = event;
  timer.target = target;
  timer.sleeper = sleeper;
  return static_cast<int>(number);
}

void Timers::remove(int number) {
  Timer& timer = change(number);
  if (timer.sleeper) timer.sleeper->timed = false;
  timer.exists = false;
  timer.due_ns = 0;
}

bool Timers::exists(int number) const {
  return number >= kOfProcess && static_cast<std::size_t>(number) < timers_.size() &&
         timers_[static_cast<std::size_t>(number)].exists;
}

Timers::Setting Timers::setting(int number) const {
  if (timers_.empty()) return {};
  const Timer& timer = timers_[static_cast<std::size_t>(number)];
  if (timer.due_ns == 0) return {0, timer.interval_ns};
  std::uint64_t now = scheduler().now_ns();
  std::uint64_t due = timer.due_ns;
  if (due <= now && timer.interval_ns != 0) due += ((now - due) / timer.interval_ns + 1) * timer.interval_ns;
  if (due <= now) {
    // A timer that sends nothing has expired; another one is about to.
    return {timer.event.sigev_notify == SIGEV_NONE ? 0u : 1u, timer.interval_ns};
  }
  return {due - now, timer.interval_ns};
}

void Timers::set(int number, std::uint64_t due_ns, std::uint64_t interval_ns) {
  Timer& timer = change(number);
  timer.due_ns = due_ns == kNoDeadline ? 0 : due_ns;
  timer.interval_ns = interval_ns;
  timer.overrun = 0;
  if (timer.sleeper) {
    scheduler().set_deadline(*timer.sleeper, timer.due_ns == 0 ? kNoDeadline : timer.due_ns);
  } else if (timer.due_ns != 0 && timer.event.sigev_notify != SIGEV_NONE) {
    start(timer);
  }
}

void Timers::start(Timer& timer) {
  Thread* sleeper = scheduler().create(nullptr, nullptr, {});
  sleeper->timer = true;
  sleeper->detached = true;
  timer.sleeper = sleeper;
  the_heap.name_thread(sleeper->slot, sleeper->id);
  signals().block_all(sleeper->slot);
  sleeper->context = new_context(sleeper->stack_top, sleep, floating_point_modes());
  scheduler().start(*sleeper);
}

int Timers::number_of(const Thread& sleeper) const {
  auto found = std::find_if(timers_.begin(), timers_.end(),
                            [&](const Timer& timer) { return timer.sleeper == &sleeper; });
  return static_cast<int>(found - timers_.begin());
}

// The code of a timer's thread.
void Timers::sleep() {
  Thread& me = scheduler().current();
  Timers& all = timers();
  const int number = all.number_of(me);
  const auto index = static_cast<std::size_t>(number);
  for (;;) {
    std::uint64_t due = all.timers_[index].due_ns;
    scheduler().arrive_until(Operation::timer_expire, kSignalState, 0, Wait::deadline,
                             due == 0 ? kNoDeadline : due);
    auto signal = static_cast<std::uint64_t>(all.timers_[index].event.sigev_signo);
    scheduler().done(Scheduler::Effect::change, signal, 0, Outcome::timed_out);
    all.expire(all.change(number), number);
  }
}

void Timers::expire(Timer& timer, int number) {
  timer.due_ns = timer.interval_ns == 0 ? 0 : timer.due_ns + timer.interval_ns;
  if (sends_signal(timer.event)) {
    siginfo_t info{};
    info.si_signo = timer.event.sigev_signo;
    info.si_code = SI_TIMER;
    info.si_timerid = number;
    info.si_value = timer.event.sigev_value;
    send_signal(timer.target, info, 0);
    return;
  }
  timer.overrun = skip_missed(timer, scheduler().now_ns());
  Thread* child = scheduler().create(nullptr, timer.event.sigev_value.sival_ptr, {});
  signals().block(child->slot, 0);
  child->body =
      reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void*>(timer.event.sigev_notify_function));
  child->detached = true;
  timer.notified = child;
  the_heap.name_thread(child->slot, child->id);
  child->context = new_context(child->stack_top, call_function, floating_point_modes());
  note_in_trace(Operation::thread_create, *child, 0);
  scheduler().start(*child);
}

// Counts the missed expiries up to now, and moves the next expiry behind now.
int Timers::skip_missed(Timer& timer, std::uint64_t now_ns) {
  if (timer.due_ns == 0 || timer.due_ns > now_ns || timer.interval_ns == 0) return 0;
  std::uint64_t missed = (now_ns - timer.due_ns) / timer.interval_ns + 1;
  timer.due_ns += missed * timer.interval_ns;
  if (timer.sleeper) scheduler().set_deadline(*timer.sleeper, timer.due_ns);
  return static_cast<int>(std::min<std::uint64_t>(missed, INT_MAX));
}

int Timers::accepted(int number) {
  Timer& timer = change(number);
  timer.overrun = skip_missed(timer, scheduler().now_ns());
  return timer.overrun;
}

bool Timers::may_expire(const Thread& sleeper, bool idle) const {
  int number = number_of(sleeper);
  const Timer& timer = timers_[static_cast<std::size_t>(number)];
  if (!timer.exists) return false;
  if (timer.event.sigev_notify == SIGEV_THREAD) return !timer.notified || timer.notified->life == Life::ended;
  int signal = timer.event.sigev_signo;
  std::uint32_t slot = timer.target ? timer.target->slot : 0;
  if (timer.target && timer.target->life == Life::ended) return false;
  SignalSet pending = timer.target ? signals().pending_of(slot) : signals().pending_of_process();
  constexpr int kRealTimeMin = 34;
  bool is_pending =
      signal < kRealTimeMin ? (pending & signal_bit(signal)) != 0 : signals().timer_pending(number);
  if (is_pending) return false;
  if (signals().ignored(signal) && (signals().blocked(slot) & signal_bit(signal)) == 0) return false;
  return idle || !is_fatal(signal, timer.target);
}

void Timers::save() {
  saved_ = timers_;
  changed_ = false;
}

void Timers::restore() {
  if (!changed_) return;
  timers_ = saved_;
  changed_ = false;
}

bool timer_may_expire(const Thread& sleeper, bool idle) { return timers().may_expire(sleeper, idle); }

int timer_was_accepted(int number) { return timers().accepted(number); }

}  // namespace thrum
