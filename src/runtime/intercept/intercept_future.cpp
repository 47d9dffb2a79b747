// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Futures that become ready at the end of a thread, by code of the C++ library that is not instrumented. That
// code exchanges the state's status; a thread that reads "ready" has acquired what the thread did.

#include <cstddef>

#include "runtime/intercept/intercept.hpp"
#include "runtime/judge/race_judge.hpp"
#include "runtime/threads/scheduler.hpp"

using namespace thrum;

namespace {

// std::__future_base::_State_baseV2, and its _Make_ready in a list of the ending thread.
struct FutureState {
  void* virtual_functions;
  void* result;
  unsigned status;
};
constexpr unsigned kReady = 1;

// The owners of the state: std::_Sp_counted_base.
struct Owners {
  void* virtual_functions;
  int count;
};
struct MakeReady {
  MakeReady* next;
  void (*run)(void*);
  FutureState* state;
  Owners* owners;
};

void (*g_library_run)(void*) = nullptr;

void run(void* make_ready) {
  const MakeReady& ready = *static_cast<MakeReady*>(make_ready);
  if (world.running && ready.owners->count > 0) {
    unsigned& status = ready.state->status;
    scheduler().arrive(Operation::read_modify_write, address_of(&status), sizeof status, THRUM_CALLER);
    if (world.judges_races) race_judge().release(address_of(&status));
    scheduler().done(Scheduler::Effect::change, status, kReady);
  }
  g_library_run(make_ready);
}

}  // namespace

THRUM_EXPORT void _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(MakeReady* make_ready) {
  static auto* const real = reinterpret_cast<void (*)(MakeReady*)>(
      next_function("_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv"));
  real(make_ready);
  if (!searching()) return;
  g_library_run = make_ready->run;
  make_ready->run = run;
}
