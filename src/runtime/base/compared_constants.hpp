// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers that the program's own code compares with, which inputs are best chosen from: `n == 25` fails
// for one value of four thousand million.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace thrum {

// Those that the machine code from begin on compares with, adds or takes away, in order, without repetition;
// at most so many. The bytes are looked at one by one: what only looks like such an instruction gives a
// number that is of no use, and does no harm.
std::vector<std::int64_t> constants_in(std::span<const unsigned char> code, std::size_t most);

// Of the instrumented modules, as they are when it is asked first: the executable first.
std::span<const std::int64_t> compared_constants();

}  // namespace thrum
