// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// thrum_invariant() and thrum_invariant_end() (threads/invariants.hpp).

#include "runtime/base/notes.hpp"
#include "runtime/drive/start.hpp"
#include "runtime/intercept/intercept.hpp"
#include "runtime/judge/judging.hpp"
#include "runtime/judge/race_judge.hpp"
#include "runtime/judge/recorded_footprints.hpp"
#include "runtime/judge/recorded_values.hpp"
#include "runtime/threads/hooks.hpp"
#include "runtime/threads/invariants.hpp"
#include "runtime/threads/record.hpp"
#include "runtime/threads/round_detector.hpp"

using namespace thrum;

namespace {

// All that a checker does. Its accesses are those of an atomic section.
void* check_once(void*) {
  Thread& me = scheduler().current();
  scheduler().arrive(Operation::invariant, 0, 0, me.invariant.code);
  scheduler().done(Scheduler::Effect::none);
  ++me.atomic_depth;
  const bool holds = me.invariant.holds(me.invariant.argument) != 0;
  if (records_values()) recorded_values().end_stretch();
  --me.atomic_depth;
  footprints().begin();
  if (!holds) fail_invariant(me);
  return nullptr;
}

}  // namespace

THRUM_EXPORT unsigned long thrum_invariant(const char* name, int (*holds)(void*), void* argument) {
  if (!searching()) return 0;
  if (!world.running) begin_search();
  Thread* checker = scheduler().create(check_once, nullptr, {});
  if (!checker) return 0;
  // Between its rounds there are states that are not met.
  if (round_detector().is_on())
    notes().uncontrolled("invariant-and-loops",
                         "a loop whose rounds write waits, while an invariant is stated");
  checker->invariant = {holds, argument, name, THRUM_CALLER};
  scheduler().add_invariant();
  if (world.judges_races) race_judge().expect_checks();
  pay_attention();
  start_created(*checker, THRUM_CALLER);
  return checker->fs_base;
}

THRUM_EXPORT void thrum_invariant_end(unsigned long invariant) {
  if (!searching() || !world.running) return;
  Thread* checker = find_thread(invariant);
  if (!checker || checker->invariant.holds == nullptr || checker->joined_by_someone) return;
  scheduler().join(*checker, THRUM_CALLER);
  if (checker->life != Life::ended) {
    checker->joined_by_someone = false;  // the thread is cancelled
    return;
  }
  note_in_trace(Operation::thread_join, *checker, THRUM_CALLER);
  if (world.names_events) judging().join(scheduler().current(), *checker);
  scheduler().end_invariant(*checker);
  pay_attention();
}
