// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Toy programs with loops (oracle/waiting_code.hpp) as C++ source text.
//
// Thread 0 is main. It creates the others, runs its own code, joins them, and then fails an assertion that
// names the final state: so the bugs that a search finds are the final states that it has come to.
#pragma once

#include <string>
#include <vector>

#include "native/polling_program.hpp"
#include "oracle/waiting_code.hpp"

namespace thrum {

// What makes no difference to what a program comes to.
struct WaitingStyle {
  bool keeps_in_memory = false;  // registers are plain variables of the whole program
  bool yields = false;           // before each jump back

  // That of a thread.
  static WaitingStyle random(std::uint64_t seed, std::size_t thread);
};

struct WaitingSource {
  WaitingCode code;
  std::vector<WaitingStyle> styles;  // of the threads
  std::vector<PollingEnd> ends;      // as waiting_findings() gives them
};

// A program whose argument says which of them runs. Failed assertions name themselves: "end 2", a number of
// its ends; "check 1.4", the instruction 4 of thread 1.
// REQUIRES: they use the first kWaitingSourceCells cells and lock 0, and no index
std::string translate(const std::vector<WaitingSource>& programs);

}  // namespace thrum
