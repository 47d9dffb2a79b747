// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules by which threads know of an access (access_knowers.hpp), one by one. A first thread makes an
// access and goes on as a case says; then a second one does something. Does it know of the access? Each
// expectation is what runtime/judge/race_judge.cpp makes of the same operations.
#include "causality/access_knowers.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace thrum {
namespace {

using Node = ThreadTrees::Node;

constexpr std::uint64_t kObject = 0x1000;
constexpr std::uint64_t kMutex = 0x2000;
constexpr std::uint64_t kValue = 0x3000;
constexpr ThreadId kFirst = 1;
constexpr ThreadId kSecond = 2;

// What a thread does: an operation on an object, or an access.
struct Do {
  ThreadId thread = kFirst;
  Operation operation = Operation::lock;
  std::uint16_t way = 0;
  std::uint64_t object = kObject;
  std::uint64_t operand = 0;
  bool orders = false;        // acquires or releases
  std::uint32_t size = 4;     // of an access
  std::uint64_t effect = 0;   // of a fence
  bool leaves_value = false;  // an update that writes nothing
  ThreadId other = kNoThread;
  bool in_section = false;
};

class Execution {
 public:
  // Main creates both threads.
  Execution() {
    at_[0] = trees_.start(kMainThread, ThreadTrees::kNone);
    for (const ThreadId thread : {kFirst, kSecond}) create(thread);
  }

  void add(const Do& one) {
    switch (one.operation) {
      case Operation::thread_create:
        at_[one.thread] =
            step(trees_.operate(at_[one.thread], {.operation = one.operation, .other = one.other}));
        at_[one.other] = step(trees_.start(one.other, at_[one.thread]));
        return;
      case Operation::load: return read(one, false);
      case Operation::store: return write(one, false);
      case Operation::read_modify_write: read(one, true); return one.leaves_value ? void() : write(one, true);
      case Operation::plain_store: return write_plainly(one);
      default: break;
    }
    at_[one.thread] = step(trees_.operate(at_[one.thread], {.operation = one.operation,
                                                            .way = one.way,
                                                            .other = one.other,
                                                            .object = one.object,
                                                            .operand = one.operand}));
    if (one.operation == Operation::fence) trees_.set_effect(at_[one.thread], one.effect);
    if (one.operation == Operation::futex_wait) read_in(one, false);
  }

  bool knows(ThreadId thread) {
    const InitialState initial;
    TreeMachine machine(trees_, initial);
    machine.extend();
    const AccessKnowers knowers(trees_, machine, 0);
    TreeMachine::State state(knowers.words(), 0);
    for (const Node node : steps_) {
      if (node == begins_) knowers.begin(state, kFirst);
      if (trees_[node].kind == ThreadTrees::Kind::read) {
        knowers.read(state, node, trees_.decision(trees_.next_of(node)).outcomes[0]);
      }
      knowers.perform(state, node);
    }
    return knowers.knows(state, thread);
  }

  // What comes next is the access.
  void begin() { begins_ = static_cast<Node>(trees_.size()); }

 private:
  Node step(Node node) {
    steps_.push_back(node);
    return node;
  }
  void create(ThreadId thread) {
    at_[0] = step(trees_.operate(at_[0], {.operation = Operation::thread_create, .other = thread}));
    at_[thread] = step(trees_.start(thread, at_[0]));
  }
  void begin_event(const Do& one) {
    at_[one.thread] = step(trees_.operate(
        at_[one.thread], {.operation = one.operation, .size = one.size, .object = one.object}));
  }
  void read(const Do& one, bool is_update) {
    begin_event(one);
    read_in(one, is_update);
  }
  void read_in(const Do& one, bool is_update) {
    ThreadTrees::Access access{.object = one.object, .size = one.size, .is_atomic = true};
    access.is_update = is_update;
    access.orders = one.orders;
    Node& at = at_[one.thread];
    at = step(trees_.read(at, access));
    at = trees_.choose_outcome(trees_.decide(at, Terms::kNone, 0), 0);
  }
  void write(const Do& one, bool is_update) {
    if (!is_update) begin_event(one);
    ThreadTrees::Access access{.object = one.object, .size = one.size, .is_atomic = true};
    access.is_update = is_update;
    access.orders = one.orders;
    at_[one.thread] = step(trees_.write(at_[one.thread], access));
  }
  void write_plainly(const Do& one) {
    ThreadTrees::Access access{.object = one.object, .size = one.size};
    access.in_section = one.in_section;
    at_[one.thread] = step(trees_.write(at_[one.thread], access));
  }

