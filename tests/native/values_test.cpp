// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search by constraint solving, in which values decide (`mcr`), on compiled programs: when it has ended,
// no execution shows anything that it does not know. Its trees are held against those of all executions, or
// of some random ones where there are too many.
//
//   THRUM_VALUES_PROGRAM  a program that is held against random executions as well
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "campaign/strategies.hpp"
#include "causality/causality_search.hpp"
#include "native/workshop.hpp"
#include "solver/z3_solver.hpp"
#include "supervisor/worker.hpp"

namespace thrum {
namespace {

constexpr std::uint64_t kExecutionsMax = 1500;

struct Shown {
  std::set<std::string> bugs;
  std::uint64_t executions = 0;

  void note(const Trace& trace) {
    ++executions;
    if (trace.end == End::bug)
      bugs.insert(std::to_string(static_cast<int>(trace.failure.kind)) + ' ' + trace.failure.message);
  }
};

std::size_t executed(const ThreadTrees& trees) {
  std::size_t count = 0;
  for (ThreadTrees::Node node = 0; node < trees.size(); ++node) count += trees[node].is_executed ? 1 : 0;
  return count;
}

class Values : public testing::Test {
 protected:
  // Holds it against all executions if there are not too many.
  void hold(const std::string& source) {
    ASSERT_EQ(workshop_.compile("program", source, "-O1"), "");
    hold_program(workshop_.path("program"));
  }

  void hold_program(const std::string& path) {
    WorkerSettings settings;
    settings.program = path;
    settings.time_seconds = 200;
    settings.lead = [&](Program& program) {
      search(program);
      if (!HasFailure()) compare(program);
    };
    Job job;
    job.led = true;
    job.heap = Heap::fresh;
    job.races = races_;
    ThreadNames names;
    EXPECT_EQ(run_worker(settings, job, names).problem, "");
  }

  void search(Program& program) {
    search_ = std::make_unique<CausalitySearch>(CausalitySearch::Settings{
        .make_solver = [](const Terms& terms) { return std::make_unique<Z3Solver>(terms); }});
    Plan plan;
    Trace trace;
    while (search_->next(plan)) {
      program.run(plan, nullptr, search_->wanted(), trace);
      ASSERT_NE(trace.end, End::diverged);
      shown_.note(trace);
      ASSERT_LT(shown_.executions, kExecutionsMax);
      search_->learn(plan, trace);
    }
    EXPECT_EQ(search_->problem(), "");
    EXPECT_EQ(search_->counts().missed, 0u);
    EXPECT_TRUE(search_->guarantee().exhausted) << search_->trees().to_text(search_->terms());
  }

  void compare(Program& program) {
    const std::unique_ptr<Strategy> all = make_strategy("dfs", {});
    Shown others;
    Plan plan;
    bool is_all = false;
    while (others.executions < kExecutionsMax) {
      is_all = !all->next(plan);
      if (is_all) break;
      Trace trace;
      program.run(plan, nullptr, all->wanted(), trace);
      all->learn(plan, trace);
      program.run(plan, nullptr, search_->wanted(), trace);
      others.note(trace);
      ASSERT_NO_FATAL_FAILURE(expect_known(trace, plan, program));
    }
    for (std::uint64_t seed = 1; !is_all && seed < kExecutionsMax; ++seed) {
      plan = Plan{};
      plan.policy = {.kind = Policy::Kind::random, .seed = seed, .waiting = Waiting::values};
      Trace trace;
      program.run(plan, nullptr, search_->wanted(), trace);
      others.note(trace);
      ASSERT_NO_FATAL_FAILURE(expect_known(trace, plan, program));
    }
    std::printf("%llu executions, of %s%llu\n", static_cast<unsigned long long>(shown_.executions),
                is_all ? "" : "more than ", static_cast<unsigned long long>(others.executions));
    for (const std::string& bug : others.bugs) EXPECT_TRUE(shown_.bugs.contains(bug)) << bug;
    if (is_all) {
      EXPECT_EQ(shown_.bugs, others.bugs);
    }
  }

  void expect_known(const Trace& trace, const Plan& plan, Program& program) {
    ASSERT_FALSE(trace.grew);
    ThreadTrees trees = search_->trees();
    InitialState initial;
    TraceLearner learner(Deciding::values, trees, initial);
    const std::size_t known = executed(trees);
    learner.learn(trace);
    ASSERT_EQ(trees.problem(), "") << to_string(plan, program.names());
    ASSERT_EQ(learner.not_covered(), "");
    ASSERT_EQ(executed(trees), known) << to_string(plan, program.names()) << '\n'
                                      << trees.to_text(search_->terms());
  }

