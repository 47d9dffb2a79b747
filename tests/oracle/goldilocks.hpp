// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A detector of data races without clocks, after Elmas, Qadeer and Tasiran, "Goldilocks: a race and
// transaction-aware Java runtime", PLDI 2007; CHESS checked its executions with it. It is here to be held
// against the detector of the product, and shares nothing with it.
//
// The idea. Each access has a set of those who know that it has happened: at first its thread. Knowledge goes
// from one to the next in the trace. Where a thread of the set releases a lock, the lock joins the set; where
// another thread then acquires that lock, the thread joins. An access races with each earlier conflicting one
// in whose set its thread is not.
//
// Example: p = 1 by t1, set {t1}; t1 unlocks m, {t1, m}; t2 locks m, {t1, m, t2}; t2 may now write p. Were t2
// to lock n instead, it would not be in the set: a race.
//
// C++ needs more members than threads and locks:
//   the value of an atomic object   who reads it with acquire learns what its release sequence passes on; a
//                                   store begins a new value, a read-modify-write only adds to it
//   what a thread has read          by relaxed loads: its next acquire fence makes that its own
//   a thread's last release fence   which its relaxed stores and read-modify-writes pass on
//
// Differs from the paper: a set for every access and not for the last ones of each variable, and nothing is
// lazy. So every pair of accesses that race is found, however many races came before; executions must be
// short.
#pragma once

#include <bitset>
#include <map>
#include <vector>

#include "oracle/race_trace.hpp"

namespace thrum {

class Goldilocks {
 public:
  // Does the step, and gives the earlier accesses that it races with, in order.
  std::vector<std::size_t> step(const RaceStep& step);

 private:
  // Members of the sets. The number of an object is given at its first use.
  enum class Kind : std::uint8_t { thread, has_read, last_fence, object };
  using Member = std::size_t;
  static constexpr std::size_t kMembersMax = 256;
  struct Past {
    RaceStep access;
    std::size_t place;  // in the trace
    std::bitset<kMembersMax> knowers;
  };

  Member member(Kind kind, std::uint64_t name);
  void tell(Member from, Member to);
  void tell_anew(Member from, Member to);
  void forget(Member who);
  void read(const RaceStep& step);
  void write(const RaceStep& step, bool keep);
  void fence(const RaceStep& step);
  void synchronise(const RaceStep& step);
  std::vector<std::size_t> judge(const RaceStep& step) const;

  std::vector<Past> accesses_;
  std::map<std::pair<Kind, std::uint64_t>, Member> members_;
  std::size_t steps_ = 0;
};

}  // namespace thrum
