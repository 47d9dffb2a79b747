// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who is told of each choice of an execution, and may answer it in place of the director.
#pragma once

#include <cstdint>

#include "model/choice.hpp"

namespace thrum::vm {

class ChoiceWatch {
 public:
  virtual ~ChoiceWatch() = default;
  virtual void begin_execution() = 0;
  // The option to take, or Director::kStop.
  virtual std::uint16_t choose(const ChoicePoint& point) = 0;
  // The machine stands before a choice among threads, and no thread runs. Whether it stops here.
  virtual bool stops_at_choice() = 0;
};

}  // namespace thrum::vm
