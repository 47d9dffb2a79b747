// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random C programs without threads, with much of what C can say in an expression or a declaration. They
// print numbers by `out`, and what they print is defined: nothing in an expression depends on the order of
// its operands.
#pragma once

#include <cstdint>
#include <string>

namespace thrum::seq::random {

std::string random_plain_program(std::uint64_t seed);

}  // namespace thrum::seq::random
