// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The executable and the shared libraries in the process.
#pragma once

#include <cstdint>
#include <vector>

#include "model/place.hpp"
#include "protocol/job.hpp"

namespace thrum {

std::vector<Module> modules();

// The module that holds the address and where in it; false where none does.
bool find_in_modules(std::uint64_t address, Place& place);

// Whether the address lies in the runtime itself.
bool is_runtime(std::uint64_t address);

}  // namespace thrum
