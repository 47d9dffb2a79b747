// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions whose name begins with __VERIFIER_atomic_: by a convention of verification tools each call of one
// is an atomic section. They are found in the symbol tables of the instrumented modules.
#pragma once

#include <cstdint>

namespace thrum {

// How many there are; mostly none, and then a function's entry and exit cost one comparison.
extern std::uint32_t section_function_count;

// Looks for them. REQUIRES: no execution runs.
void find_section_functions();

// Whether the code address lies in one.
bool in_section_function(std::uint64_t code);

}  // namespace thrum
