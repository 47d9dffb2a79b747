// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deadlocks, found in the prefix of an unfolding: a condition of each thread that some configuration holds at
// once, where each thread has ended or has to wait, and one waits. No event of a thread by itself shows that.
//
// The search begins with a thread that has to wait, and with what it waits for. Then come the threads that
// might end the wait: a thread that the waiting one joins, and those that may still do something on the
// object. So do threads that may fail, end the process, or wait in a loop for what comes too late. Each of
// these has ended, or waits too, and may bring in more threads. Threads that are not brought in cannot end
// any of the waits, whatever they do; so nothing is chosen of them.
//
// Example: thread 1 holds a and waits for b. What b is like comes from a lock by thread 2, which may still
// unlock it. So thread 2 has to wait. If that is for a, nobody else can end it.
//
// A thread that waits in a loop has done a round that came to nothing. It waits for ever if nothing that the
// round has read is written any more: a livelock.
//
// A hit is run, and only what the execution shows is reported.
//
// Tested by tests/oracle/unfolding_test.cpp.
#pragma once

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "unfolding/prefix.hpp"

namespace thrum {

class Deadlocks {
 public:
  using Condition = Prefix::Condition;
  using Slot = Prefix::Slot;
  using Mark = Prefix::Mark;

  // REQUIRES: the prefix is complete, and stays as it is.
  explicit Deadlocks(Prefix& prefix) : prefix_(prefix) {}

  // The operations that wait in a deadlock and that only each other could end: thread, operation, object.
  // Joins are left out.
  using Waits = std::set<std::tuple<ThreadId, Operation, std::uint64_t>>;
  // Of the deadlocks that executions have shown.
  const std::set<Waits>& known() const { return known_; }

  // What the slots hold in a deadlock whose waiting operations are not all those of one that was confirmed.
  // False: there is no more.
  bool next(std::vector<Mark>& marks);
  // An execution has shown that the last one is a deadlock.
  void confirm() { known_.insert(last_); }
  // An execution has shown no deadlock there. is_certain: it has come there, and a thread would go on.
  void deny(bool is_certain) {
    denied_.insert(last_decided_);
    is_in_doubt_ = is_in_doubt_ || !is_certain;
  }
  // The search took too long, and was broken off; or an execution has shown something else than was found.
  bool has_given_up() const { return steps_left_ == 0 || is_in_doubt_; }

  // But for what it is about.
  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.root_, self.object_, self.decided_, self.is_decided_, self.last_, self.known_,
                    self.last_decided_, self.denied_, self.is_in_doubt_, self.steps_left_);
  }

 private:
  enum class As : std::uint8_t { any, ended, waiting };
  struct Choice {
    Slot thread = Prefix::kNone;
    As as = As::any;
  };

  bool search_from(std::size_t root);
  bool search(const std::vector<Mark>& marks);
  bool choose(const std::vector<Mark>& marks, const Choice& choice);
  Choice needed(const std::vector<Mark>& marks) const;
  Choice undecided(const std::vector<Mark>& marks) const;
  void decide(Condition thread);
  void undo();
  bool is_decided(Slot thread) const { return thread < is_decided_.size() && is_decided_[thread]; }
  bool ends_process(Condition thread) const;
  bool fits(Condition condition, const Choice& choice) const;
  bool holds(const std::vector<Mark>& marks) const;
  bool is_deadlock(const std::vector<Mark>& marks);
  bool waits(Condition thread) const {
    return prefix_.spin_at(thread) != nullptr || (prefix_.has_next(thread) && !prefix_.is_ended(thread));
  }
  Slot joined(Condition thread) const;
  bool may_end_wait(Condition thread, Condition at) const;

  Prefix& prefix_;
  std::uint64_t root_ = 0;  // the one that is looked at, of the blocked pairs and then of the loops
  Condition object_ = Prefix::kNone;
  std::vector<Condition> decided_;
  std::vector<bool> is_decided_;  // by thread's slot
  std::vector<Mark> found_;
  Waits last_;
  std::set<Waits> known_;
  std::vector<Condition> last_decided_;
  std::set<std::vector<Condition>> denied_;
  bool is_in_doubt_ = false;
  std::uint64_t steps_left_ = 20'000'000;
};

}  // namespace thrum
