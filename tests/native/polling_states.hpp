// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All states of a polling program, one after the other: what it can come to, whatever the schedule.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "native/polling_program.hpp"

namespace thrum {

struct PollingFindings {
  std::vector<PollingEnd> ends;  // in order
  std::set<std::string> checks;  // that fail: "check 1.4", as in the program's text
  bool misuse = false;           // a mutex is unlocked that the thread does not hold, or locked twice
  bool deadlock = false;         // a state in which no thread can go on, and some have not ended
  bool stuck = false;            // a state from which nothing of all that can be reached
  bool endless = false;          // or nothing but a deadlock: all that can be done is to go round
  std::size_t states = 0;
};

// Nothing where there are more than that.
std::optional<PollingFindings> all_states(const PollingProgram& program, std::size_t states_max);

}  // namespace thrum
