// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pthread_once, C11's call_once and the guards of local statics. This file is compiled with exceptions: an
// initialisation that throws leaves its object unchanged.

#include <pthread.h>
#include <threads.h>

#include "runtime/intercept/intercept.hpp"
#include "runtime/judge/recorded_values.hpp"

using namespace thrum;

using Guard = long long;

namespace {

void arrive_at(Operation operation, std::uint64_t object, std::uint64_t code, Wait wait) {
  if (is_visible_from(code)) scheduler().arrive(operation, object, 0, code, wait);
}

void done(Scheduler::Effect effect, std::uint64_t code, Outcome outcome = Outcome::done) {
  if (is_visible_from(code)) scheduler().done(effect, 0, 0, outcome);
}

// The initialisation is over, or it failed and may be tried again.
void left(bool is_over, std::uint64_t code) {
  if (is_visible_from(code)) scheduler().done(Scheduler::Effect::change, 0, is_over ? 1 : 0);
}

// At the end, marks the once as finished; after an exception, as never begun.
class OnceRun {
 public:
  OnceRun(pthread_once_t* once, std::uint64_t code) : once_(once), code_(code) {}
  ~OnceRun() { leave(PTHREAD_ONCE_INIT); }
  void leave(pthread_once_t state) {
    if (left_) return;
    left_ = true;
    arrive_at(Operation::once_leave, address_of(once_), code_, Wait::nothing);
    *once_ = state;
    left(state == kOnceDone, code_);
  }

 private:
  pthread_once_t* once_;
  std::uint64_t code_;
  bool left_ = false;
};

}  // namespace

namespace {

void run_once(pthread_once_t* once, void (*routine)(), std::uint64_t code) {
  std::uint64_t object = address_of(once);
  if (!world.running && *once == kOnceRunning) fail_alone(Operation::once_enter, object, code);
  arrive_at(Operation::once_enter, object, code, Wait::once);
  if (*once == kOnceDone) return done(Scheduler::Effect::read, code, Outcome::unchanged);
  *once = kOnceRunning;
  done(Scheduler::Effect::change, code);
  OnceRun run(once, code);
  routine();
  run.leave(kOnceDone);
}

}  // namespace

THRUM_EXPORT int pthread_once(pthread_once_t* once, void (*routine)()) {
  THRUM_FORWARD(pthread_once, once, routine)
  if (*once == kOnceDone && cpp_library_range().holds(THRUM_CALLER)) return 0;
  run_once(once, routine, THRUM_CALLER);
  return 0;
}

// The same as pthread_once.
THRUM_EXPORT void call_once(once_flag* once, void (*routine)()) {
  THRUM_FORWARD(call_once, once, routine)
  static_assert(sizeof(once_flag) == sizeof(pthread_once_t));
  run_once(reinterpret_cast<pthread_once_t*>(once), routine, THRUM_CALLER);
}

THRUM_EXPORT int __cxa_guard_acquire(Guard* guard) {
  if (!searching()) {
    static auto* const real = reinterpret_cast<int (*)(Guard*)>(next_function("__cxa_guard_acquire"));
    return real(guard);
  }
  std::uint64_t object = address_of(guard);
  auto& state = state_at<GuardState>(object);
  if (!world.running && state.running) fail_alone(Operation::once_enter, object, THRUM_CALLER);
  arrive_at(Operation::once_enter, object, THRUM_CALLER, Wait::guard);
  if (state.done) {
    done(Scheduler::Effect::read, THRUM_CALLER, Outcome::unchanged);
    return 0;
  }
  state.running = 1;
  done(Scheduler::Effect::change, THRUM_CALLER);
  return 1;
}

THRUM_EXPORT void __cxa_guard_release(Guard* guard) {
  if (!searching()) {
    static auto* const real = reinterpret_cast<void (*)(Guard*)>(next_function("__cxa_guard_release"));
    return real(guard);
  }
  arrive_at(Operation::once_leave, address_of(guard), THRUM_CALLER, Wait::nothing);
  auto& state = state_at<GuardState>(address_of(guard));
  state.done = 1;
  state.running = 0;
  left(true, THRUM_CALLER);
  note_value_written(guard, sizeof state.done);  // the program's code reads it before it calls
}

THRUM_EXPORT void __cxa_guard_abort(Guard* guard) {
  if (!searching()) {
    static auto* const real = reinterpret_cast<void (*)(Guard*)>(next_function("__cxa_guard_abort"));
    return real(guard);
  }
  arrive_at(Operation::once_leave, address_of(guard), THRUM_CALLER, Wait::nothing);
  state_at<GuardState>(address_of(guard)).running = 0;
  left(false, THRUM_CALLER);
}
