// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is no bug, and what the user should look at all the same: locks that threads take in opposite orders,
// and threads that wait for ever when the process ends.
//
// Both are found from what executions do anyway. Locks are read from the events of some executions: of the
// first ones, and of each thousandth from then on, so that searches are as fast as they were. An order is an
// edge between two locks: a thread acquired the one while it held the other. A circle of such edges of
// different threads, which hold no common lock meanwhile, is a deadlock if the threads come to it at once (R.
// Agarwal, L. Wang and S. Stoller, "Detecting potential deadlocks with static analysis and run-time
// monitoring", 2005, give the condition of the common lock, the gate).
//
// Where it happened is not kept while executions are fast: the plan is, of the first execution that showed
// it, and it is run once more after the search, with everything written down. There locks have names that
// last; a circle that was one of addresses only, used by several locks one after another, is dropped.
//
// Thread safety: one thread runs at a time. Tested by tests/endtoend/warnings_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "execution/program.hpp"
#include "model/trace.hpp"
#include "protocol/job.hpp"
#include "runtime/base/forever.hpp"
#include "runtime/base/thread.hpp"

namespace thrum {

class Warnings {
 public:
  constexpr Warnings() = default;

  // The search begins, or is over; executions in between are looked at.
  void watch(bool on) { watching_ = on; }

  // An execution of the plan, which must live on to its end, begins.
  void begin(const Plan& plan) {
    plan_ = &plan;
    sampled_ = false;
    if (!watching_) return;
    ++executions_;
    sampled_ = (executions_ <= kAllOfFirst && steps_ < kStepsOfFirst) || executions_ == next_;
    if (executions_ == next_) next_ += kEachOf;
  }
  // Whether its events are to be written down.
  bool wants_events() const { return sampled_; }
  // It is over, with the events that it was asked for.
  void learn(const Trace& trace);

  // The process ends, by the running thread, while others live.
  void look_at_exit();

  // What was seen, for a search that is taken up in another process. same_layout: objects have the same
  // addresses there; else what is known of locks is left out.
  void save(ByteWriter& out, const ThreadNames& names) const;
  void load(ByteReader& in, ThreadNames& names, bool same_layout);

  // A part of the search begins in this process; and what such a part has seen.
  void begin_part();
  void merge(ByteReader& in, ThreadNames& names);

  // Runs what is to be told once more. bugs: those that the search found.
  std::vector<Warning> explain(Program& program, const std::vector<FoundBug>& bugs);

 private:
  static constexpr std::uint64_t kAllOfFirst = 1000;
  static constexpr std::uint64_t kStepsOfFirst = 4'000'000;
  static constexpr std::uint64_t kEachOf = 1000;
  static constexpr std::uint64_t kStepsOfEach = 4000;  // longer ones have their turn as much more seldom
  static constexpr std::size_t kBlockedMax = 8;
  static constexpr std::size_t kEdgesMax = 256;
  static constexpr std::size_t kCirclesMax = 8;
  static constexpr std::size_t kCircleLengthMax = 5;

  struct Blocked {  // at one place
    Operation operation;
    std::uint64_t code;
    std::uint64_t executions;
    std::uint64_t last;  // of them
    Plan plan;
  };
  struct Acquired {
    std::uint64_t lock;
    bool shared;
    std::uint32_t event;  // of its thread
  };
  struct Edge {
    Acquired held;
    Acquired wanted;
    ThreadId thread;
    std::vector<std::uint64_t> gates;  // other locks that it held, in their order
    std::uint64_t executions;
    Plan plan;
    Trace evidence{};  // of the two acquisitions; empty: not run again yet
  };
  void take(Blocked blocked);
  void take(Edge edge);
  using Held = std::map<ThreadId, std::vector<Acquired>>;
  void acquire(std::vector<Acquired>& mine, ThreadId thread, Acquired lock, bool blocks);
  void add_edge(const Acquired& held, const Acquired& wanted, ThreadId thread,
                const std::vector<Acquired>& all);
  std::vector<Warning> explain_blocked(Program& program);
  std::vector<Warning> explain_circles(Program& program);
  void find_circles(std::vector<Edge*>& way, std::vector<std::vector<Edge*>>& circles);
  static bool may_follow(const std::vector<Edge*>& way, const Edge& next);
  static void add_evidence(Program& program, Edge& edge);

  std::vector<Blocked> blocked_;
  std::vector<Edge> edges_;
  const Plan* plan_ = nullptr;
  std::uint64_t executions_ = 0;
  std::uint64_t steps_ = 0;       // of those whose events were wanted
  std::uint64_t next_ = kEachOf;  // whose events are wanted, behind the first ones
  bool watching_ = false;
  bool sampled_ = false;  // those of the execution that runs
};

extern constinit Forever<Warnings> the_warnings;
inline Warnings& warnings() { return the_warnings.value; }

}  // namespace thrum
