// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of catch_signals_off.h.
#pragma GCC system_header
#if defined(__THRUM__) && (defined(CATCH_CONFIG_MAIN) || defined(CATCH_CONFIG_RUNNER))
#pragma pop_macro("sigaltstack")
#pragma pop_macro("sigaction")
#endif
