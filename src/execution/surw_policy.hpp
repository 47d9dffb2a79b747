// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SURW, the selectively uniform random walk: each order of the operations that matter is equally likely.
//
// The idea. A random walk favours some schedules over others by powers of two. Instead, draw the next thread
// in proportion to the number of operations that it still has to do. Then each interleaving is equally
// likely, since from each state that many interleavings lead on (URW). There are too many interleavings to
// gain much by this. So it is done only for a set of operations, Delta: the thread that does the next
// operation in Delta is drawn in advance, in proportion to the number that each thread has left. Until it has
// done it, the other threads do only operations outside Delta, in a random order, and wait before an
// operation in Delta (Zhao, Wolff, Mathur, Roychoudhury, "Selectively Uniform Concurrency Testing", ASPLOS
// 2025, Algorithms 1 and 2).
//
// Example: thread A does ten operations, B does one. There are 11 interleavings. In a random walk B comes
// last with probability 1 : 2^10, here with 1 : 11: A goes first with probability 10/11, then with 9/10, ...
//
// A thread that does not exist yet needs its creation first, so its operations count as its creator's. If the
// creator was drawn and a child is created, the draw passes to the child with probability equal to the
// child's share of their sum.
//
// Delta is chosen again for each execution: the operations on one object that several threads used in earlier
// executions; for `urw`, all operations. The number of a thread's operations is the mean over earlier
// executions. The first execution is a plain random walk.
//
// The distribution is exact, and the policy says so, under these conditions: each thread always does the same
// number of operations; a thread waits only for the ends of other threads; and its operations come after
// those threads' operations, never beside them. Otherwise the counts are estimates. If no thread that may go
// on is enabled, another one is drawn. Every schedule is still possible.
//
// Where we differ: an event that may end a wait by chance (a timeout, say) is not in Delta. It is taken once
// in eight times that it is possible, since its count cannot be learned.
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
  static constexpr std::size_t kEntriesMax = 1 << 14;  // of a profile; later objects count as one

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
    bool known = false;  // in the plan, or seen
    bool created = false;
    bool live = false;  // at the present choice, as all below
    bool enabled = false;
    bool parked = false;    // waits for another thread's end: its operations come after that thread's
    bool in_delta = false;  // its pending operation is
    bool competed = false;  // it was weighed against others since it was parked or created
    std::uint64_t object = 0;
    std::uint64_t left = 0;    // operations in Delta
    std::uint64_t weight = 0;  // these, and those of the threads that it may yet create
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
  bool looked_ = false;  // look() was called at the present choice
  bool exact_ = false;
  double log_chance_ = 0;
  // Operations so far, by object and thread; and the keys in the order in which they were first met.
  // Addresses may differ in another process, so no decision may depend on them.
  std::map<std::pair<std::uint64_t, ThreadId>, std::uint32_t> done_;
  std::vector<std::pair<std::uint64_t, ThreadId>> met_;
};

}  // namespace thrum
