// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the run of one thread to a given state: its steps in all of its contexts, from the last to the first.
//
// Each set of a search records its additions in order, each with its cause (saturation.hpp). A state is in
// one of the additions. Its predecessor was already in a set before that addition, so the search backwards
// ends.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "boolprog/phase.hpp"

namespace thrum::bp {

// A concrete valuation of what one thread sees.
struct Point {
  std::vector<bool> globals;
  std::vector<bool> locals;
  std::vector<bool> entry_globals;  // the entry copies matter only in a frame that was called
  std::vector<bool> entry_locals;
};

// A step of a thread, and what the thread sees after it. A thread that has ended sees the globals.
struct RunStep {
  Pc pc = 0;                  // of the instruction
  std::uint32_t context = 0;  // counted from 1 in the schedule
  Pc to = 0;                  // place of the top frame after the step
  std::vector<bool> globals;
  std::vector<bool> locals;
};

struct Run {
  std::uint32_t context = 0;  // the one in which the thread began
  Pc entry = 0;
  Point begin;
  std::vector<RunStep> steps;
};

// The execution has more steps than can be shown.
class TraceTooLong : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class BackwardRun {
 public:
  // boundaries: the globals at the end of each context, counted from 1; [0] is not used.
  BackwardRun(const Transfer& transfer, const Phase& phase, const std::vector<std::vector<bool>>& boundaries);

  // The run to one of the states of the phase's failure.
  Run to_failure();
  // The run to the end of the phase's context, with these globals there.
  Run to_end(const std::vector<bool>& globals);
  // The run of `init` that ends with these globals.
  Run through_init(const std::vector<bool>& globals);

 private:
  // A frame: the top one, or one below it to which a later step of the run returns.
  struct At {
    std::uint32_t origin = kBase;  // the phase's own number: called in this context
    FrameKey frame;
    Point point;
  };
  using Steps = std::vector<RunStep>;  // the last step first

  Run run();
  Run to_some(const Bdd& ends, bool dead);
  bool step_back_old();
  bool step_back_new(At& at, Steps& steps);
  void change_context();
  void leave_entry();
  void resumed(const Addition& addition);
  void moved(const GrowingSet& from, const Addition& addition, At& at, Steps& steps);
  void called(const GrowingSet& callers, const Bdd& returned, const Addition& addition, At& at, Steps& steps);
  void through(Pc call, const Point& exit, const Bdd& results, const At& after, Steps& steps);
  void add(Steps& steps, Pc pc, const At& after);

  Bdd set_to(const std::vector<int>& variables, const std::vector<bool>& values) const;
  Bdd now(const Point& point) const;
  Bdd entry(const At& at) const;
  Bdd fixed(const At& at) const { return now(at.point) & entry(at) & boundaries_; }
  Bdd seen_at_entry(const Point& point) const;
  Bdd kept(Pc call, const std::vector<bool>& locals) const;
  void choose(const Bdd& set, At& at) const;

  const Transfer& transfer_;
  const Phase* phase_;
  std::vector<int> global_entry_, global_now_, global_next_, local_entry_, local_now_, local_next_, results_;
  std::vector<std::vector<bool>> boundary_globals_;
  Bdd boundaries_;
  At top_;
  std::vector<At> below_;
  Steps steps_;
  std::uint64_t count_ = 0;
};

}  // namespace thrum::bp
