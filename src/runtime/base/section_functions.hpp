// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions whose name begins with __VERIFIER_atomic_. By a convention of verification tools each call of one
// is an atomic section. The symbol tables of the instrumented modules list them.
#pragma once

#include <cstdint>

namespace thrum {

// How many of them exist. Mostly there are none; then a function's entry and exit cost one comparison.
extern std::uint32_t section_function_count;

// Searches the symbol tables. REQUIRES: no execution runs.
void find_section_functions();

// Whether the code address lies in one.
bool in_section_function(std::uint64_t code);

}  // namespace thrum
