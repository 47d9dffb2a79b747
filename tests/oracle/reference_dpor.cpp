// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Optimal dynamic partial-order reduction: Algorithm 2 of Abdulla, Aronis, Jonsson, Sagonas, "Source Sets:
// A Foundation for Optimal Dynamic Partial Order Reduction", JACM 2017, from the paper, as plainly as
// possible; it shares nothing with src/search. E is the execution so far, pre(E,e) its part before e,
// notdep(e,E) the events behind e that do not happen after it, WI(v) the weak initials of v. The
// numbers of the lines are ours, not the paper's.
//
//    1  Explore(E, Sleep, WuT)
//    2    if nothing is enabled after E then
//    3      for all e, e' in E that race do
//    4        let v = notdep(e,E).e'
//    5        if no step is in sleep(pre(E,e)) and in WI(v) then insert v into wut(pre(E,e))
//    6    else
//    7      wut(E) := WuT, or where that is empty some p that is enabled;  sleep(E) := Sleep
//    8      while wut(E) is not empty do
//    9        let p be its first branch, and WuT' what follows p in it
//   10        Explore(E.p, all q in sleep(E) that are independent of p, WuT')
//   11        add p to sleep(E);  remove p and what follows it from wut(E)
//
// Example: threads 1 and 2 each store to x. The first execution is 1 2. Its events race, so the branch 2 is
// inserted at the beginning. The next execution is 2 1: thread 1 does not sleep behind 2, as the stores
// depend on each other. Its race gives v = 1, which sleeps at the beginning. So the search ends.
//
// The paper takes it that a thread has one next step, and that no step disables another. Toy programs:
// - A step is a thread and what it chooses: a value, or the waiter that a signal wakes. Different steps of
//   one thread depend on each other, so all of them are tried, as if they raced.
// - A thread that blocks (at a lock, a semaphore, in a wait, at a join) is not enabled. What ends the block
//   depends on it by the table. Creation, start, end and join are parts of other steps. They order events,
//   since a thread that is not there, or waits at a join, is not enabled.
// - A lock that e takes disables the step that competes with it, which stands in E much later or not at all.
//   So e' is each step that is enabled after pre(E,e).notdep(e,E) and depends on e there. Where nothing
//   blocks, these are the paper's races, and pairs that have an event between them. A sequence too many
//   costs no execution: insertion refuses what is covered.
// - A failed assertion or a misused mutex ends the execution. The step that leads to it disables all others,
//   and so depends on all. Such an execution has no class.
// Whether two steps depend on each other is seen by running them: dependent(), or they end the execution.
//
// Left out by is_for_reference(): timed waits and spurious wake-ups, which may depend on whether any thread
// can go on, and so on all steps; and plain data, which no event orders.
// Tested by reference_dpor_test.cpp, against the brute-force oracle.
#include "oracle/reference_dpor.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "oracle/interpreter.hpp"
#include "oracle/oracle.hpp"
#include "support/check.hpp"

namespace thrum {

namespace {

struct OracleStep {
  int thread = 0;
  int way = 0;  // of Interpreter::count_ways()

  friend bool operator==(const OracleStep&, const OracleStep&) = default;
};
using OracleSequence = std::vector<OracleStep>;

// An ordered tree. A path from the root is a sequence to be explored; a tree without branches is a leaf.
struct WakeupTree {
  struct Branch;
  std::vector<Branch> branches;
};
struct WakeupTree::Branch {
  OracleStep step;
  WakeupTree below;
};

// An event of E, and what belongs to the execution before it.
struct Point {
  OracleState state;
  OracleSequence sleep;
  WakeupTree wut;
  OracleStep step;
  Event event;
};

class ReferenceDpor {
 public:
  ReferenceDpor(const ToyCode& code, std::uint64_t executions_max, ReferenceResult& result)
      : interpreter_(code, false), executions_max_(executions_max), result_(result) {}

  void run() { explore(interpreter_.start(), {}, {}); }

 private:
  void explore(const OracleState& state, const OracleSequence& sleep, const WakeupTree& wut);
  void finish(const OracleState& state);
  void reverse_races(bool stopped);
  OracleSequence notdep(std::size_t e, bool stopped, OracleState& after) const;
  void insert(OracleState state, const OracleSequence& v, WakeupTree& tree) const;
  std::optional<OracleSequence> without(OracleState state, OracleStep p, OracleSequence v) const;

  // Whether they are independent in that state, in which both can be taken.
  bool commute(const OracleState& state, OracleStep p, OracleStep q) const {
    if (p.thread == q.thread) return false;
    OracleState after_p = state;
    OracleState after_q = state;
    if (dependent(run(after_p, p), run(after_q, q)) || after_p.stopped || after_q.stopped) return false;
    run(after_p, q);
    return !after_p.stopped;
  }

  Event run(OracleState& state, OracleStep step) const {
    THRUM_CHECK(!state.stopped && interpreter_.enabled(state, step.thread));
    THRUM_CHECK(step.way < interpreter_.count_ways(state, {step.thread}));
    std::string schedule;
    return interpreter_.step(state, {step.thread}, step.way, schedule);
  }

  std::vector<OracleStep> enabled(const OracleState& state) const {
    std::vector<OracleStep> steps;
    for (int thread = 0; thread < kOracleThreads && !state.stopped; ++thread) {
      if (!interpreter_.enabled(state, thread)) continue;
      for (int way = 0; way < interpreter_.count_ways(state, {thread}); ++way) steps.push_back({thread, way});
    }
    return steps;
  }

