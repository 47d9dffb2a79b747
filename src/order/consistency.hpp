// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether given events have a sequentially consistent order in which each read reads from its given source
// (VerifySC; Gibbons and Korach, SIAM J. Comput. 1997: NP-complete in general).
//
// The idea. Each thread's order, each source before its reads, and the causes must hold. From these follows
// more (saturation): where r reads from w, and w2 writes the same location, w2 before r puts w2 before w, and
// w before w2 puts r before w2. A circle is a "no". Otherwise the events are taken one by one, in the order
// that they are given in where that is possible; that is mostly an order already. A read is taken as soon as
// it can be: that never spoils anything. Which write is next is tried in turn, and a cut (how far each thread
// has come, and the last write of each location) from which no way leads on is not tried again.
//
// Example: thread 1 stores x, thread 2 stores x and then loads it from thread 1. That load orders the stores.
//
// Sources: Abdulla et al., Optimal Stateless Model Checking for Reads-From Equivalence under Sequential
// Consistency, OOPSLA 2019, section 5 (saturation); Agarwal et al., Stateless Model Checking under a
// Reads-Value-From Equivalence, CAV 2021, section 3 (search over cuts).
//
// Tested by consistency_test.cpp.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

namespace thrum {

class Consistency {
 public:
  using Index = std::uint32_t;
  static constexpr Index kNone = 0xffffffff;

  struct Node {
    std::uint32_t thread = 0;    // the events of a thread are given in its order
    std::uint32_t location = 0;  // what it reads or writes
    bool reads = false;
    bool writes = false;
    Index source = kNone;            // what it reads from, by number; kNone: the initial value
    std::vector<Index> causes = {};  // events of other threads that come first in any case
  };

  enum class Answer : std::uint8_t { ordered, impossible, undecided };

  // REQUIRES: sources write the location, and numbers are those of given events. cuts_max: give up,
  // undecided, after so many cuts at which there was a choice.
  Answer check(std::span<const Node> events, std::uint64_t cuts_max);

  // After `ordered`: the numbers of the events in such an order.
  const std::vector<Index>& order() const { return order_; }

 private:
  struct Location {
    std::vector<Index> readers;
    std::vector<Index> writers;
    Index last = kNone;         // the last write so far
    std::uint32_t initial = 0;  // reads of the initial value that are left
    std::uint32_t writes_left = 0;
  };
  struct Branch {
    std::size_t length = 0;  // of the order
    std::vector<Index> choices;
    std::size_t next = 0;
  };

  void begin(std::span<const Node> events);
  bool two_update_one() const;
  bool knows(Index late, Index early) const;
  bool put_before(Index early, Index late);
  bool add_given();
  bool saturate();
  bool saturate(Index read, const Location& location, bool& changed);
  Answer search(std::uint64_t cuts_max);
  bool is_ready(Index event) const;
  bool is_safe(Index event) const;
  Index first_safe() const;
  void take(Index event);
  void take_back();
  std::vector<std::uint32_t> cut() const;
  std::uint32_t* clock(Index event) { return clocks_.data() + std::size_t{width_} * event; }
  const std::uint32_t* clock(Index event) const { return clocks_.data() + std::size_t{width_} * event; }

  std::span<const Node> events_;
  std::uint32_t width_ = 0;               // threads
  std::vector<std::uint32_t> places_;     // of each event: in its thread, from 1
  std::vector<std::uint32_t> clocks_;     // of each event: how many of each thread come before it, or are it
  std::vector<std::vector<Index>> next_;  // of each event: some that come after it
  std::vector<std::vector<Index>> threads_;
  std::vector<Location> locations_;
  std::vector<std::uint32_t> done_;        // of each thread
  std::vector<std::uint32_t> reads_left_;  // of each write
  std::vector<Index> order_;
  std::vector<Index> overwritten_;  // of each event in the order: the write before it
  std::set<std::vector<std::uint32_t>> seen_;
};

}  // namespace thrum
