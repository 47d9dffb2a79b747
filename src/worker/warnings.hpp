// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warnings: conditions that are no bugs, but that the user should know of. Threads take locks in opposite
// orders, or threads wait for ever when the process ends.
//
// Both are found from the executions of the search. Lock orders are read from the events of some executions:
// the first ones, and every thousandth from then on, so that searches do not get slower. An order is an edge
// between two locks: a thread acquired one while it held the other. A cycle of such edges of different
// threads that hold no common lock is a deadlock if the threads run into it at the same time (R. Agarwal, L.
// Wang and S. Stoller, "Detecting potential deadlocks with static analysis and run-time monitoring", 2005,
// give the condition of the common lock, the gate).
//
// The place is not recorded while executions are fast. The plan of the first execution that showed the
// warning is kept, and run again after the search with everything recorded. There locks have lasting names. A
// cycle of addresses that several locks used one after another is dropped.
//
// Nothing here depends on the engine: it says which executions it wants the events of, and it is told which
// threads wait for ever.
//
// Thread safety: one thread runs at a time. Tested by tests/endtoend/warnings_test.cpp and
// tests/endtoend/vm_warnings_test.cpp, too.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "execution/program.hpp"
#include "model/thread_names.hpp"
#include "model/trace.hpp"
#include "protocol/job.hpp"
#include "support/bytes.hpp"

namespace thrum {

class Warnings {
 public:
  constexpr Warnings() = default;

  // The search begins or is over; executions in between are examined.
  void watch(bool on) { watching_ = on; }

  // An execution of the plan begins. The plan must exist until the execution ends.
  void begin(const Plan& plan) {
    plan_ = &plan;
    sampled_ = false;
    if (!watching_) return;
    ++executions_;
    sampled_ = (executions_ <= kAllOfFirst && steps_ < kStepsOfFirst) || executions_ == next_;
    if (executions_ == next_) next_ += kEachOf;
  }
  // Whether the execution's events have to be recorded.
  bool wants_events() const { return sampled_; }
  // The execution is over; the trace has its steps, and the events that were asked for.
  void learn(const Trace& trace);

  // Whether a thread that ends the process while others live is to look for those that are blocked for ever,
  // and calls note_blocked() for each: its operation, and the address of its code.
  bool is_watching() const { return watching_; }
  void note_blocked(Operation operation, std::uint64_t code);

  // The findings, for a search that is resumed in another process. An address of code is written and read by
  // the engine. same_layout: objects have the same addresses there; else findings about locks are dropped.
  using PutCode = void (*)(ByteWriter& out, std::uint64_t code);
  using GetCode = std::uint64_t (*)(ByteReader& in);
  void save(ByteWriter& out, const ThreadNames& names, PutCode put_code) const;
  void load(ByteReader& in, ThreadNames& names, bool same_layout, GetCode get_code);

  // A part of the search begins in this process; and the findings of such a part.
  void begin_part();
  void merge(ByteReader& in, ThreadNames& names, GetCode get_code);

  // Runs the executions of the warnings again. bugs: found by the search.
  std::vector<Warning> explain(Program& program, const std::vector<FoundBug>& bugs);

 private:
  static constexpr std::uint64_t kAllOfFirst = 1000;
  static constexpr std::uint64_t kStepsOfFirst = 4'000'000;
  static constexpr std::uint64_t kEachOf = 1000;
  static constexpr std::uint64_t kStepsOfEach = 4000;  // longer ones are sampled more seldom, in proportion
  static constexpr std::size_t kBlockedMax = 8;
  static constexpr std::size_t kEdgesMax = 256;
  static constexpr std::size_t kCirclesMax = 8;
  static constexpr std::size_t kCircleLengthMax = 5;

  struct Blocked {  // threads blocked at one place
    Operation operation;
    std::uint64_t code;
    std::uint64_t executions;
    std::uint64_t last;  // the last such execution
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
    std::vector<std::uint64_t> gates;  // other locks that it held, in order
    std::uint64_t executions;
    Plan plan;
    Trace evidence{};  // a trace of the two acquisitions; empty: not run again yet
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
  std::uint64_t steps_ = 0;       // of the executions that were sampled
  std::uint64_t next_ = kEachOf;  // the next execution to be sampled, after the first ones
  bool watching_ = false;
  bool sampled_ = false;  // the events of the running execution are wanted
};

}  // namespace thrum
