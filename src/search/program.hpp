// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program under test, as the search sees it: it runs a plan and gives a trace.
#pragma once

#include "model/plan.hpp"
#include "model/trace.hpp"

namespace thrum {

class Strategy;

class Program {
 public:
  virtual ~Program() = default;

  // Runs one execution from the start and writes down what recording asks for. trace comes in with any
  // content, and keeps its memory. online, where given, is asked at each choice. Same plan, same trace:
  // always.
  virtual void run(const Plan& plan, Strategy* online, Recording recording, Trace& trace) = 0;

  // The names of all thread ids in this program's plans and traces.
  virtual ThreadNames& names() = 0;
};

}  // namespace thrum
