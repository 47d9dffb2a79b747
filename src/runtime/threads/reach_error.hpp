// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A reach_error that the program itself defines, as the benchmarks of software verification do: to come there
// is a failed assertion, whatever the function does. The runtime exports a reach_error for programs that
// define none (thrum_api.cpp).
//
// Its first instruction is replaced by a trap (int3). That needs no instrumentation, which an empty function
// has none of. The driver sees to it that the compiler keeps the call.
//
// Tested by tests/endtoend/reach_error_test.cpp.
#pragma once

#include <cstdint>

namespace thrum {

// Sets traps in those that are there now. REQUIRES: the program is searched, and no execution runs.
void trap_reach_error();

// Whether a trap at which the program has stopped is one of those. code: behind the trap
bool is_reach_error(std::uint64_t code);

}  // namespace thrum