  ThreadTrees trees_;
  Node at_[5] = {};
  std::vector<Node> steps_;
  Node begins_ = ThreadTrees::kNone;
};

struct Case {
  std::string name;
  std::vector<Do> before;  // what comes before the access
  std::vector<Do> behind;
  bool knows = false;  // the second thread does so in the end
};

Do first(Operation operation, std::uint16_t way = 0) { return {.operation = operation, .way = way}; }
Do second(Operation operation, std::uint16_t way = 0) {
  return {.thread = kSecond, .operation = operation, .way = way};
}
Do first_atomic(Operation operation, bool orders) {
  return {.operation = operation, .object = kValue, .orders = orders};
}
Do second_atomic(Operation operation, bool orders) {
  return {.thread = kSecond, .operation = operation, .object = kValue, .orders = orders};
}
Do at(Do one, std::uint64_t object, std::uint32_t size = 4) {
  one.object = object;
  one.size = size;
  return one;
}
Do with_mutex(Do one) {
  one.operand = kMutex;
  return one;
}
Do fence_of(ThreadId thread, std::uint64_t effect) {
  return {.thread = thread, .operation = Operation::fence, .object = 0, .effect = effect};
}
Do with(Do one, ThreadId other) {
  one.object = 0;
  one.other = other;
  return one;
}
Do by(ThreadId thread, Do one) {
  one.thread = thread;
  return one;
}
Do in_section(Do one) {
  one.in_section = true;
  return one;
}
Do that_leaves(Do one) {
  one.leaves_value = true;
  return one;
}

void expect_all(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    Execution execution;
    for (const Do& step : one.before) execution.add(step);
    execution.begin();
    execution.add({.operation = Operation::plain_store, .object = 0x4000});
    for (const Do& step : one.behind) execution.add(step);
    EXPECT_TRUE(execution.knows(kFirst)) << one.name;
    EXPECT_EQ(execution.knows(kSecond), one.knows) << one.name;
  }
}

constexpr bool kKnows = true;
constexpr bool kDoesNot = false;

TEST(AccessKnowers, OfLocks) {
  using enum Operation;
  const Do leaves = first(unlock);
  expect_all({
      {"nothing", {}, {}, kDoesNot},
      {"lock", {}, {leaves, second(lock)}, kKnows},
      {"lock of another one", {}, {leaves, at(second(lock), kMutex)}, kDoesNot},
      {"lock before", {}, {second(lock), leaves}, kDoesNot},
      {"unlocked by another one in between", {}, {leaves, second(unlock), second(lock)}, kDoesNot},
      {"try", {}, {leaves, second(try_lock)}, kKnows},
      {"failed try", {}, {leaves, second(try_lock, 1)}, kDoesNot},
      {"writer that does not queue", {}, {leaves, second(lock_queue)}, kKnows},
      {"writer that queues", {}, {leaves, second(lock_queue, 1)}, kDoesNot},
      {"writer that has queued", {}, {leaves, second(lock_queue, 1), second(lock)}, kKnows},
      {"timeout", {}, {leaves, second(timeout)}, kDoesNot},
      {"reader behind writer", {}, {leaves, second(shared_lock)}, kKnows},
      {"reader that tries", {}, {leaves, second(try_shared_lock)}, kKnows},
      {"reader that fails", {}, {leaves, second(try_shared_lock, 1)}, kDoesNot},
      {"writer behind reader", {}, {first(shared_unlock), second(lock)}, kKnows},
      {"reader behind reader", {}, {first(shared_unlock), second(shared_lock)}, kDoesNot},
      {"behind two readers", {}, {first(shared_unlock), second(shared_unlock), second(lock)}, kKnows},
      {"waits", {}, {with_mutex(first(wait_release)), at(second(lock), kMutex)}, kKnows},
      {"has waited", {}, {at(leaves, kMutex), with_mutex(second(wait_reacquire))}, kKnows},
      {"signal", {}, {first(signal), with_mutex(second(wait_reacquire))}, kDoesNot},
      {"broadcast", {}, {first(broadcast), with_mutex(second(wait_reacquire))}, kDoesNot},
      {"destroyed", {}, {leaves, second(lock_destroy), second(lock)}, kDoesNot},
      {"made again", {}, {leaves, at(second(plain_store), kObject, 40), second(lock)}, kDoesNot},
      {"beside it", {}, {leaves, at(second(plain_store), kObject + 4), second(lock)}, kKnows},
  });
}

