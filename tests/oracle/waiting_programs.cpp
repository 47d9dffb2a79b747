// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/waiting_programs.hpp"

namespace thrum::waiting {

namespace {

WaitingCode named(std::string name) {
  WaitingCode code;
  code.name = std::move(name);
  return code;
}

std::string counts(int a, int b) { return " " + std::to_string(a) + "," + std::to_string(b); }

}  // namespace

WaitingCode ttas(int threads, Dead dead) {
  WaitingCode code = named("ttas " + std::to_string(threads));
  for (int i = 0; i < threads; ++i) {
    WaitingAssembler a;
    a.label("wait");
    if (dead == Dead::cleared) a.clear(0);
    a.load(0, 0).if_unequal(0, 0, "wait").exchange(0, 0, 1).if_unequal(0, 0, "wait").store(0, 0);
    code.threads.push_back(a.code());
  }
  return code;
}

WaitingCode tas(int threads) {
  WaitingCode code = named("tas " + std::to_string(threads));
  for (int i = 0; i < threads; ++i) {
    WaitingAssembler a;
    a.label("wait").exchange(0, 0, 1).if_unequal(0, 0, "wait").store(0, 0);
    code.threads.push_back(a.code());
  }
  return code;
}

// 0: the next number; 1: the one that is served.
WaitingCode ticket(int threads) {
  WaitingCode code = named("ticket " + std::to_string(threads));
  for (int i = 0; i < threads; ++i) {
    WaitingAssembler a;
    a.fetch_add(1, 0, 1).label("wait").load(0, 1).if_different(0, 1, "wait").add(0, 0, 1);
    code.threads.push_back(a.store_register(0, 1).code());
  }
  return code;
}

// 0: how many wait; 1: the phase.
WaitingCode barrier(int threads, Dead dead) {
  WaitingCode code = named("barrier " + std::to_string(threads));
  for (int i = 0; i < threads; ++i) {
    WaitingAssembler a;
    a.load(1, 1).fetch_add(0, 0, 1).if_equal(0, threads - 1, "last").label("wait");
    if (dead == Dead::cleared) a.clear(0);
    a.load(0, 1).if_same(0, 1, "wait").end();
    code.threads.push_back(a.label("last").store(0, 0).fetch_add(0, 1, 1).code());
  }
  return code;
}

// 0: the tail, as thread + 1; 1 + thread: its next; 10 + thread: whether its turn has come.
WaitingCode mcs(int threads) {
  WaitingCode code = named("mcs " + std::to_string(threads));
  for (int i = 0; i < threads; ++i) {
    WaitingAssembler a;
    a.store(0, 10 + i).store(0, 1 + i).exchange(0, 0, i + 1).if_equal(0, 0, "in");
    a.set(1, i + 1).store_register(1, 0, 0).label("wait").load(2, 10 + i).if_equal(2, 0, "wait");
    a.label("in").load(3, 1 + i).if_unequal(3, 0, "pass");
    a.set(1, i + 1).set(4, 0).compare_exchange(5, 0, 1, 4).if_equal(5, 1, "out");
    a.label("wait for next").load(3, 1 + i).if_equal(3, 0, "wait for next");
    code.threads.push_back(a.label("pass").store(1, 9, 3).label("out").code());
  }
  return code;
}

// 0: the sequence number; 1: the data.
WaitingCode seqlock(int readers, int writers) {
  WaitingCode code = named("seqlock" + counts(readers, writers));
  for (int i = 0; i < writers; ++i) {
    WaitingAssembler a;
    a.lock(0).load(0, 0).add(0, 0, 1).store_register(0, 0).store(42, 1);
    code.threads.push_back(a.load(0, 0).add(0, 0, 1).store_register(0, 0).unlock(0).code());
  }
  for (int i = 0; i < readers; ++i) {
    WaitingAssembler a;
    a.label("wait").clear(3).load(0, 0).mask(1, 0, 1).if_equal(1, 1, "wait");
    code.threads.push_back(a.load(2, 1).load(3, 0).if_different(3, 0, "wait").code());
  }
  return code;
}

// 0: 16 * taken + put; 1: how many were read; 2: how many were written.
WaitingCode ring(int readers, int writers) {
  WaitingCode code = named("ring" + counts(readers, writers));
  code.cells[0] = code.cells[2] = 1;
  for (int i = 0; i < writers; ++i) {
    WaitingAssembler a;
    a.load(0, 0).label("retry").shift(1, 0, 4).mask(2, 0, 15).add(3, 1, 4).if_same(2, 3, "full");
    a.add(4, 0, 1).set(3, 0).set(5, 0).compare_load(5, 0, 0, 4).if_equal(5, 0, "retry");
    a.label("wait").load(3, 1).if_different(3, 1, "wait").fetch_add(3, 2, 1);
    code.threads.push_back(a.label("full").code());
  }
  for (int i = 0; i < readers; ++i) {
    WaitingAssembler a;
    a.label("again").clear(5).load(0, 0).label("retry").shift(1, 0, 4).mask(2, 0, 15);
    a.if_same(1, 2, "empty").add(4, 0, 16).set(3, 0).set(5, 0).compare_load(5, 0, 0, 4);
    a.if_equal(5, 0, "retry").label("wait").load(3, 2).if_different(3, 2, "wait").fetch_add(3, 1, 1);
    code.threads.push_back(a.jump("again").label("empty").code());
  }
  return code;
}

// 0: the top, 8 * count + node; node: its next; 20 + node - 1: its value.
WaitingCode treiber(int push_and_pop, int push, int pop) {
  WaitingCode code = named("treiber" + counts(push_and_pop, push) + "," + std::to_string(pop));
  for (int i = 0; i < push_and_pop + push + pop; ++i) {
    WaitingAssembler a;
    const int node = i + 1;
    if (i < push_and_pop + push) {
      a.store(42, 20 + i).label("push").clear(3).load(0, 0).store_register(0, node).shift(1, 0, 3).set(2, 0);
      a.add(1, 1, 1).sum(1, 1, 1).sum(1, 1, 1).sum(1, 1, 1).add(1, 1, node);
      a.compare_exchange(2, 0, 0, 1).if_unequal(2, 1, "push");
    }
    if (i < push_and_pop || i >= push_and_pop + push) {
      a.label("pop").clear(4).load(0, 0).mask(1, 0, 7).if_equal(1, 0, "none").load(2, 0, 1).mask(2, 2, 7);
      a.shift(3, 0, 3).add(3, 3, 1).sum(3, 3, 3).sum(3, 3, 3).sum(3, 3, 3).sum(3, 3, 2).set(2, 0);
      a.compare_exchange(4, 0, 0, 3).if_unequal(4, 1, "pop").load(2, 19, 1).label("none");
    }
    code.threads.push_back(a.code());
  }
  return code;
}

WaitingCode rwlock(int readers, int writers) {
  constexpr int kBias = 100;
  WaitingCode code = named("rwlock" + counts(readers, writers));
  code.cells[0] = kBias;
  for (int i = 0; i < readers + writers; ++i) {
    const bool writes = i < writers;
    const int share = writes ? kBias : 1;
    // Whether a writer, or a reader, may go in with what r0 says; r1 is 0 before and behind it.
    auto test = [&](WaitingAssembler& a, const std::string& yes, const std::string& no) {
      if (writes) {
        a.if_equal(0, kBias, yes).jump(no);
      } else {  // above 0, as a signed number
        a.if_equal(0, 0, no).mask(1, 0, 128).if_equal(1, 0, yes).set(1, 0).jump(no);
      }
    };
    WaitingAssembler a;
    a.label("try").clear(1).fetch_add(0, 0, -share);
    test(a, "in", "take back");
    a.label("take back").clear(0).fetch_add(1, 0, share).label("wait").clear(1).load(0, 0);
    test(a, "try", "still");
    a.label("still").clear(1).jump("wait").label("in").fetch_add(0, 0, share);
    code.threads.push_back(a.code());
  }
  return code;
}

WaitingCode poll(int threads) {
  WaitingCode code = named("poll " + std::to_string(threads));
  for (int i = 0; i < threads; ++i) {
    WaitingAssembler a;
    a.label("wait").clear(0).lock(0).load(0, 1).unlock(0).if_equal(0, 0, "wait");
    code.threads.push_back(a.code());
  }
  code.threads.push_back(WaitingAssembler().lock(0).store(1, 1).unlock(0).code());
  return code;
}

WaitingCode writers_and_reader(int writers) {
  WaitingCode code = named("writers " + std::to_string(writers) + " and a reader");
  for (int i = 0; i < writers; ++i) code.threads.push_back(WaitingAssembler().store(i + 1, 0).code());
  code.threads.push_back(WaitingAssembler().load(0, 0).code());
  return code;
}

WaitingCode early_and_late_read() {
  WaitingCode code = named("early and late read");
  WaitingAssembler a;
  a.label("wait").clear(1).load(0, 0).if_unequal(0, 0, "wait").load(1, 1).if_unequal(1, 1, "wait");
  code.threads.push_back(a.code());
  code.threads.push_back(WaitingAssembler().store(1, 0).store(1, 1).code());
  return code;
}

WaitingCode transient_seen(bool rmw) {
  WaitingCode code = named(rmw ? "transient store seen by a read-modify-write" : "transient store seen");
  WaitingAssembler a;
  a.label("wait").clear(1).load(0, 1).if_unequal(0, 0, "out").fetch_add(0, 0, 1).set(0, 0);
  code.threads.push_back(a.fetch_add(1, 0, -1).jump("wait").label("out").code());
  WaitingAssembler b;
  if (rmw) {
    b.fetch_add(0, 0, 0);
  } else {
    b.load(0, 0);
  }
  code.threads.push_back(b.if_equal(0, 0, "out").store(1, 1).label("out").code());
  return code;
}

WaitingCode added_and_taken_back() {
  WaitingCode code = named("added and taken back");
  code.cells[0] = 1;
  WaitingAssembler a;
  a.label("wait").clear(1).fetch_add(0, 0, 10).if_equal(0, 0, "out").set(0, 0).fetch_add(1, 0, -10);
  code.threads.push_back(a.jump("wait").label("out").code());
  code.threads.push_back(WaitingAssembler().fetch_add(3, 0, 0).code(true));
  code.threads.push_back(WaitingAssembler().fetch_add(0, 0, -1).code());
  return code;
}

WaitingCode aba_retry() {
  WaitingCode code = named("stale compare-exchange succeeds");
  WaitingAssembler a;
  a.label("retry").clear(3).load(0, 0).load(1, 1).set(3, 7).compare_exchange(2, 0, 0, 3);
  code.threads.push_back(a.if_unequal(2, 1, "retry").store_register(1, 2).code(true));
  code.threads.push_back(WaitingAssembler().store(1, 0).store(3, 1).store(0, 0).store(4, 1).code());
  return code;
}

WaitingCode keeps_last_value() {
  WaitingCode code = named("keeps the last value");
  WaitingAssembler a;
  a.label("wait").load(0, 0).if_equal(0, 3, "out").copy(3, 0).set(0, 0).jump("wait").label("out");
  code.threads.push_back(a.code(true));
  code.threads.push_back(WaitingAssembler().store(1, 0).store(2, 0).store(3, 0).code());
  return code;
}

WaitingCode keeps_whether_it_waited() {
  WaitingCode code = named("keeps whether it waited");
  WaitingAssembler a;
  a.label("wait").load(0, 0).if_equal(0, 1, "out").set(3, 1).set(0, 0).jump("wait").label("out");
  code.threads.push_back(a.code(true));
  code.threads.push_back(WaitingAssembler().store(1, 0).code());
  return code;
}

WaitingCode counts_rounds_modulo_four() {
  WaitingCode code = named("counts its rounds modulo four");
  WaitingAssembler a;
  a.label("wait").load(0, 0).if_equal(0, 1, "out").add(3, 3, 1).mask(3, 3, 3).set(0, 0).jump("wait");
  code.threads.push_back(a.label("out").code(true));
  code.threads.push_back(WaitingAssembler().store(1, 0).code());
  return code;
}

WaitingCode waits_for_what_is_taken_back() {
  WaitingCode code = named("waits for what is taken back");
  WaitingAssembler a;
  a.label("one").clear(0).load(0, 0).if_unequal(0, 1, "one").load(3, 1);
  a.label("zero").clear(0).load(0, 0).if_unequal(0, 0, "zero").load(4, 1);
  code.threads.push_back(a.code(true));
  code.threads.push_back(WaitingAssembler().store(1, 0).store(1, 1).store(0, 0).store(2, 1).code());
  return code;
}

WaitingCode counts_in_memory() {
  WaitingCode code = named("counts in memory");
  WaitingAssembler a;
  a.label("again").clear(0).load(0, 0).if_equal(0, 2, "out").clear(0).fetch_add(0, 0, 1).jump("again");
  code.threads.push_back(a.label("out").code());
  code.threads.push_back(WaitingAssembler().load(0, 0).code(true));
  return code;
}

WaitingCode overwritten_behind() {
  WaitingCode code = named("overwritten behind a transient store");
  auto add_waiter = [&](int changed, int read) {
    WaitingAssembler a;
    a.label("wait").clear(1).fetch_add(0, changed, 1).set(0, 0).fetch_add(1, changed, -1);
    code.threads.push_back(a.load(1, read).if_unequal(1, 0, "wait").code());
  };
  add_waiter(1, 0);
  code.threads.push_back(WaitingAssembler().store(0, 1).code());
  add_waiter(0, 0);
  return code;
}

}  // namespace thrum::waiting
