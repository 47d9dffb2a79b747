// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SURW, the selectively uniform random walk: each order of the operations that matter has the same chance.
//
// The idea. A random walk favours some schedules over others by powers of two. But let the thread that goes
// on be drawn in proportion to how much each has still to do: then each interleaving has the same chance,
// since from any moment on there are that many ways to go on (URW). There are too many interleavings to gain
// much by that, so it is done for a set of operations, Delta, only: the thread to do the next operation in
// Delta is drawn in advance, in proportion to how many each has left; until it has done it, others do only
// what is not in Delta, in a random order, and wait where they come to something that is (Zhao, Wolff,
// Mathur, Roychoudhury, "Selectively Uniform Concurrency Testing", ASPLOS 2025, Algorithms 1 and 2).
//
// Example: thread A does ten operations, B one. There are 11 interleavings; by random walk B comes last with
// 1 : 2^10, here with 1 : 11. A goes first with 10/11, then with 9/10, ...
//
// Threads that are not created yet stand behind a creation, and so what they have to do counts as their
// creator's. If the creator has been drawn and a child appears, the draw goes over to the child with the
// share that the child has in their sum.
//
// Delta is, anew in each execution, the operations on one object that several threads used in earlier ones;
// as `urw`, everything. How many operations a thread does is the mean over earlier executions; the first one
// knows nothing and is a plain random walk.
//
// It is exact, and says so, where each thread always does as many operations, and waits for nothing but the
// ends of others, with none of its operations beside those others but behind them. Else counts are
// estimates, and where nobody can go on who may, another one is drawn; every schedule is still possible.
//
// Where we differ: what may end a wait unasked (a timeout, say) is no part of Delta, and taken once in eight
// times that it could be; it has no count that could be learned.
//
// Tested by policy_test.cpp, and against the oracle by tests/oracle/sampling_test.cpp.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "execution/policy.hpp"
#include "support/random.hpp"

namespace thrum {

class SurwPolicy final : public RunningPolicy {
 public:
  static constexpr std::size_t kEntriesMax = 1 << 14;  // of a profile; further objects are not told apart

  // The object whose operations are sampled uniformly; 0: all operations.
  static std::uint64_t object_of(const Policy& policy) { return policy.parameter(0); }

  void begin(const Policy& policy) override;
  std::uint16_t choose(const ChoicePoint& point, std::span<const Option> options, Pending& threads) override;
  void follow(const ChoicePoint& point, std::span<const Option> options, std::uint16_t taken,
              Pending& threads) override;
  bool needs_all() const override { return true; }
  void finish(Sampling& sampling) const override;

 private:
  struct Thread {
    bool known = false;  // of the plan, or seen
    bool created = false;
    bool live = false;  // as of the choice at hand, and so what follows
    bool enabled = false;
    bool parked = false;    // waits for another to end: what it has left comes behind that one
    bool in_delta = false;  // what it stands before
    bool competed = false;  // since it was parked, or created, it was weighed against others
    std::uint64_t object = 0;
    std::uint64_t left = 0;    // operations in Delta
    std::uint64_t weight = 0;  // those, and what the threads have that it may yet create
  };

  Thread& thread(ThreadId id);
  void look(Pending& threads);
  void add(ThreadId id, Pending& threads);
  ThreadId nearest_created(ThreadId id, const Pending& threads) const;
  void weigh(const Pending& threads);
  static std::uint64_t share_of(const Thread& one, bool enabled_only);
  std::uint64_t sum_of_shares(bool enabled_only) const;
  ThreadId draw(bool enabled_only);
  std::uint16_t choose_thread(const ChoicePoint& point, std::span<const Option> options, Pending& threads);
  void count_step(ThreadId id);

  std::uint64_t object_ = 0;
  Random random_{0};
  std::vector<Thread> threads_;  // by id
  std::vector<ThreadId>
      known_;  // those of them that are known, in an order that the plan and the program fix
  ThreadId intended_ = kNoThread;
  bool looked_ = false;  // at the choice at hand
  bool exact_ = false;
  double log_chance_ = 0;
  // Operations so far, by object and thread, and the keys in the order in which they were met first:
  // addresses may be others in another process, and must decide nothing.
  std::map<std::pair<std::uint64_t, ThreadId>, std::uint32_t> done_;
  std::vector<std::pair<std::uint64_t, ThreadId>> met_;
};

}  // namespace thrum
