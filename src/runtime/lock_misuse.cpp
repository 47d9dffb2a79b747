// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/lock_misuse.hpp"

#include "runtime/failure.hpp"
#include "runtime/race_judge.hpp"
#include "runtime/scheduler.hpp"
#include "runtime/world.hpp"

namespace thrum {

namespace {

// Whether what any other thread stands before is so; also what it goes back to from a signal handler.
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

void fail_misuse(const char* what, std::uint64_t code) {
  ThreadId thread = world.running ? scheduler().current().id : kMainThread;
  fail({BugKind::lock_misuse, what, thread, code, {}});
}

void check_condition_unused(std::uint64_t condition, std::uint64_t code) {
  bool used = another_stands([condition](const Standing& standing) {
    return sleeps_at(standing, Operation::wait_reacquire, condition);
  });
  if (used) fail_misuse("destroys a condition variable that a thread waits for", code);
}

void check_barrier_unused(std::uint64_t barrier, std::uint64_t code) {
  bool used = another_stands(
      [barrier](const Standing& standing) { return sleeps_at(standing, Operation::barrier_leave, barrier); });
  if (used) fail_misuse("destroys a barrier that a thread waits at", code);
}

void check_semaphore_unused(std::uint64_t semaphore, std::uint64_t code) {
  bool used = another_stands([semaphore](const Standing& standing) {
    return standing.wait == Wait::semaphore && standing.object == semaphore &&
           semaphore_count(semaphore) == 0;
  });
  if (used) fail_misuse("destroys a semaphore that a thread waits for", code);
}

void destroyed(std::uint64_t object, std::uint64_t code) {
  if (world.judges_races)
    race_judge().access(AccessKind::plain_write, reinterpret_cast<void*>(object), sizeof(void*), code);
}

void check_mutex_unused(std::uint64_t mutex, std::uint64_t code) {
  bool used = another_stands([mutex](const Standing& standing) { return standing.lock == mutex; });
  if (used) fail_misuse("destroys a mutex that a waiting thread is to have again", code);
}

void check_same_mutex(std::uint64_t condition, std::uint64_t mutex, std::uint64_t code) {
  bool differs = another_stands([condition, mutex](const Standing& standing) {
    return sleeps_at(standing, Operation::wait_reacquire, condition) && standing.lock != mutex;
  });
  if (differs)
    fail_misuse("waits for a condition variable with one mutex while a thread waits with another", code);
}

}  // namespace thrum