TEST(AccessKnowers, OfOtherObjects) {
  using enum Operation;
  const Do section = at(first(atomic_section), 2);
  const Do other_section = at(second(atomic_section), 2);
  const Do in_it = in_section(at(first(plain_store), 0x5000));
  expect_all({
      {"semaphore", {}, {first(semaphore_post), second(semaphore_wait)}, kKnows},
      {"two posts", {}, {first(semaphore_post), second(semaphore_post), second(semaphore_wait)}, kKnows},
      {"try wait", {}, {first(semaphore_post), second(semaphore_try_wait)}, kKnows},
      {"failed try wait", {}, {first(semaphore_post), second(semaphore_try_wait, 1)}, kDoesNot},
      {"arrives later", {}, {first(barrier_wait), second(barrier_wait, 1)}, kKnows},
      {"arrives before", {}, {second(barrier_wait), first(barrier_wait, 1)}, kDoesNot},
      {"leaves", {}, {second(barrier_wait), first(barrier_wait, 1), second(barrier_leave)}, kKnows},
      {"barrier is not full", {}, {first(barrier_wait), second(barrier_leave)}, kDoesNot},
      {"next round", {first(barrier_wait), second(barrier_wait, 1)}, {second(barrier_wait)}, kDoesNot},
      {"behind the round", {second(barrier_wait), first(barrier_wait, 1)}, {second(barrier_leave)}, kDoesNot},
      {"first of the next round",
       {with(first(thread_create), 3), with(first(thread_create), 4)},
       {first(barrier_wait), by(3, first(barrier_wait, 1)), by(4, first(barrier_wait)),
        second(barrier_wait, 1)},
       kDoesNot},
      {"once is over", {}, {first(once_leave), second(once_enter, 1)}, kKnows},
      {"once has failed", {}, {first(once_leave), second(once_enter)}, kKnows},
      {"sections", {}, {section, in_it, other_section}, kKnows},
      {"in one order", {}, {other_section, section, in_it}, kDoesNot},
      {"behind a section", {section, in_it}, {other_section}, kDoesNot},
      {"futex", {}, {first(futex_wake), second(futex_return)}, kDoesNot},
  });
}

TEST(AccessKnowers, OfThreads) {
  using enum Operation;
  const Do creates = with(first(thread_create), 3);
  expect_all({
      {"of the created one", {}, {creates, with(second(thread_join), 3)}, kKnows},
      {"created before", {creates}, {with(second(thread_join), 3)}, kDoesNot},
      {"join", {}, {with(second(thread_join), kFirst)}, kKnows},
      {"all have ended", {}, {at(second(others_ended), 0)}, kKnows},
      {"detached", {}, {with(first(detach), 3), with(second(detach), 3)}, kDoesNot},
  });
}

