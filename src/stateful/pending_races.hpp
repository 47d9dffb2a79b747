// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Races, as a stateful search finds them: two threads could both go on, and are about to access the same
// bytes; one of them writes, and one access is not atomic. Merged states have forgotten who was ordered
// before whom.
#pragma once

#include <span>
#include <vector>

#include "model/bug.hpp"

namespace thrum {

// pending: what each thread that could go on is about to access, one access for a thread. A failure for each
// race; it names both accesses.
std::vector<Failure> races_among(std::span<const MemoryAccess> pending);

}  // namespace thrum
