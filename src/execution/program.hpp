// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program under test, as a search sees it: it runs a plan and produces a trace. The compiled program is
// one, and so are the toy programs of the oracle.
#pragma once

#include "execution/advisor.hpp"
#include "model/plan.hpp"
#include "model/thread_names.hpp"
#include "model/trace.hpp"
#include "model/wanted.hpp"

namespace thrum {

class Program {
 public:
  virtual ~Program() = default;

  // Runs one execution from the start and records in trace what is wanted. trace may have any content, and
  // keeps its memory. advisor: is asked at each choice after the plan's last departure; nullptr: none. The
  // same plan and advice always give the same trace. REQUIRES: can_record() contains all of wanted.what.
  virtual void run(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) = 0;

  // The parts that it can record.
  virtual Wanted::Set can_record() const {
    return Wanted::kChoices | Wanted::kEvents | Wanted::kPlaces | Wanted::kPast;
  }

  // Whether run() may be given an advisor.
  virtual bool takes_advice() const { return true; }

  // The names of all thread ids in this program's plans and traces.
  virtual ThreadNames& names() = 0;
};

}  // namespace thrum
