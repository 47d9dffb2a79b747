// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All states of a toy program with loops (oracle/waiting_code.hpp), and what a search of the compiled program
// has to say of it.
#pragma once

#include "native/polling_states.hpp"
#include "oracle/waiting_code.hpp"

namespace thrum {

inline constexpr std::size_t kWaitingSourceCells = 2;

// Nothing where there are more states than that. An end's values are the first kWaitingSourceCells cells, and
// each thread's registers. A check's number is that of its instruction.
std::optional<PollingFindings> waiting_findings(const WaitingCode& code, std::size_t states_max);

}  // namespace thrum
