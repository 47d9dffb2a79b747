// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A reach_error that the program itself defines, as the benchmarks of software verification do. A call of it
// is a failed assertion, whatever the function does. The runtime exports a reach_error for programs that
// define none (thrum_api.cpp).
//
// Its first instruction is replaced by a trap (int3). That works without instrumentation, which an empty
// function does not get. The driver makes the compiler keep the call.
//
// Tested by tests/endtoend/reach_error_test.cpp.
#pragma once

#include <cstdint>

namespace thrum {

// Sets traps in the present reach_error functions. REQUIRES: the program is searched, and no execution runs.
void trap_reach_error();

// Whether the program has stopped at one of these traps. code: the address behind the trap.
bool is_reach_error(std::uint64_t code);

}  // namespace thrum
