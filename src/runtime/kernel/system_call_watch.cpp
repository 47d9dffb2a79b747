// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernel/system_call_watch.hpp"

#include <sys/prctl.h>

#include "runtime/base/modules.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/base/signal_handlers.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

namespace {

// Whether calls pass (PR_SYS_DISPATCH_*); the kernel reads it at each call.
volatile char g_selector = SYSCALL_DISPATCH_FILTER_ALLOW;
bool g_watching = false;

}  // namespace

void watch_system_calls() {
  handle_signal(SIGSYS, on_system_call);
  rewatch_system_calls();
  if (!g_watching) notes().system_calls_not_watched();
}

void rewatch_system_calls() {
  const CodeRange& own = runtime_range();
  long result =
      raw_syscall(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, static_cast<long>(own.begin),
                  static_cast<long>(own.end - own.begin), reinterpret_cast<long>(&g_selector));
  g_watching = result == 0;
}

void catch_system_calls(bool on) {
  g_selector = on && g_watching ? SYSCALL_DISPATCH_FILTER_BLOCK : SYSCALL_DISPATCH_FILTER_ALLOW;
}

}  // namespace thrum
