// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// Objects that begin and end while other threads run. Too early or too late: wrong/races/lifetimes.cpp.
// case thread_local_lent: exhausted   another thread uses it, and is joined before its owner ends
// case stack_lent: exhausted          a thread waits until the other is done with its stack
// case stack_used_again: exhausted    a new thread may get the stack of one that was joined
// case started_whole: exhausted       the object is complete when its thread starts
// case stopped_whole: exhausted       and when its thread ends, which the outermost destructor waits for
// case placed_again: exhausted        memory of a pool is used for another object, in order
// case static_destroyed: exhausted    after the thread that uses it has been joined
#include <atomic>
#include <mutex>
#include <new>
#include <thread>

#include "../../cases.h"

int results[2];  // not static, or compilers would leave out what nobody reads

constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;

static thread_local int own = 1;
static void run_thread_local_lent() {
  std::thread owner([] {
    int* lent = &own;
    std::thread user([lent] { ++*lent; });
    user.join();
    assert(own == 2);
  });
  owner.join();
}
static void run_stack_lent() {
  static std::atomic<int*> lent;
  static std::atomic<bool> done;
  std::thread owner([] {
    int local = 1;
    lent.store(&local, release);
    lent.notify_one();
    done.wait(false, acquire);
    assert(local == 2);
  });
  std::thread user([] {
    lent.wait(nullptr, acquire);
    *lent.load() = 2;
    done.store(true, release);
    done.notify_one();
  });
  owner.join();
  user.join();
}
static void run_stack_used_again() {
  auto work = [](int& mine) {
    volatile int local = 1;
    mine += local;
  };
  for (int& result : results) std::thread([&] { work(result); }).join();
  std::thread last([&] { work(results[0]); });
  last.join();
  assert(results[0] == 2);
}
struct Worker {
  virtual ~Worker() = default;
  virtual void work() = 0;
};
struct Counter : Worker {
  ~Counter() override { stop(); }
  void start() {
    thread = std::thread([this] { static_cast<Worker*>(this)->work(); });
  }
  void stop() {
    if (thread.joinable()) thread.join();
  }
  void work() override { ++results[0]; }
  std::thread thread;
};
struct Derived final : Counter {
  ~Derived() override { stop(); }
  void work() override { ++results[1]; }
};
static void run_started_whole() {
  Counter counter;
  counter.start();
}
static void run_stopped_whole() {
  {
    Derived derived;
    derived.start();
  }
  assert(results[1] == 1);
}
static void run_placed_again() {
  alignas(int) static char memory[sizeof(int)];
  static std::mutex mutex;
  auto use = [] {
    std::lock_guard lock(mutex);
    int* made = new (memory) int(1);
    results[0] += *made;
  };
  std::thread first(use), second(use);
  first.join();
  second.join();
}
struct Registry {
  ~Registry() { value = 0; }
  int value = 1;
};
static Registry registry;
static void run_static_destroyed() {
  std::thread user([] { results[0] = registry.value; });
  user.join();
}

MAIN(CASE(thread_local_lent), CASE(stack_lent), CASE(stack_used_again), CASE(started_whole),
     CASE(stopped_whole), CASE(placed_again), CASE(static_destroyed))
