// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the local states that executions have met: states of threads by themselves. A local state is a step
// of a thread with its past: the earlier steps of its thread, whose writes it has read or overwritten, and
// their pasts. It is an event of the program's contextual unfolding (docs/unfoldings.md), whose number
// --strategy unfolding knows; here they are counted as any search meets them.
//
// Example: one thread stores x, another one loads it. There are three local states, but for the end of main:
// the store, the load of the initial value, and the load of the store's.
//
// Joins. A join brings all that the joined thread has seen, or only that it has ended, as for a search by
// unfolding: the latter, unless a thread does something on an object, or creates a thread, or reads memory
// that others have written, behind its joins. This is known in the end only, so both are counted: states
// without what joins bring, and states with it. Where one thread's joins bring all, those of all threads do.
//
// A state is kept as a fingerprint of 64 bits, which says nothing of addresses. So it is the same in another
// process.
//
// Which operations are on one object is learned (order/locations.hpp). What is learned early makes the count
// begin again. What is learned late leaves it as it is, perhaps a little too high.
//
// Tested by local_states_test.cpp and, against unfoldings, tests/oracle/unfolding_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "model/trace.hpp"
#include "order/coverage_count.hpp"
#include "order/locations.hpp"
#include "support/bytes.hpp"
#include "support/distinct_numbers.hpp"

namespace thrum {

// So many as were met after some executions.
struct LocalStateCounts {
  std::uint64_t late = 0;  // joins bring nothing
  std::uint64_t full = 0;  // joins bring all
};

class LocalStates {
 public:
  explicit LocalStates(std::size_t exact_max = DistinctNumbers::kExactMax)
      : late_(exact_max), full_(exact_max) {}

  // Takes an execution with all its events, and its plain accesses where they are known.
  void take(const Trace& trace);

  bool is_on() const { return executions_ != 0; }
  LocalStateCounts counts() const { return {late_.numbers.count(), full_.numbers.count()}; }
  // Of these, the one that counts.
  std::uint64_t choose(const LocalStateCounts& counts) const { return tells_ ? counts.full : counts.late; }
  CoverageCount result() const;

  // The search begins again: only the states of later executions count.
  void begin_again();

  // Adds another counter's states, as if its executions had come behind this one's.
  void merge(const LocalStates& other);

  // load() REQUIRES: no execution was taken.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  // A fingerprint without and with what joins bring.
  struct Prints {
    std::uint64_t late = 0;
    std::uint64_t full = 0;
  };
  struct Thread {
    std::uint64_t name = 0;     // by its creator, and how many threads that had created
    std::uint64_t created = 0;  // threads
    Prints now;
    std::vector<ThreadId> joined{};  // also by those that it has joined
    bool is_last = false;            // all others have ended, and it ends the process
  };
  struct Counter {
    explicit Counter(std::size_t exact_max) : numbers(exact_max) {}
    DistinctNumbers numbers;
    std::uint64_t last_new = 0;
  };
  // Bytes that a thread has accessed.
  struct Access {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    ThreadId thread = kMainThread;
    bool writes = false;
    std::uint32_t joined = 0;  // so many threads had it joined
  };

  void learn_locations(const Trace& trace);
  Thread& of(ThreadId thread);
  void take_hidden(const Event& event);
  void take_step(const Event& event);
  void take_accesses(const Trace& trace, std::size_t events);
  void note(const Event& event, std::uint32_t location);
  bool reads_behind_joins();
  bool tells(const Access& behind, const Access& other) const;

  Locations locations_;
  Counter late_;
  Counter full_;
  bool tells_ = false;  // joins bring all
  bool is_loaded_ = false;
  std::uint64_t executions_ = 0;
  // Of the execution that is taken; kept for their memory.
  std::vector<Thread> threads_;
  std::vector<Prints> written_;  // by location; what has written it last
  std::vector<Access> accesses_;
  std::size_t taken_accesses_ = 0;
};

}  // namespace thrum
