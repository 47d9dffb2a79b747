// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Futures that are made ready at the end of a thread, by code of the C++ library that is not instrumented:
// whoever finds them ready has acquired what the thread did.

#include <cstddef>

#include "runtime/intercept.hpp"
#include "runtime/race_judge.hpp"

using namespace thrum;

namespace {

// std::__future_base::_State_baseV2, and its _Make_ready, which hangs in a list of the ending thread.
struct FutureState {
  void* virtual_functions;
  void* result;
  unsigned status;
};
struct MakeReady {
  MakeReady* next;
  void (*run)(void*);
  FutureState* state;
  void* owners;
};

void (*g_library_run)(void*) = nullptr;

void run(void* make_ready) {
  FutureState* state = static_cast<MakeReady*>(make_ready)->state;
  if (world.judges_races) race_judge().release(address_of(&state->status));
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
