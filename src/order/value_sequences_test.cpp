// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/value_sequences.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace thrum {
namespace {

class Reading {
 public:
  Reading& add(ThreadId thread, Operation operation, std::uint64_t value, Outcome outcome = Outcome::done) {
    Event event;
    event.thread = thread;
    event.operation = operation;
    event.value = value;
    event.outcome = outcome;
    trace.events.push_back(event);
    return *this;
  }
  Reading& creates(ThreadId thread, ThreadId created) {
    add(thread, Operation::thread_create, 0);
    trace.events.back().argument = created;
    return *this;
  }
  Reading& loads(ThreadId thread, std::uint64_t value) { return add(thread, Operation::load, value); }
  Reading& accesses(ThreadId thread, std::uint64_t value, bool writes = false) {
    RecordedAccess access;
    access.event = static_cast<std::uint32_t>(trace.events.size());
    access.thread = thread;
    access.operation = writes ? Operation::plain_store : Operation::plain_load;
    access.writes = writes;
    access.value = value;
    trace.accesses.push_back(access);
    return *this;
  }

  Trace trace;
};

Reading shares(Reading execution, std::uint64_t cells) {
  execution.trace.shared = cells;
  return execution;
}

CoverageCount count_of(std::initializer_list<Reading> executions) {
  ValueSequences sequences;
  std::uint64_t number = 0;
  for (const Reading& execution : executions) sequences.take(execution.trace, ++number);
  return sequences.result();
}

// The example in the header.
TEST(ValueSequences, EachValueCountsBehindThoseBeforeIt) {
  const Reading twice_old = Reading().loads(1, 0).loads(1, 0);
  const Reading old_and_new = Reading().loads(1, 0).loads(1, 1);
  const Reading twice_new = Reading().loads(1, 1).loads(1, 1);
  EXPECT_EQ(count_of({twice_old, twice_old}).count, 2u);
  const CoverageCount all = count_of({twice_old, old_and_new, twice_new, old_and_new});
  EXPECT_EQ(all.count, 5u);
  EXPECT_EQ(all.last_new, 3u);
  EXPECT_TRUE(all.is_exact);
}

TEST(ValueSequences, ThreadsAreToldApartByTheirNames) {
  EXPECT_EQ(count_of({Reading().loads(0, 7).loads(1, 7)}).count, 2u);
  // The first thread that main creates, whatever its number is.
  EXPECT_EQ(count_of({Reading().creates(0, 1).loads(1, 7), Reading().creates(0, 2).loads(2, 7)}).count, 1u);
  EXPECT_EQ(count_of({Reading().creates(0, 1).creates(0, 2).loads(1, 7).loads(2, 7)}).count, 2u);
}

TEST(ValueSequences, WhatWasWrittenIsNotRead) {
  EXPECT_EQ(count_of({Reading().accesses(1, 3, true).add(1, Operation::store, 4)}).count, 0u);
  EXPECT_EQ(count_of({Reading().accesses(1, 3)}).count, 1u);
  EXPECT_EQ(count_of({Reading().add(1, Operation::read_modify_write, 4)}).count, 1u);
}

// Plain reads stand between the events.
TEST(ValueSequences, PlainReadsComeInTheirPlaces) {
  const Reading before = Reading().accesses(1, 3).loads(1, 4);
  const Reading behind = Reading().loads(1, 3).accesses(1, 4);
  EXPECT_EQ(count_of({before, behind}).count, 2u) << "3, and 4 behind it";
  EXPECT_EQ(count_of({before, Reading().loads(1, 4).accesses(1, 3)}).count, 4u);
}

TEST(ValueSequences, WaysInWhichCallsEndAreValues) {
  const Reading taken = Reading().add(1, Operation::try_lock, 0);
  const Reading held = Reading().add(1, Operation::try_lock, 0, Outcome::failed);
  EXPECT_EQ(count_of({taken, held}).count, 2u);
  const Reading late = Reading().add(1, Operation::timeout, 0, Outcome::timed_out);
  EXPECT_EQ(count_of({held, late}).count, 2u);
  EXPECT_EQ(count_of({Reading().add(1, Operation::lock, 0), Reading().add(1, Operation::lock, 1)}).count, 0u);
}

TEST(ValueSequences, AreAboutWhereReadsAreMissing) {
  const Reading few = shares(Reading().loads(1, 0), 1);
  const Reading more = shares(Reading().accesses(1, 5).loads(1, 0), 2);
  ValueSequences sequences;
  EXPECT_FALSE(sequences.lacks_reads(few.trace));
  sequences.take(few.trace, 1);
  EXPECT_TRUE(sequences.lacks_reads(more.trace));
  sequences.take(more.trace, 2);
  EXPECT_FALSE(sequences.result().is_exact);
  sequences.begin_again();
  EXPECT_EQ(sequences.executions(), 0u);
  EXPECT_FALSE(sequences.lacks_reads(more.trace));
  sequences.take(more.trace, 1);
  EXPECT_EQ(sequences.result().count, 2u);
  EXPECT_TRUE(sequences.result().is_exact);
  sequences.take(few.trace, 2);
  EXPECT_FALSE(sequences.result().is_exact) << "as behind a resumed search, which has to learn it again";
}

TEST(ValueSequences, OfWorkersCountOnce) {
  ValueSequences all;
  all.take(Reading().loads(1, 0).trace, 1);
  ValueSequences part;
  part.take(Reading().loads(1, 0).trace, 1);
  part.take(Reading().loads(1, 1).trace, 2);
  ByteWriter out;
  part.save(out);
  ValueSequences loaded;
  ByteReader in(out.bytes());
  loaded.load(in);
  EXPECT_TRUE(in.ok() && in.at_end());
  all.merge(loaded, 1);
  EXPECT_EQ(all.result().count, 2u);
  EXPECT_EQ(all.result().last_new, 3u);
  EXPECT_EQ(all.executions(), 3u);
  EXPECT_TRUE(all.result().is_exact);
  ValueSequences other;
  other.take(shares(Reading().loads(1, 0), 1).trace, 1);
  all.merge(other, 3);
  EXPECT_FALSE(all.result().is_exact) << "they do not know the same memory";
}

}  // namespace
}  // namespace thrum
