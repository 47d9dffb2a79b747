// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Around each test, Catch2 installs handlers for signals and takes them away again. Under a search a crash is
// Thrum's to report, at its place; so then its calls do nothing. In a program that runs by itself they are
// made.
#pragma GCC system_header
#if defined(__THRUM__) && (defined(CATCH_CONFIG_MAIN) || defined(CATCH_CONFIG_RUNNER))
#ifndef THRUM_CATCH_SIGNALS
#define THRUM_CATCH_SIGNALS
#include <signal.h>

#include "thrum_tests.h"

namespace thrum_catch {
inline int set_action(int signal, const struct sigaction* action, struct sigaction* old) {
  return thrum_is_active() ? 0 : sigaction(signal, action, old);
}
inline int set_stack(const stack_t* stack, stack_t* old) {
  return thrum_is_active() ? 0 : sigaltstack(stack, old);
}
}  // namespace thrum_catch
#endif
#pragma push_macro("sigaction")
#pragma push_macro("sigaltstack")
#define sigaction(signal, action, old) ::thrum_catch::set_action(signal, action, old)
#define sigaltstack(stack, old) ::thrum_catch::set_stack(stack, old)
#endif
