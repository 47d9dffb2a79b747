// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps of all executions of a search by reads-from, each with its past, by number: two steps have the same
// number if and only if they are the same step of the same thread, read from the same steps, chose the same
// and have the same causes, all the way back. They are compared, and no hash decides.
//
// A graph is a set of steps that holds the past of each: for each thread its last step.
//
// A search names only few of the steps that it has seen, and their pasts; the others can be forgotten.
//
// Tested by tests/oracle/reads_from_search_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "order/reads_from.hpp"

namespace thrum {

class Histories {
 public:
  using Number = std::uint32_t;
  static constexpr Number kNone = 0;

  struct Entry {
    Event event;
    Number previous = kNone;  // of its thread
    ReadsFrom::Count place = 0;
    std::uint32_t location = Locations::kNone;
    bool reads = false;
    bool writes = false;
    Number source = kNone;  // kNone: the initial value, or it does not read
    std::vector<Number> causes;
    std::uint32_t events_after = 0;
    std::vector<Departure> choices;
  };

  Histories() : entries_(1) {}

  // The number of a step. numbers: those of the execution's steps before it.
  Number number_of(const ReadsFrom::Step& step, std::span<const Number> numbers);

  // Forgets all steps but those of which `marks` has true, by number, and their pasts. Gives the new numbers
  // of those that are left, by the old ones; their order stays.
  std::vector<Number> keep_only(std::vector<bool> marks);

  // REQUIRES: it is not kNone
  const Entry& operator[](Number number) const { return entries_[number]; }
  std::size_t size() const { return entries_.size(); }

 private:
  std::vector<Entry> entries_;
  // By what tells steps apart.
  using Key = std::vector<std::uint32_t>;
  static Key key_of(const Entry& entry);

  std::map<Key, Number> numbers_;
};

class Graph {
 public:
  Histories::Number operator[](ThreadId thread) const {
    return thread < last_.size() ? last_[thread] : Histories::kNone;
  }
  void set(ThreadId thread, Histories::Number last);
  // REQUIRES: of each thread, one of the two steps is in the other's past, or is it.
  void join(const Graph& other, const Histories& histories);
  bool has(ThreadId thread, ReadsFrom::Count place, const Histories& histories) const {
    return (*this)[thread] != Histories::kNone && histories[(*this)[thread]].place >= place;
  }
  ThreadId threads() const { return static_cast<ThreadId>(last_.size()); }
  std::span<Histories::Number> last() { return last_; }

 private:
  std::vector<Histories::Number> last_;
};

}  // namespace thrum