  Workshop workshop_;
  Races races_ = Races::report;
  std::unique_ptr<CausalitySearch> search_;
  Shown shown_;
};

TEST_F(Values, AreThoseOfOnces) {
  hold(R"(
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>
std::atomic<int> runs, seen;
std::once_flag once;
int make() { return ++runs; }
int guarded() { static int value = make(); return value; }
int main() {
  auto body = [](int own) {
    std::call_once(once, [&] { seen = own; });
    if (seen == 0 || guarded() != 1) std::abort();
  };
  std::thread first(body, 1), second(body, 2);
  body(3);
  first.join();
  second.join();
})");
}

TEST_F(Values, AreThoseOfInitialisationsThatFail) {
  hold(R"(
#include <atomic>
#include <mutex>
#include <thread>
std::atomic<int> tries, seen;
int make(int own) { if (++tries == 1) throw 1; return own; }
int guarded(int own) { static int value = make(own); return value; }
int main() {
  auto body = [](int own) {
    try { seen = guarded(own); } catch (int) { seen = 9; }
  };
  std::thread first(body, 1), second(body, 2);
  first.join();
  second.join();
})");
}

// What begins before the first thread has begun before anything is recorded.
TEST_F(Values, AreThoseOfWhatBeganBefore) {
  hold(R"(
#include <pthread.h>
#include <atomic>
#include <thread>
pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
std::atomic<int> x, seen;
std::thread other;
int main() {
  pthread_mutex_lock(&mutex);
  pthread_once(&once, [] {
    other = std::thread([] {
      pthread_once(&once, [] {});
      int first = x;
      pthread_mutex_lock(&mutex);
      seen = first + x;
      pthread_mutex_unlock(&mutex);
    });
    x = 1;
  });
  x = 2;
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
  x = 4;
  pthread_mutex_unlock(&mutex);
  other.join();
  pthread_mutex_destroy(&mutex);
})");
}

TEST_F(Values, AreThoseOfReadWriteLocks) {
  hold(R"(
#include <atomic>
#include <shared_mutex>
#include <thread>
std::shared_mutex lock;
std::atomic<int> x, seen;
int main() {
  std::thread reader([] {
    { std::shared_lock hold(lock); seen = x.load(); seen = x.load(); }
    if (lock.try_lock_shared()) { seen = x.load(); lock.unlock_shared(); } else { seen = 9; }
  });
  std::thread writer([] {
    lock.lock();
    x = 1;
    x = 2;
    lock.unlock();
  });
  if (lock.try_lock()) { x = 3; lock.unlock(); } else { seen = 8; }
  reader.join();
  writer.join();
})");
}

// A reader that reads again waits behind a writer that has queued, and so a deadlock comes about.
TEST_F(Values, AreThoseOfWritersThatQueue) {
  hold(R"(
#include <pthread.h>
#include <atomic>
#include <thread>
pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
std::atomic<int> x, seen;
int main() {
  std::thread reader([] {
    pthread_rwlock_rdlock(&lock);
    seen = x.load();
    pthread_rwlock_rdlock(&lock);
    seen = x.load();
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
  });
  std::thread writer([] {
    pthread_rwlock_wrlock(&lock);
    x = 1;
    pthread_rwlock_unlock(&lock);
  });
  if (pthread_rwlock_tryrdlock(&lock) == 0) { seen = x.load(); pthread_rwlock_unlock(&lock); } else { seen = 8; }
  reader.join();
  writer.join();
})");
}

TEST_F(Values, AreThoseOfRecursiveMutexes) {
  hold(R"(
#include <atomic>
#include <mutex>
#include <thread>
std::recursive_mutex lock;
std::atomic<int> x, seen;
int main() {
  auto body = [](int own) {
    std::lock_guard outer(lock);
    { std::lock_guard inner(lock); seen = x.load(); x = own; }
    if (lock.try_lock()) { seen = x.load(); lock.unlock(); } else { seen = 9; }
  };
  std::thread first(body, 1), second(body, 2);
  if (lock.try_lock()) { seen = x.load(); lock.unlock(); } else { seen = 8; }
  first.join();
  second.join();
})");
}

// Two of three threads meet twice, or all do.
TEST_F(Values, AreThoseOfBarriers) {
  hold(R"(
#include <pthread.h>
#include <atomic>
#include <thread>
pthread_barrier_t barrier;
std::atomic<int> x, seen;
int main() {
  pthread_barrier_init(&barrier, nullptr, 2);
  auto body = [](int own) {
    if (pthread_barrier_wait(&barrier) != 0) x = own;
    seen = x.load();
  };
  std::thread first(body, 1), second(body, 2), third([&] { body(3); pthread_barrier_wait(&barrier); });
  first.join();
  second.join();
  third.join();
})");
}

// An execution in which all arrive does not come about at first.
TEST_F(Values, AreThoseOfBarriersThatNobodyLeavesAtFirst) {
  hold(R"(
#include <pthread.h>
#include <atomic>
#include <thread>
pthread_barrier_t barrier;
std::atomic<int> x, seen;
int main() {
  pthread_barrier_init(&barrier, nullptr, 2);
  std::thread first([] { x = 1; if (pthread_barrier_wait(&barrier) != 0) x = 7; seen = x.load(); });
  std::thread second([] { if (x == 0) { pthread_barrier_wait(&barrier); seen = x.load(); } });
  first.detach();
  second.join();
})");
}

TEST_F(Values, AreThoseOfAtomicWaits) {
  hold(R"(
#include <atomic>
#include <thread>
std::atomic<int> x, seen;
int main() {
  auto body = [](int own) {
    x.wait(0);
    seen = own;
    x = own;
  };
  std::thread first(body, 2), second(body, 3);
  x = 1;
  x.notify_one();
  first.join();
  second.join();
})");
}

TEST_F(Values, AreThoseOfFutexesOfWhichOneIsWoken) {
  hold(R"(
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <atomic>
#include <thread>
std::atomic<int> word, seen;
int main() {
  auto body = [](int own) {
    if (syscall(SYS_futex, &word, FUTEX_WAIT, 0, nullptr, nullptr, 0) == 0) {
      seen = own;
      syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
    }
  };
  std::thread first(body, 1), second(body, 2);
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  word = 1;
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  first.join();
  second.join();
})");
}

TEST_F(Values, AreThoseOfWhoLooksWhetherAWakeWokeSomebody) {
  hold(R"(
#include <atomic>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
int word;
std::atomic<int> woke, seen;
int main() {
  std::thread waiter([] { syscall(SYS_futex, &word, FUTEX_WAIT, 0, nullptr, nullptr, 0); });
  std::thread waker([] {
    if (syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0) == 1) woke = 1;
  });
  seen = woke.load();
  __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  waiter.join();
  waker.join();
})");
}

TEST_F(Values, AreThoseOfLatches) {
  hold(R"(
#include <atomic>
#include <latch>
#include <thread>
std::latch latch{2};
std::atomic<int> x, seen;
int main() {
  std::thread first([] { x = 1; latch.count_down(); x = 2; });
  std::thread second([] { latch.arrive_and_wait(); seen = x.load(); });
  first.join();
  second.join();
})");
}

TEST_F(Values, AreThoseOfTimedWaits) {
  hold(R"(
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <atomic>
#include <thread>
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, plain = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t both = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
std::atomic<int> x, seen;
sem_t semaphore;
const timespec over{};
int main() {
  std::thread first([] {
    if (pthread_mutex_timedlock(&mutex, &over) == 0) {
      seen = x.load();
      pthread_mutex_unlock(&mutex);
    }
    if (sem_timedwait(&semaphore, &over) == 0) seen = x.load();
    if (pthread_rwlock_timedwrlock(&both, &over) == 0) {
      x = 5;
      pthread_rwlock_unlock(&both);
    }
    pthread_mutex_lock(&plain);
    if (pthread_cond_timedwait(&condition, &plain, &over) == 0) seen = x.load();
    pthread_mutex_unlock(&plain);
  });
  pthread_mutex_lock(&mutex);
  x = 1;
  pthread_mutex_unlock(&mutex);
  if (pthread_rwlock_tryrdlock(&both) == 0) {
    sem_post(&semaphore);
    pthread_rwlock_unlock(&both);
  }
  pthread_cond_signal(&condition);
  first.join();
})");
}

TEST_F(Values, AreThoseOfReadersThatWaitForATime) {
  hold(R"(
#include <pthread.h>
#include <time.h>
#include <atomic>
#include <thread>
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
std::atomic<int> x, seen;
const timespec over{};
int main() {
  std::thread reader([] {
    if (pthread_rwlock_timedrdlock(&lock, &over) != 0) return;
    seen = x.load();
    pthread_rwlock_unlock(&lock);
  });
  pthread_rwlock_wrlock(&lock);
  x = 1;
  x = 2;
  pthread_rwlock_unlock(&lock);
  reader.join();
})");
}

TEST_F(Values, AreThoseOfAProgramThatMainLeaves) {
  hold(R"(
#include <pthread.h>
#include <atomic>
#include <cstdlib>
#include <thread>
std::atomic<int> x, seen;
int main() {
  std::atexit([] { seen = x.load(); });
  std::thread([] { x = x + 1; }).detach();
  std::thread([] { x = x + 1; }).detach();
  pthread_exit(nullptr);
})");
}

// Who comes last destroys it, or so it believes.
TEST_F(Values, AreThoseOfLocksThatAreDestroyedTooEarly) {
  races_ = Races::ignore;
  hold(R"(
#include <pthread.h>
#include <atomic>
#include <thread>
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int main() {
  std::thread other([] {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_destroy(&mutex);
  });
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  other.join();
})");
}

TEST_F(Values, AreThoseOfAProgram) {
  const char* program = std::getenv("THRUM_VALUES_PROGRAM");
  if (program == nullptr) GTEST_SKIP();
  hold_program(program);
}

}  // namespace
}  // namespace thrum
