// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One context of one thread, for all that may have come before it in a schedule.
//
// A thread that goes on has frames on its stack, each called in one of its earlier contexts. What such a
// frame may look like depends on how globals stood where those contexts began and ended, so its sets are over
// copies of the globals there: the boundaries of the thread. They split the aggregate states by the globals
// at the switches without listing them: what does not depend on a global there does not mention it (compare
// the lazy splitting of Suwimonteerabuth, Esparza and Schwoon, Symbolic Context-Bounded Analysis of
// Multithreaded Java Programs, SPIN 2008). Frames that are called in this context depend on their entry alone
// (summaries.hpp).
//
// Whether the last context of a schedule goes wrong is answered with less: what the globals at boundaries
// have to do with other threads does not matter any more, and a frame needs to know only what it has in
// common with those that lie below it. Such a phase is no ground for further contexts.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "boolprog/saturation.hpp"
#include "boolprog/summaries.hpp"
#include "boolprog/transfer.hpp"

namespace thrum::bp {

// The first of a thread's procedures is no entry: it is told apart from later calls of the same procedure.
inline constexpr std::uint32_t kBase = 0;
// In a cause: the caller was called in the same context as the frame that returned to it.
inline constexpr std::uint32_t kNoOldCaller = ~std::uint32_t{0};

// A frame that was there when the context began.
struct OldFrame {
  std::uint32_t origin = kBase;  // the thread's context that called it, counted from 1; kBase: its first
  FrameKey frame;
  friend bool operator==(const OldFrame&, const OldFrame&) = default;
  // Frames called later come first: they return to earlier ones, and never the other way round.
  friend auto operator<=>(const OldFrame& a, const OldFrame& b) {
    return std::tie(b.origin, a.frame) <=> std::tie(a.origin, b.frame);
  }
};

class Phase {
 public:
  // An old frame that called a procedure in this context.
  struct OldCaller {
    OldFrame frame;
    Bdd called;
  };

  enum class Purpose : std::uint8_t {
    detect,  // whether the context goes wrong
    go_on,   // further contexts
    trace,   // likewise, and how it all came about
  };

  // The first context of a thread. start: the boundary where it begins, 0 for the beginning of all.
  Phase(Summaries& summaries, const Transfer& transfer, Purpose purpose, std::uint32_t thread,
        std::uint32_t start);
  // A further one.
  Phase(Summaries& summaries, const Transfer& transfer, Purpose purpose,
        std::shared_ptr<const Phase> previous, std::uint32_t start);

  // begin: the states of the thread's first frame at `entry`.
  void begin_first(Pc entry, const Bdd& begin);
  // Where a switch makes a difference. schedules: which globals there may be at the boundaries.
  void begin_again(const Bdd& schedules);
  // Runs the thread as far as it goes.
  void saturate();
  // What another thread may find: globals now, over the thread's boundaries, before
  // Transfer::context_ended(). Only where a switch makes a difference (switches.hpp), and of states that were
  // not there when the context began: a context without a step says nothing new.
  Bdd ends() const;
  // The context is over, at this boundary.
  void close(std::uint32_t end) { end_ = end; }

  std::uint32_t thread() const { return thread_; }
  std::uint32_t number() const { return number_; }
  std::uint32_t start() const { return start_; }
  std::uint32_t end() const { return end_; }
  const std::shared_ptr<const Phase>& previous() const { return previous_; }
  // All boundaries of the thread so far.
  std::vector<std::uint32_t> boundaries() const;

  struct Failure {
    OldFrame frame;  // or, where is_new, a frame that was called in this context
    bool is_new = false;
    Bdd states;  // over the boundaries and, of a new frame, its entry
  };
  const std::optional<Failure>& failure() const { return failure_; }

  // For reading a trace back.
  const GrowingSet& at(const OldFrame& frame) const;
  const std::map<OldFrame, GrowingSet>& old_frames() const { return at_; }
  const std::vector<OldCaller>& callers(Pc entry) const;
  // Entries with which a procedure's frame, called in this context, may be on the stack; over the boundaries.
  // Their causes: resume, by callers(entry)[index]; back, by a frame of `entry` that stands at `from`.
  const GrowingSet& on_stack(Pc entry) const;
  const std::map<Pc, GrowingSet>& stacks() const { return on_stack_; }
  const Phase& of_number(std::uint32_t number) const;
  const Summaries& summaries() const { return summaries_; }

 private:
  Bdd grow(GrowingSet& set, const Bdd& by, const Cause& cause);
  void add(const OldFrame& frame, const Bdd& set, const Cause& cause);
  std::vector<std::uint32_t> needed(const OldFrame& frame) const;
  Bdd onto_needed(const OldFrame& frame, const Bdd& set) const;
  void expand(const OldFrame& frame, const Bdd& states);
  void call(const OldFrame& frame, const Bdd& states);
  void give_back(const OldFrame& frame, const Bdd& states);
  void find_stacks();

  Summaries& summaries_;
  const Transfer& transfer_;
  Purpose purpose_;
  std::shared_ptr<const Phase> previous_;
  std::uint32_t thread_;
  std::uint32_t number_;
  std::uint32_t start_;
  std::uint32_t end_ = 0;
  std::map<OldFrame, GrowingSet> at_;
  std::map<OldFrame, Bdd> begun_;  // what was there when the context began
  std::map<Pc, std::vector<OldCaller>> callers_;
  std::map<Pc, GrowingSet> on_stack_;
  std::uint64_t rank_ = 0;
  Worklist<OldFrame> work_;
  std::optional<Failure> failure_;
};

}  // namespace thrum::bp
