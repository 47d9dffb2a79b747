// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records the plain accesses of an execution for those who want footprints (races/footprints.hpp).
#pragma once

#include <cstdint>

#include "races/footprints.hpp"
#include "runtime/base/forever.hpp"
#include "runtime/base/thread.hpp"

namespace thrum {

extern constinit Forever<Footprints> the_footprints;
inline Footprints& footprints() { return the_footprints.value; }

void note_footprint(const Thread& thread, bool writes, std::uint64_t address, std::uint64_t size);

}  // namespace thrum
