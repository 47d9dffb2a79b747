// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lasting names of addresses: the same in each execution, and in another process.
#pragma once

#include <cstdint>
#include <vector>

#include "model/place.hpp"
#include "runtime/base/engine.hpp"
#include "runtime/base/thread.hpp"

namespace thrum {

// No place if the number is no address of the program.
Place place_of(std::uint64_t address);

// The same. If it is the address of a heap block, or of a variable of a running function, the current trace
// records the block or frame too. REQUIRES: the current trace holds places.
Place described_place(std::uint64_t address);

std::vector<Place> places_of(const std::vector<RawFrame>& frames);

}  // namespace thrum
