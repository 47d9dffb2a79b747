// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/lock_misuse.hpp"

#include <algorithm>

#include "runtime/base/engine.hpp"
#include "runtime/base/modules.hpp"
#include "runtime/base/world.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/threads/hooks.hpp"
#include "runtime/threads/scheduler.hpp"

namespace thrum {

using namespace std::string_literals;

namespace {

// Whether the test holds for the pending operation of any other thread, or for one to which that thread will
// return from a signal handler.
template <typename Test>
bool another_stands(Test test) {
  if (!world.running) return false;
  const Thread& me = scheduler().current();
  for (const Thread* thread : scheduler().live()) {
    if (thread == &me || thread->life == Life::ended) continue;
    for (const Standing* standing = thread; standing; standing = standing->outer) {
      if (test(*standing)) return true;
    }
  }
  return false;
}

bool sleeps_at(const Standing& standing, Operation operation, std::uint64_t object) {
  return standing.wait == Wait::wakeup && !standing.woken && standing.operation == operation &&
         standing.object == object;
}

}  // namespace

void fail_misuse(std::string what, std::uint64_t code) {
  ThreadId thread = world.running ? scheduler().current().id : kMainThread;
  fail({BugKind::lock_misuse, std::move(what), thread, code, {}});
}

void fail_held(std::string what, ThreadId holder, std::uint64_t code) {
  ThreadId me = world.running ? scheduler().current().id : kMainThread;
  const char* whose = holder == kNoThread ? "nobody" : holder == me ? "it" : "another thread";
  fail_misuse(what + " that " + whose + " holds", code);
}

void fail_destroyed(const char* what, std::uint64_t code) {
  fail_misuse(what + " that has been destroyed"s, code);
}

const char* self_lock(Wait wait, std::uint64_t object, ThreadId thread, std::uint16_t slot) {
  if (wait == Wait::spin_lock && spin_lock_holder(object) == thread)
    return "locks again a spin lock that it holds";
  if (wait != Wait::lock) return nullptr;
  if (lock_holder(object) == thread) return "locks again a mutex that it holds";
  // Readers are counted exactly only up to kReaders slots. With more, another thread may be the reader.
  bool reads = scheduler().slots_used() <= LockState::kReaders && is_read_by(object, slot);
  return reads ? "locks to write a read-write lock that it holds to read" : nullptr;
}

void check_self_locks() {
  for (const Thread* thread : scheduler().live()) {
    const char* what = self_lock(thread->wait, thread->object, thread->id, thread->slot);
    if (!what || thread->timed) continue;
    Failure failure{BugKind::lock_misuse, what, thread->id, thread->code, {}};
    failure.waiters.push_back(scheduler().waiter(*thread));
    failure.waiters[0].holder = thread->id;
    fail(std::move(failure));
  }
}

void check_condition_unused(std::uint64_t condition, const char* does, std::uint64_t code) {
  bool used = another_stands([condition](const Standing& standing) {
    return sleeps_at(standing, Operation::wait_reacquire, condition);
  });
  if (used) fail_misuse(does + " a condition variable that a thread waits for"s, code);
}

void check_barrier_unused(std::uint64_t barrier, const char* does, std::uint64_t code) {
  bool used = another_stands(
      [barrier](const Standing& standing) { return sleeps_at(standing, Operation::barrier_leave, barrier); });
  if (used) fail_misuse(does + " a barrier that a thread waits at"s, code);
}

std::uint32_t barrier_mark(std::uint64_t barrier) {
  constexpr std::uint32_t kInitialised = 0xba991e20;
  LiveBlock block;
  Place place;
  if (the_heap.find_live(barrier, block)) {
    const std::uint32_t mark = kInitialised ^ (block.number << 8) ^ block.thread;
    return mark == BarrierState::kDestroyed ? kInitialised : mark;
  }
  return find_in_modules(barrier, place) ? kInitialised : 0;
}

void check_barrier_new(std::uint64_t barrier, std::uint64_t code) {
  check_barrier_unused(barrier, "initialises", code);
  const auto& state = state_at<BarrierState>(barrier);
  const std::uint32_t mark = barrier_mark(barrier);
  if (state.threads != 0 && mark != 0 && state.mark == mark)
    fail_misuse("initialises a barrier that is initialised already", code);
}

void check_semaphore_unused(std::uint64_t semaphore, const char* does, std::uint64_t code) {
  bool used = another_stands([semaphore](const Standing& standing) {
    return standing.wait == Wait::semaphore && standing.object == semaphore &&
           semaphore_count(semaphore) == 0;
  });
  if (used) fail_misuse(does + " a semaphore that a thread waits for"s, code);
}

void check_mutex_unused(std::uint64_t mutex, const char* does, std::uint64_t code) {
  bool used = another_stands([mutex](const Standing& standing) { return standing.lock == mutex; });
  if (used) fail_misuse(does + " a mutex that a waiting thread is to have again"s, code);
}

void check_not_held(std::uint64_t lock, const char* name, ThreadId holder, bool may_be_read,
                    std::uint64_t code) {
  if (!world.judges_races) return;
  for (const Thread* thread : scheduler().live()) {
    bool holds = thread->id == holder || (may_be_read && is_read_by(lock, thread->slot));
    Place place;
    bool is_kept = ProgramHeap::is_heap(lock) || find_in_modules(lock, place);
    if (holds && is_kept && was_used_atomically(lock)) fail_held("initialises a "s + name, thread->id, code);
  }
}

void begin_anew(std::uint64_t object, std::uint64_t code) {
  constexpr std::size_t kPart = 4;  // the bytes that its operations count as accessing
  if (engine.records_values && world.running) note_write_for_values(object, kPart);
  if (world.judges_races) judge_plain_write(object, kPart, code);
}

void check_same_mutex(std::uint64_t condition, std::uint64_t mutex, std::uint64_t code) {
  bool differs = another_stands([condition, mutex](const Standing& standing) {
    return sleeps_at(standing, Operation::wait_reacquire, condition) && standing.lock != mutex;
  });
  if (differs)
    fail_misuse("waits for a condition variable with one mutex while a thread waits with another", code);
}

}  // namespace thrum
