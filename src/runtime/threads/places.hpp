// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of addresses that last: the same in each execution, and in another process.
#pragma once

#include <cstdint>
#include <vector>

#include "model/place.hpp"
#include "runtime/base/engine.hpp"
#include "runtime/base/thread.hpp"

namespace thrum {

// none where the number is no address of the program's.
Place place_of(std::uint64_t address);

// The same, and where it is the address of a variable of a function that runs, or of a block of the heap, the
// current trace is told of the frame or the block. REQUIRES: the current trace holds places.
Place described_place(std::uint64_t address);

std::vector<Place> places_of(const std::vector<RawFrame>& frames);

}  // namespace thrum
