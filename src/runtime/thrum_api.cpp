// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// include/thrum/thrum.h, and the conventions of other tools.

#include <cstdlib>
#include <string>

#include "runtime/intercept.hpp"
#include "runtime/native_program.hpp"

using namespace thrum;

namespace {

// Stands for all atomic sections among the objects; no address of the program's.
constexpr std::uint64_t kSections = 2;

void begin_section(std::uint64_t code) {
  if (!searching()) return;
  Thread& me = scheduler().current();
  if (world.running && me.atomic_depth == 0) {
    // Whatever the section touches, it is one event, and depends on all other sections.
    scheduler().arrive(Operation::atomic_section, kSections, 0, code);
    scheduler().done(Scheduler::Effect::change);
  }
  ++me.atomic_depth;
}

void end_section() {
  if (!searching()) return;
  Thread& me = scheduler().current();
  if (me.atomic_depth == 0)
    fail_here(BugKind::lock_misuse, "the end of an atomic section that was not begun");
  --me.atomic_depth;
}

void assume(bool condition) {
  if (condition || !searching()) return;
  if (!world.running) report_without_search(nullptr);
  current_trace().end = End::assumption;
  end_execution();
}

}  // namespace

THRUM_EXPORT unsigned thrum_choose(unsigned n) {
  if (!searching()) return 0;
  if (!world.running) {
    if (n < 2) return 0;  // nothing is open yet
    begin_search();
  }
  constexpr unsigned kMax = 0xfff0;
  if (n > kMax) fail_here(BugKind::lock_misuse, "thrum_choose of more than 65,520 values");
  scheduler().arrive(Operation::choose, 0, 0, THRUM_CALLER);
  // A scheduling point also where there is one value: how many there are may depend on the schedule.
  std::uint16_t value = n < 2 ? 0 : scheduler().choose_value(static_cast<std::uint16_t>(n));
  scheduler().done(Scheduler::Effect::none, value);
  return value;
}

THRUM_EXPORT void thrum_assume(int condition) { assume(condition != 0); }

THRUM_EXPORT void thrum_point() {
  if (!searching() || !world.running) return;
  scheduler().arrive(Operation::point, 0, 0, THRUM_CALLER);
  scheduler().done(Scheduler::Effect::none);
}

THRUM_EXPORT void thrum_atomic_begin() { begin_section(THRUM_CALLER); }
THRUM_EXPORT void thrum_atomic_end() { end_section(); }
THRUM_EXPORT void thrum_progress() {
  if (world.running) world.wrote = true;
}
THRUM_EXPORT int thrum_is_active() { return searching(); }

THRUM_EXPORT void __VERIFIER_assume(int condition) { assume(condition != 0); }
THRUM_EXPORT void __VERIFIER_atomic_begin() { begin_section(THRUM_CALLER); }
THRUM_EXPORT void __VERIFIER_atomic_end() { end_section(); }
THRUM_EXPORT void __VERIFIER_assert(int condition) {
  if (condition) return;
  if (!searching()) std::abort();
  ThreadId thread = world.running ? scheduler().current().id : kMainThread;
  fail({BugKind::assertion, "assertion failed: __VERIFIER_assert", thread, THRUM_CALLER, {}});
}