TEST(AccessKnowers, OfAtomicValues) {
  using enum Operation;
  const Do release = first_atomic(store, true);
  const Do relaxed = first_atomic(store, false);
  const Do acquire = second_atomic(load, true);
  const Do other = {.thread = kSecond, .operation = read_modify_write, .object = kValue};
  expect_all({
      {"release and acquire", {}, {release, acquire}, kKnows},
      {"acquire before", {}, {acquire, release}, kDoesNot},
      {"relaxed read", {}, {release, second_atomic(load, false)}, kDoesNot},
      {"relaxed write", {}, {relaxed, acquire}, kDoesNot},
      {"update releases", {}, {first_atomic(read_modify_write, true), acquire}, kKnows},
      {"update that leaves the value",
       {},
       {that_leaves(first_atomic(read_modify_write, true)), acquire},
       kDoesNot},
      {"update that leaves the value acquires",
       {},
       {release, that_leaves(second_atomic(read_modify_write, true))},
       kKnows},
      {"relaxed update goes on", {}, {release, other, acquire}, kKnows},
      {"store of the same thread does not", {}, {release, relaxed, acquire}, kDoesNot},
      {"store of another thread does not", {}, {release, second_atomic(store, true), acquire}, kDoesNot},
      {"plain write", {}, {release, at(second(plain_store), kValue), acquire}, kDoesNot},
      {"of its last byte", {}, {release, at(second(plain_store), kValue + 3, 1), acquire}, kKnows},
      {"whole of parts", {}, {release, at(acquire, kValue, 8)}, kKnows},
      {"second part", {}, {at(release, kValue + 4), at(acquire, kValue, 8)}, kDoesNot},
      {"part of a whole", {}, {at(release, kValue, 8), at(acquire, kValue + 4)}, kDoesNot},
      {"first part is relaxed", {}, {at(release, kValue, 8), relaxed, at(acquire, kValue, 8)}, kDoesNot},
  });
}

TEST(AccessKnowers, OfFences) {
  using enum Operation;
  constexpr std::uint64_t kA = ThreadTrees::kAcquires;
  constexpr std::uint64_t kR = ThreadTrees::kReleases;
  const Do release = first_atomic(store, true);
  const Do relaxed = first_atomic(store, false);
  const Do acquire = second_atomic(load, true);
  const Do reads = second_atomic(load, false);
  const Do futex = {.thread = kSecond, .operation = futex_wait, .object = kValue};
  expect_all({
      {"acquire fence", {}, {release, reads, fence_of(kSecond, kA)}, kKnows},
      {"both", {}, {release, reads, fence_of(kSecond, kA + kR)}, kKnows},
      {"release fence in its place", {}, {release, reads, fence_of(kSecond, kR)}, kDoesNot},
      {"relaxed fence", {}, {release, reads, fence_of(kSecond, 0)}, kDoesNot},
      {"acquire fence before", {}, {release, fence_of(kSecond, kA), reads}, kDoesNot},
      {"release fence", {}, {fence_of(kFirst, kR), relaxed, acquire}, kKnows},
      {"acquire fence in its place", {}, {fence_of(kFirst, kA), relaxed, acquire}, kDoesNot},
      {"release fence before the access", {fence_of(kFirst, kR)}, {relaxed, acquire}, kDoesNot},
      {"release fence behind the write", {}, {relaxed, fence_of(kFirst, kR), acquire}, kDoesNot},
      {"of the other thread", {}, {fence_of(kSecond, kR), relaxed, acquire}, kDoesNot},
      {"two fences", {}, {fence_of(kFirst, kA + kR), relaxed, reads, fence_of(kSecond, kA + kR)}, kKnows},
      {"fences alone", {}, {fence_of(kFirst, kA + kR), fence_of(kSecond, kA + kR)}, kDoesNot},
      {"futex wait", {}, {release, futex, fence_of(kSecond, kA)}, kDoesNot},
  });
}

}  // namespace
}  // namespace thrum
