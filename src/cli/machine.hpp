// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The abilities of this machine that Thrum uses; for a missing one, its substitute and the costs of that.
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

// The program of that name, with the version that it prints. missing: its state if it cannot be run, and why
// that matters.
Finding examine_tool(const std::string& name, State missing, const std::string& why);

}  // namespace thrum
