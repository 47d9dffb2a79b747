// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What this machine can do of what Thrum uses, what takes its place where it cannot, and what that costs.
#pragma once

#include <string>
#include <vector>

namespace thrum {

enum class State {
  good,
  fallback,  // something else takes its place, at a cost
  missing,   // programs cannot be checked
};

struct Finding {
  std::string what;
  State state = State::good;
  std::string text;
};

// Kernel, processor, limits.
std::vector<Finding> examine_machine();

// The program of that name, by what it prints as its version; missing: its state where it cannot be run, and
// why that matters.
Finding examine_tool(const std::string& name, State missing, const std::string& why);

}  // namespace thrum
