// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What priorities ask about a trace: which operation of a thread is pending at a choice, which options
// dynamic partial-order reduction would take, and which ones sleep sets find redundant.
//
// It answers for one execution alone, and it never decides what is run, only when: an answer that is too
// careful, or wrong, costs time and no schedule.
//
// Happens-before. An event comes after those before it that it depends on (model/event.hpp), after its
// thread's own, and after the one behind which its thread was created or had joined another: these are no
// events, but show in who is enabled.
//
// Reversals (Flanagan and Godefroid, POPL 2005, Figure 3; GAMBIT, Figure 4, lines 27 to 41). For each event,
// and for each operation that is pending at the end, the last earlier event that conflicts with it and does
// not happen before its thread's step, and so could come later: there its thread is to run instead (exact).
// If it is not enabled there, any enabled thread may lead to it (conservative). So may any thread that is
// enabled before a lock is released that the event takes: the two are never enabled together, and the
// conflict proper is with the acquisition before.
//
//   Example: thread 1 writes x, then thread 2 writes y and x. The choice before thread 1's event is marked
//   exact for thread 2, if it is enabled there; that between y and x is no choice of interest.
//
// Only conflicts within what is new in the execution are looked for: behind the plan's last departure, where
// the options are that may be asked for.
//
// Sleep sets (Godefroid 1996). The execution without the last departure was run before this one: so what it
// did in that place need not be done behind the departure until something dependent has been. Options of one
// choice count as run in the order: the default, then as they stand. Once an execution runs what is asleep,
// all that follows in it is known.
//
// Thread safety: none. Tested by trace_analysis_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/plan.hpp"
#include "model/trace.hpp"

namespace thrum {

class TraceAnalysis {
 public:
  enum class Reversal : std::uint8_t { none, conservative, exact };

  // Forgets the trace before. REQUIRES: trace is of plan, by its base, with Wanted::all_events(); both live
  // on as long as questions are asked.
  void begin(const Plan& plan, const Trace& trace);

  // The first choice behind the plan's last departure.
  std::size_t first_new() const { return first_new_; }

  // How many visible events come before the choice, or before the event in whose middle it is.
  std::uint32_t position(std::size_t choice) const { return positions_[choice]; }

  // The thread's first event from that position on, or its pending operation at the end; nullptr: neither.
  const Event* next_of(ThreadId thread, std::uint32_t position) const;

  // REQUIRES of both: choice >= first_new(). Options that are no thread's next operation are exact where they
  // are all there is (values, waiters), and conservative among threads (timeouts, signals, wake-ups).
  Reversal reversal(std::size_t choice, std::uint16_t option);
  bool sleeps(std::size_t choice, std::uint16_t option);

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  using Clock = std::vector<std::uint32_t>;  // by column: how many new events of each thread are known

  std::uint32_t find_position(const ChoicePoint& point) const;
  std::span<const Option> runnable(const ChoicePoint& point) const;
  bool enabled_at(std::uint32_t position, ThreadId thread) const;

  class Earlier;
  void find_reversals();
  void number_threads(std::uint32_t begin);
  void add_enabling_edges(std::uint32_t position);
  void look_back(const Event& event, std::uint32_t position, std::uint32_t own_last);
  void mark(std::uint32_t position, ThreadId thread, Reversal reversal);
  void link(std::uint32_t position);
  std::size_t line_head(std::uint64_t object) const;

  void find_sleepers();
  void run_past(const Event& event);
  void put_to_sleep(const ChoicePoint& point, std::uint32_t position);

  const Plan* plan_ = nullptr;
  const Trace* trace_ = nullptr;
  std::size_t first_new_ = 0;
  std::vector<Event> standing_;                     // operations that were pending at the end
  std::vector<const Event*> done_;                  // the visible events; positions count these
  std::vector<std::uint32_t> positions_;            // by choice
  std::vector<std::uint32_t> choice_at_;            // by position: the thread choice there, or kNone
  std::vector<std::vector<std::uint32_t>> events_;  // by thread: positions

  bool has_reversals_ = false;
  std::vector<Reversal> reversals_;    // as Trace::options
  std::uint32_t begin_ = 0;            // the first new event
  std::vector<std::uint32_t> column_;  // by thread
  std::vector<Clock> clocks_;          // by new event: what happens before it, and itself
  std::vector<Clock> known_;           // by column: what happens before the thread's next event
  std::vector<std::uint32_t> rank_;    // by new event: counts its thread's from 1
  struct LineHeads {
    std::uint32_t any;
    std::uint32_t changing;
  };
  std::vector<LineHeads> line_heads_;           // by hash of an object's line: its last event, and no load
  std::vector<std::uint32_t> line_before_;      // by new event: the one before it in its line
  std::vector<std::uint32_t> changing_before_;  // the last there that is no load
  std::vector<std::uint32_t> wide_;             // events that conflict by more than one line
  Clock joined_;

  struct Sleeper {
    ThreadId thread;
    const Event* next;
  };
  bool has_sleepers_ = false;
  bool redundant_ = false;
  std::vector<bool> sleeping_;  // as Trace::options
  std::vector<Sleeper> sleepers_;
};

}  // namespace thrum