  Interpreter interpreter_;
  std::uint64_t executions_max_;
  ReferenceResult& result_;
  std::vector<Point> execution_;  // E
};

void ReferenceDpor::explore(const OracleState& state, const OracleSequence& sleep, const WakeupTree& wut) {
  if (result_.gave_up) return;
  if (wut.branches.empty() && !sleep.empty()) ++result_.asleep;
  const std::vector<OracleStep> next = enabled(state);
  if (next.empty()) {
    THRUM_CHECK(wut.branches.empty());
    finish(state);
    return reverse_races(state.stopped);
  }
  const std::size_t here = execution_.size();
  execution_.push_back({state, sleep, wut, {}, {}});
  if (wut.branches.empty()) execution_[here].wut.branches.push_back({next[0], {}});
  while (!execution_[here].wut.branches.empty()) {
    const auto [p, below] = execution_[here].wut.branches.front();
    OracleSequence sleep_below;
    for (OracleStep q : execution_[here].sleep) {
      if (commute(state, p, q)) sleep_below.push_back(q);
    }
    OracleState after = state;
    execution_[here].step = p;
    execution_[here].event = run(after, p);
    explore(after, sleep_below, below);
    execution_[here].sleep.push_back(p);
    execution_[here].wut.branches.erase(execution_[here].wut.branches.begin());
  }
  execution_.pop_back();
}

void ReferenceDpor::finish(const OracleState& state) {
  result_.gave_up = ++result_.executions > executions_max_;
  const Ending ending = ending_of(interpreter_, state);
  if (ending.has_bug) result_.bugs.insert(ending.bug);
  if (state.stopped) return;
  result_.final_states.insert(print(ending.state));
  std::vector<Event> events;
  for (const Point& point : execution_) events.push_back(point.event);
  ++result_.classes[name_of_class(events)];
}

void ReferenceDpor::reverse_races(bool stopped) {
  for (std::size_t e = 0; e < execution_.size(); ++e) {
    Point& point = execution_[e];
    OracleState after;
    OracleSequence v = notdep(e, stopped, after);
    for (OracleStep step : enabled(after)) {
      v.push_back(step);
      auto is_in_wi = [&](OracleStep p) { return without(point.state, p, v).has_value(); };
      // That e is one says that the step does not depend on it.
      if (!is_in_wi(point.step) && std::none_of(point.sleep.begin(), point.sleep.end(), is_in_wi))
        insert(point.state, v, point.wut);
      v.pop_back();
    }
  }
}

// stopped: a bug has ended E. after: where it leads to. What is not enabled stands behind a creation or join.
OracleSequence ReferenceDpor::notdep(std::size_t e, bool stopped, OracleState& after) const {
  after = execution_[e].state;
  OracleSequence sequence;
  std::vector<Event> happens_after = {execution_[e].event};
  for (std::size_t i = e + 1; i < execution_.size(); ++i) {
    const Point& point = execution_[i];
    auto comes_first = [&](const Event& earlier) { return dependent(earlier, point.event); };
    if ((stopped && i + 1 == execution_.size()) || !interpreter_.enabled(after, point.step.thread) ||
        std::any_of(happens_after.begin(), happens_after.end(), comes_first)) {
      happens_after.push_back(point.event);
    } else {
      sequence.push_back(point.step);
      run(after, point.step);
    }
  }
  return sequence;
}

// The tree is that of an execution that leads to the state. v follows the first branch that is a weak
// initial of what is left of it. At a leaf it is covered. Where no branch will do, the rest is a new one.
void ReferenceDpor::insert(OracleState state, const OracleSequence& v, WakeupTree& tree) const {
  for (auto& [step, below] : tree.branches) {
    const std::optional<OracleSequence> left = without(state, step, v);
    if (!left) continue;
    if (below.branches.empty()) return;
    run(state, step);
    return insert(state, *left, below);
  }
  WakeupTree* end = &tree;
  for (OracleStep step : v) {
    end->branches.push_back({step, {}});
    end = &end->branches.back().below;
  }
}

// v without p, from that state; nothing where p is not in WI(v). REQUIRES: p can be taken there, and v.
std::optional<OracleSequence> ReferenceDpor::without(OracleState state, OracleStep p,
                                                     OracleSequence v) const {
  for (auto step = v.begin(); step != v.end(); ++step) {
    if (*step == p) {
      v.erase(step);
      return v;
    }
    if (!commute(state, p, *step)) return {};
    run(state, *step);
  }
  return v;
}

}  // namespace

bool is_for_reference(const ToyCode& code) {
  auto is_left_out = [](const Instruction& instruction) {
    return instruction.opcode == Opcode::timed_wait || is_plain(instruction.opcode);
  };
  return !code.spurious && std::none_of(code.threads.begin(), code.threads.end(), [&](const auto& thread) {
    return std::any_of(thread.begin(), thread.end(), is_left_out);
  });
}

ReferenceResult explore_by_reference(const ToyCode& code, std::uint64_t executions_max) {
  THRUM_CHECK(is_for_reference(code));
  ReferenceResult result;
  ReferenceDpor(code, executions_max, result).run();
  return result;
}

}  // namespace thrum
