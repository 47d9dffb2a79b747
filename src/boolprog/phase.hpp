// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One context of one thread, for all executions that may come before it in a schedule.
//
// When a thread goes on, its stack has frames that it called in its earlier contexts. The possible states of
// such a frame depend on the globals at the context switches where those contexts began and ended: the
// boundaries of the thread. So the sets for these frames also range over copies of the globals at the
// boundaries. This splits the aggregate states by the globals at the switches without listing them: a BDD
// that does not depend on such a global does not mention it (compare the lazy splitting of Suwimonteerabuth,
// Esparza and Schwoon, Symbolic Context-Bounded Analysis of Multithreaded Java Programs, SPIN 2008). Frames
// that are called in this context depend only on their entry (summaries.hpp).
//
// To decide whether the last context of a schedule fails, less is enough. How the boundaries depend on other
// threads does not matter any more, and a frame needs only those boundaries on which the frames below it
// depend, too. No further context can begin from such a phase.
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

// Marks the first frame of a thread, to distinguish it from later calls of the same procedure.
inline constexpr std::uint32_t kBase = 0;
// In a cause: the caller was called in the same context as the frame that returned to it.
inline constexpr std::uint32_t kNoOldCaller = ~std::uint32_t{0};

// A frame that was on the stack when the context began.
struct OldFrame {
  std::uint32_t origin = kBase;  // the context of the thread that called it, from 1; kBase: the first frame
  FrameKey frame;
  friend bool operator==(const OldFrame&, const OldFrame&) = default;
  // Frames called later come first: they return to earlier ones, never the other way round.
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
    detect,  // decides whether the context fails
    go_on,   // further contexts follow
    trace,   // the same, and records causes for a witness
  };

  // The first context of a thread. start: the boundary where it begins; 0: the beginning of the execution.
  Phase(Summaries& summaries, const Transfer& transfer, Purpose purpose, std::uint32_t thread,
        std::uint32_t start);
  // A further context of the thread.
  Phase(Summaries& summaries, const Transfer& transfer, Purpose purpose,
        std::shared_ptr<const Phase> previous, std::uint32_t start);

  // begin: the states of the thread's first frame at `entry`.
  void begin_first(Pc entry, const Bdd& begin);
  // Begins with the frames of the previous context, at places where a context switch makes a difference
  // (switches.hpp). schedules: the possible globals at the boundaries.
  void begin_again(const Bdd& schedules);
  // Computes all states that the thread reaches in this context.
  void saturate();
  // The globals now with which the context may end, over the boundaries of the thread, before
  // Transfer::context_ended(). Only from places where a context switch makes a difference (switches.hpp), and
  // only from states with which the context did not begin: a context without a step adds nothing.
  Bdd ends() const;
  // Ends the context at this boundary.
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

  // For the search backwards (backward_run.hpp).
  const GrowingSet& at(const OldFrame& frame) const;
  const std::map<OldFrame, GrowingSet>& old_frames() const { return at_; }
  const std::vector<OldCaller>& callers(Pc entry) const;
  // The entries of a procedure's frames that were called in this context and may be on the stack, over the
  // boundaries. Causes: resume: a call by callers(entry)[index]; back: a call at `from` in a frame of
  // Cause::entry.
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
  std::map<OldFrame, Bdd> begun_;  // the states with which the context began
  std::map<Pc, std::vector<OldCaller>> callers_;
  std::map<Pc, GrowingSet> on_stack_;
  std::uint64_t rank_ = 0;
  Worklist<OldFrame> work_;
  std::optional<Failure> failure_;
};

}  // namespace thrum::bp
