// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts what threads have read: values, each behind all that its thread had read before. By itself a thread
// is a function of these, so their number says how much of what threads can do was met. It is what
// --strategy mcr is about (docs/causality.md): the search knows all of them when it ends.
//
// Example: one thread stores 1 to x and 1 again, another one loads x twice. The second one reads 0 or 1,
// behind 0 again 0 or 1, and behind 1 only 1: five.
//
// Values are those of atomic loads and updates, and of plain reads of memory that several threads access
// (Wanted::kAccesses); chosen ones and those that the environment gives; and in which of several ways a call
// has ended, such as a lock that was tried. A sequence is kept as a fingerprint of 64 bits, which says
// nothing of the memory that was read. A thread is told apart by its name.
//
// Thread safety: none. Tested by value_sequences_test.cpp, tests/endtoend/values_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "model/trace.hpp"
#include "order/coverage_count.hpp"
#include "support/bytes.hpp"
#include "support/distinct_numbers.hpp"

namespace thrum {

class ValueSequences {
 public:
  explicit ValueSequences(std::size_t exact_max = DistinctNumbers::kExactMax) : numbers_(exact_max) {}

  // Takes an execution with all its events, and its plain accesses with their values. number: of the
  // execution, from 1.
  void take(const Trace& trace, std::uint64_t number);

  // Whether executions that were taken lack reads that they would have now, since it shows that more memory
  // is shared. Taken then, the number may be too high, and is no longer exact.
  bool lacks_reads(const Trace& trace) const { return numbers_.count() != 0 && trace.shared > shared_; }

  // Some executions are missing.
  void blur() { is_blurred_ = true; }
  bool lacks_something() const { return is_blurred_; }

  bool is_on() const { return is_on_; }
  std::uint64_t executions() const { return executions_; }  // that count
  std::uint64_t count() const { return numbers_.count(); }
  CoverageCount result() const { return {numbers_.count(), numbers_.is_exact() && !is_blurred_, last_new_}; }

  // From now on only what later executions read counts.
  void begin_again();

  // Adds another counter's sequences. before: so many executions count as earlier than its own.
  void merge(const ValueSequences& other, std::uint64_t before);

  // load() REQUIRES: no execution was taken.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Thread {
    std::uint64_t name = 0;     // by its creator, and how many threads that had created
    std::uint64_t created = 0;  // threads
    std::uint64_t now = 0;      // all that it has read
  };

  Thread& of(ThreadId thread);
  void take_event(const Event& event);
  void take_accesses(const Trace& trace, std::size_t events);
  void read(ThreadId thread, std::uint64_t value);

  DistinctNumbers numbers_;
  std::uint64_t last_new_ = 0;
  bool is_on_ = false;
  std::uint64_t shared_ = 0;  // Trace::shared
  std::uint64_t executions_ = 0;
  bool is_blurred_ = false;
  // Of the execution that is taken; kept for their memory.
  std::vector<Thread> threads_;
  std::size_t taken_accesses_ = 0;
  std::uint64_t execution_ = 0;
};

}  // namespace thrum
