// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fair scheduler: keeps a thread that goes round in a loop from going on before others have had their
// turn (Musuvathi and Qadeer, "Fair Stateless Model Checking", PLDI 2008, Algorithm 1).
//
// The idea. A thread that yields says that it has nothing better to do. If it comes back to its yield, and
// meanwhile another thread could have run all the time and did not, then whoever starves so goes first from
// here on, until it has run once. The same holds for threads that the yielding one has itself kept from
// running. So a loop that yields goes round once or twice before the others get their turn, and every
// schedule that is left ends, unless the program has a livelock.
//
// Example: one thread does while (!poll()) yield(), where poll() takes a lock and looks at a flag, another
// one takes the lock and sets the flag. Without fairness the first may poll any number of times before the
// second runs, and each number is another schedule.
//
// For each thread that has yielded there is a window, which began at its last yield: the threads that were
// enabled all the time since (E), those that it has disabled (D), and those that have run (S). At the next
// yield it gets a lower priority than E and D without S. A thread may run while none is enabled that has
// priority over it. Theorem 3 of the paper: the priorities never form a circle, so that somebody always may.
//
// Where we differ:
//   - A thread yields when it comes to stand before its yield, not when it has done it; and when a timed wait
//     or a sleep of it runs out.
//   - A yield counts from the second time that the thread comes to the same place in its code. A thread that
//     sleeps twice in straight-line code goes round in no loop, and whoever reads its sleeps as an order of
//     events is to be shown wrong.
//   - A waiting thread whose time may run out counts as enabled.
//
// What is lost: a loop that gives up after so many rounds may be kept from doing so, since others go first.
// The paper's Theorem 5 holds for states that are reached with one yield of each thread only. So where
// anything was withheld, a search speaks for fair schedules, and no more.
//
// Under Fairness::watch nothing is withheld; the scheduler only sees that somebody starves.
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
  // So many rounds in a row, at one of a thread's yields, through all of which another could have run.
  static constexpr std::uint32_t kPatience = 100;

  // Begins an execution.
  void begin(Fairness mode);

  // Whether some thread has yielded or slept, so that each thread choice matters from here on, also one of a
  // single option.
  bool active() const { return active_; }

  // Whether it has to know of a thread choice: until somebody yields, or may sleep or wait in vain, it need
  // not.
  bool has_to_know(const ChoicePoint& point, std::span<const Option> options) const {
    return active_ || point.yielded || options.size() != point.enabled;
  }

  // Such a thread choice is met.
  void meet(const ChoicePoint& point, std::span<const Option> options, Pending& threads);

  // Leaves in kept the options whose threads may run, and says in from where they stood; point becomes the
  // choice among them. False, and nothing is changed, where all may.
  bool withhold(ChoicePoint& point, std::span<const Option> options, std::vector<Option>& kept,
                std::vector<std::uint16_t>& from) const;

  // The execution goes on with that option.
  void take(const Option& option, Pending& threads);

  // Thread choices met so far since active().
  std::uint32_t choices() const { return choices_; }

  // Of the execution since it had met so many choices: whether it can go on like that for ever and be fair,
  // since each thread that could run did, and yielded.
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
    std::uint32_t rounds = 0;           // in a row, by which somebody starved
  };
  PerThread& of(ThreadId thread);
  void yield(ThreadId thread, std::uint64_t place);

  Fairness mode_ = Fairness::off;
  bool active_ = false;
  bool ordered_ = false;  // somebody goes behind somebody
  bool starves_ = false;
  std::uint32_t choices_ = 0;
  std::vector<Last> lasts_;    // by thread id
  ThreadId last_ = kNoThread;  // who ran last
  bool sleeps_ = false;        // and by its wait's running out
  std::uint64_t sleep_place_ = 0;
  ChoiceKey yielded_at_;    // the choice at which a thread yielded last
  ThreadSet enabled_;       // at the choice at hand
  ThreadSet were_enabled_;  // at the one before
  ThreadSet scratch_;
  std::vector<PerThread> threads_;  // by id; no more than have run
  std::vector<ThreadId> known_;     // those that have yielded
};

}  // namespace thrum
