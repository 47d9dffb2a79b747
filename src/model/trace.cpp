// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/trace.hpp"

namespace thrum {

void Trace::clear() {
  end = End::finished;
  choices.clear();
  options.clear();
  events.clear();
  places.clear();
  cost = 0;
  steps = 0;
  points = 0;
  threads = 0;
  if (!failure.empty()) failure = Failure{};
  failure_stack.clear();
  waiter_places.clear();
  access_places.clear();
  others.clear();
  other_places.clear();
  known_races.clear();
  frames.clear();
  blocks.clear();
  lost.clear();
  output.clear();
}

}  // namespace thrum
