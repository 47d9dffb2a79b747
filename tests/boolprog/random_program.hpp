// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small random boolean programs, to compare engines on.
#pragma once

#include <cstdint>

#include "boolprog/syntax.hpp"

namespace thrum::bp {

struct RandomSetting {
  bool starts_threads = false;  // main starts them; else main, t1 and perhaps t2 are there from the beginning
};

// The same for the same seed, on every machine.
Program random_program(std::uint64_t seed, const RandomSetting& setting);

// The threads that are there from the beginning.
std::vector<std::string> threads_of(const Program& program);

}  // namespace thrum::bp
