// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Summaries of procedures without context switches: reachability of one thread, with unbounded stacks.
//
// This is post* of a symbolic pushdown system (Schwoon, Model-Checking Pushdown Systems, 2002, sections 3.3
// and 3.4; Büchi 1964). The saturated P-automaton has a state for each procedure and each valuation of the
// globals and arguments at its entry. With "entry" for such a state:
//   at(entry, pc)     transitions to the state: the globals, and the locals of the top frame
//   callers(entry)    transitions from the state: the frames that may be below
//   returned(entry)   epsilon transitions: the valuations with which the procedure returns
// All these sets are over the entry copies of variables, so one BDD represents many states of the automaton.
//
// The summary of a procedure depends only on its entry. So all contexts of all threads share one automaton,
// which grows when further entries are demanded.
#pragma once

#include <map>
#include <vector>

#include "boolprog/saturation.hpp"
#include "boolprog/transfer.hpp"

namespace thrum::bp {

// Identifies frames: the place where the procedure was entered, and the current place in the code.
struct FrameKey {
  Pc entry = 0;
  Pc pc = 0;
  friend auto operator<=>(const FrameKey&, const FrameKey&) = default;
};

// A call from a frame: the frame, and its called set (Transfer::called).
struct Caller {
  FrameKey frame;
  Bdd called;
};

class Summaries {
 public:
  explicit Summaries(const Transfer& transfer) : transfer_(transfer) {}

  // Completes the summary of a procedure for these entries, and for all entries that they lead to.
  void demand(std::uint32_t procedure, const Bdd& entries);

  const GrowingSet& at(FrameKey frame) const;
  const std::vector<Caller>& callers(Pc entry) const;
  const std::map<Pc, std::vector<Caller>>& all_callers() const { return callers_; }
  // In the form that Transfer::resumed() takes.
  const GrowingSet& returned(Pc entry) const;
  // Over the entries of a procedure: the globals with which its frame may be on top at one of the places.
  Bdd globals_of(Pc entry, const std::vector<bool>& places) const;
  const std::map<FrameKey, GrowingSet>& frames() const { return at_; }

 private:
  void enter(std::uint32_t procedure, const Bdd& entries);
  void add(FrameKey frame, const Bdd& set, const Cause& cause);
  void expand(FrameKey frame, const Bdd& states);
  void call(FrameKey frame, const Bdd& states);
  void give_back(FrameKey frame, const Bdd& states);

  const Transfer& transfer_;
  std::uint64_t rank_ = 0;
  std::map<FrameKey, GrowingSet> at_;
  std::map<Pc, Bdd> entries_;
  std::map<Pc, std::vector<Caller>> callers_;
  std::map<Pc, GrowingSet> returned_;
  Worklist<FrameKey> work_;
};

}  // namespace thrum::bp
