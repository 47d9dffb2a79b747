// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fair scheduler: a thread that goes round in a loop has to wait until others have had their turn
// (Musuvathi and Qadeer, "Fair Stateless Model Checking", PLDI 2008, Algorithm 1).
//
// The idea. A thread that yields has nothing better to do. Suppose it comes back to its yield, and another
// thread was enabled all the time in between and did not run. Then the starved thread has priority from here
// on, until it has run once. The same holds for threads that the yielding thread itself has disabled. So a
// loop that yields runs once or twice before the other threads get their turn. Every schedule that is left
// ends, unless the program has a livelock.
//
// Example: one thread does while (!poll()) yield(), where poll() takes a lock and reads a flag. Another
// thread takes the lock and sets the flag. Without fairness the first thread may poll any number of times
// before the second one runs, and each number is another schedule.
//
// Each thread that has yielded has a window, which began at its last yield: the set E of the threads that
// were enabled ever since, the set D of those that it has disabled, and the set S of those that have run. At
// its next yield it gets a lower priority than (E union D) without S. A thread may run if no thread with
// priority over it is enabled. Theorem 3 of the paper: the priorities never form a cycle, so some thread may
// always run.
//
// Where we differ:
//   - A thread yields when it arrives at its yield, not when it has done it. It also yields when its timed
//     wait or its sleep times out.
//   - A yield counts from the second time that the thread is at the same place in its code. A thread that
//     sleeps twice in straight-line code is in no loop; a program that takes such sleeps for an order of
//     events has to be shown wrong.
//   - A thread in a wait that may time out counts as enabled.
//
// What is lost: a loop that gives up after a number of rounds may never do so, since other threads run first.
// The paper's Theorem 5 holds only for states that are reached with one yield of each thread. So if any
// option was withheld, a search covers fair schedules only.
//
// Under Fairness::watch nothing is withheld; the scheduler only notices that a thread starves.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "execution/advisor.hpp"
#include "model/plan.hpp"
#include "model/trace.hpp"

namespace thrum {

// A set of threads, by their ids.
class ThreadSet {
 public:
  void clear() { words_.clear(); }
  void add(ThreadId thread);
  void remove(ThreadId thread);
  bool has(ThreadId thread) const;
  bool empty() const;
  bool meets(const ThreadSet& other) const;
  void unite(const ThreadSet& other);
  void intersect(const ThreadSet& other);
  void subtract(const ThreadSet& other);

 private:
  std::vector<std::uint64_t> words_;
};

class FairScheduler {
 public:
  // A thread is starved if it was enabled, without running, during so many rounds in a row at one of another
  // thread's yields.
  static constexpr std::uint32_t kPatience = 100;

  // Begins an execution.
  void begin(Fairness mode);

  // Whether some thread has yielded or slept. From then on each choice of a thread matters, even with a
  // single option.
  bool active() const { return active_; }

  // Whether the scheduler needs this choice of a thread. It does not before some thread yields, or may sleep
  // or time out.
  bool has_to_know(const ChoicePoint& point, std::span<const Option> options) const {
    return active_ || point.yielded || options.size() != point.enabled;
  }

  // A choice of a thread is met, for which has_to_know() is true.
  void meet(const ChoicePoint& point, std::span<const Option> options, Pending& threads);

  // Puts the options whose threads may run into kept, and their positions into from; point becomes the choice
  // among them. False, without any change, if all may run.
  bool withhold(ChoicePoint& point, std::span<const Option> options, std::vector<Option>& kept,
                std::vector<std::uint16_t>& from) const;

  // The execution goes on with that option.
  void take(const Option& option, Pending& threads);

  // Choices of a thread met since active().
  std::uint32_t choices() const { return choices_; }

  // Whether the part of the execution since that number of choices can repeat for ever and is fair: each
  // enabled thread ran in it, and yielded.
  bool is_fair_since(std::uint32_t choices) const;

  // Some thread has exceeded kPatience.
  bool starves() const { return starves_; }

 private:
  struct Last {
    std::uint32_t enabled = 0;  // numbers of choices, from 1
    std::uint32_t taken = 0;
    std::uint32_t yielded = 0;
  };
  struct PerThread {
    ThreadSet enabled;    // E
    ThreadSet disabled;   // D
    ThreadSet scheduled;  // S
    ThreadSet goes_behind;
    std::vector<std::uint64_t> places;  // of its yields
    std::uint32_t rounds = 0;           // in a row, in which some thread starved
  };
  PerThread& of(ThreadId thread);
  void yield(ThreadId thread, std::uint64_t place);

  Fairness mode_ = Fairness::off;
  bool active_ = false;
  bool ordered_ = false;  // some thread has priority over another
  bool starves_ = false;
  std::uint32_t choices_ = 0;
  std::vector<Last> lasts_;    // by thread id
  ThreadId last_ = kNoThread;  // the thread that ran last
  bool sleeps_ = false;        // its wait had timed out
  std::uint64_t sleep_place_ = 0;
  ChoiceKey yielded_at_;    // the choice at which a thread yielded last
  ThreadSet enabled_;       // at the present choice
  ThreadSet were_enabled_;  // at the choice before
  ThreadSet scratch_;
  std::vector<PerThread> threads_;  // by id; at most the threads that have run
  std::vector<ThreadId> known_;     // those that have yielded
};

}  // namespace thrum
