// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What procedures do when nothing comes between: reachability of one thread, with unbounded stacks.
//
// This is post* of a symbolic pushdown system (Schwoon, Model-Checking Pushdown Systems, 2002, sections 3.3
// and 3.4; Büchi 1964). The automaton that it saturates has a state for each procedure that was called and
// what it saw at its entry: the globals and its arguments. With "entry" for that state:
//   at(entry, pc)     a transition to the state, of the top frame: the globals and locals there
//   callers(entry)    the transitions that leave it: which frames may lie below
//   returned(entry)   transitions without a symbol: what the procedure returns with
// All are sets over the entry copies of variables, so that one diagram stands for many states of the
// automaton.
//
// What a procedure does depends on its entry alone. So all contexts of all threads share one automaton, which
// grows with the entries that are asked for.
#pragma once

#include <map>
#include <vector>

#include "boolprog/saturation.hpp"
#include "boolprog/transfer.hpp"

namespace thrum::bp {

// A frame is told by where its procedure was entered (a place in the code) and where it stands.
struct FrameKey {
  Pc entry = 0;
  Pc pc = 0;
  friend auto operator<=>(const FrameKey&, const FrameKey&) = default;
};

// A call from a frame: which frame, and the called set (Transfer::called).
struct Caller {
  FrameKey frame;
  Bdd called;
};

class Summaries {
 public:
  explicit Summaries(const Transfer& transfer) : transfer_(transfer) {}

  // Sees to it that all is known of a procedure for these entries, and for those that it leads to.
  void demand(std::uint32_t procedure, const Bdd& entries);

  const GrowingSet& at(FrameKey frame) const;
  const std::vector<Caller>& callers(Pc entry) const;
  const std::map<Pc, std::vector<Caller>>& all_callers() const { return callers_; }
  // In the form that Transfer::resumed() takes.
  const GrowingSet& returned(Pc entry) const;
  // For a procedure's entries, the globals with which a frame of it may be on top at one of the places.
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
