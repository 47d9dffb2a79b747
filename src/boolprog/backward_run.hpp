// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a thread came to a state: its steps through all of its contexts, found from the end.
//
// Each set of a search keeps what was added to it when, and from what (saturation.hpp). A state lies in an
// addition; what led to it lies in what had been added before, so going back ends.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "boolprog/phase.hpp"

namespace thrum::bp {

// What one thread sees: concrete bits.
struct Point {
  std::vector<bool> globals;
  std::vector<bool> locals;
  std::vector<bool> entry_globals;  // these two only in a frame that was called
  std::vector<bool> entry_locals;
};

// A step that a thread did, and what it then sees; a thread that has ended sees the globals.
struct RunStep {
  Pc pc = 0;                  // of the instruction
  std::uint32_t context = 0;  // counted from 1 in the schedule
  Pc to = 0;                  // where the top frame then stands
  std::vector<bool> globals;
  std::vector<bool> locals;
};

struct Run {
  std::uint32_t context = 0;  // in which the thread began
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
  // boundaries: the globals where each context ended, from 1; [0] is not used.
  BackwardRun(const Transfer& transfer, const Phase& phase, const std::vector<std::vector<bool>>& boundaries);

  // Ends with the phase's failure, of whose states one is chosen.
  Run to_failure();
  // Ends as the phase does, with these globals at the end of its context.
  Run to_end(const std::vector<bool>& globals);
  // Of `init`, which ends with these.
  Run through_init(const std::vector<bool>& globals);

 private:
  // A frame; on top, or below where a later step tells of it.
  struct At {
    std::uint32_t origin = kBase;  // the phase's own number: called in this context
    FrameKey frame;
    Point point;
  };
  using Steps = std::vector<RunStep>;  // the last one first

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
