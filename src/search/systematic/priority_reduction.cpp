// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BF(dpor), BF(mdpor) and BF(ss), GAMBIT, section 4.1: reductions that must not leave anything out within a
// bound, or that nobody has proved, still say well what is worth running first.
//
// Where we differ: what dynamic partial-order reduction would take is judged when the choice is met, from
// that execution alone, as in GAMBIT. What a later execution finds out about an earlier choice moves no plan
// that waits already.
#include "search/systematic/priorities.hpp"

namespace thrum {

namespace {

TraceAnalysis::Reversal reversal_of(const Execution& execution, std::size_t choice, std::uint16_t option) {
  return execution.reversal ? *execution.reversal : execution.analysis.reversal(choice, option);
}

}  // namespace

Level dpor_priority(const Execution& execution, std::size_t choice, std::uint16_t option) {
  return reversal_of(execution, choice, option) == TraceAnalysis::Reversal::none ? 1 : 0;
}

Level mdpor_priority(const Execution& execution, std::size_t choice, std::uint16_t option) {
  switch (reversal_of(execution, choice, option)) {
    case TraceAnalysis::Reversal::exact: return 0;
    case TraceAnalysis::Reversal::conservative: return 1;
    case TraceAnalysis::Reversal::none: break;
  }
  return 2;
}

Level ss_priority(const Execution& execution, std::size_t choice, std::uint16_t option) {
  if (execution.reversal) return 0;  // the reduction inserts nothing that sleeps
  return execution.analysis.sleeps(choice, option) ? 1 : 0;
}

}  // namespace thrum
