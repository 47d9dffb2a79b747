// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants that the program's own code compares with. Inputs are best chosen from them: `n == 25` holds
// for one value in four thousand million.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace thrum {

// The constants that the machine code from `begin` on compares with, adds or subtracts: in order, without
// repetition, at most `most`. The bytes are scanned one by one. Bytes that only look like such an instruction
// give a useless number, which does no harm.
std::vector<std::int64_t> constants_in(std::span<const unsigned char> code, std::size_t most);

// The constants of the instrumented modules that are loaded at the first call; the executable's come first.
std::span<const std::int64_t> compared_constants();

}  // namespace thrum
