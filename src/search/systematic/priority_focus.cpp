// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BF(method) and BF(var), GAMBIT, section 4.3: first switches from one operation that the user has put in
// focus to another, then those of which one is, then the rest. The operation switched from is the one that
// the execution went on with; the one switched to is what the thread of the option does next.
#include "search/systematic/priorities.hpp"

namespace thrum {

namespace {

Level focus_priority(const Execution& execution, std::size_t choice, std::uint16_t option,
                     std::uint8_t focus) {
  const ChoicePoint& point = execution.trace.choices[choice];
  if (point.key.kind == ChoiceKind::value) return 2;
  std::span<const Option> options = execution.trace.options_of(point);
  std::uint32_t position = execution.analysis.position(choice);
  Level level = 2;
  for (std::uint16_t which : {point.taken, option}) {
    const Event* next = execution.analysis.next_of(options[which].value, position);
    if (next != nullptr && (next->focus & focus) != 0) --level;
  }
  return level;
}

}  // namespace

Level method_priority(const Execution& execution, std::size_t choice, std::uint16_t option) {
  return focus_priority(execution, choice, option, kFocusMethod);
}

Level var_priority(const Execution& execution, std::size_t choice, std::uint16_t option) {
  return focus_priority(execution, choice, option, kFocusVariable);
}

}  // namespace thrum
