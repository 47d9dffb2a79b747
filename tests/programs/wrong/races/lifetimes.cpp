// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// plain: no
// Objects that are used before they are whole, while they are destroyed, or after they have ended.
// case thread_local_after_join: bug use-after-free   the storage of a thread ends with it
// case thread_local_lent: bug use-after-free   the owner may end first
// case stack_after_join: bug use-after-free    so does its stack
// case stack_lent: bug use-after-free          the owner does not wait for the user
// case stack_left: bug data-race            it waits, but takes nothing over before it ends
// case scope_left: bug data-race            the local is written as its thread is still using it
// case started_early: bug data-race         before the derived constructor sets the vptr
// case stopped_late: bug data-race          the derived destructor writes what its thread still uses
// case members_gone: bug data-race          the vptr is set back to the one of the base, which waits too late
// case static_destroyed: bug data-race      a detached thread uses a static object when the process ends
// case placed_again: bug data-race          memory is given to the next one by a relaxed flag
#include <atomic>
#include <new>
#include <string>
#include <thread>

#include "../../cases.h"

int results[2];  // not static, or compilers would leave out what nobody reads

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;

static thread_local int own = 1;
static std::atomic<int*> lent;
static void run_thread_local_after_join() {
  std::thread owner([] { lent = &own; });
  owner.join();
  results[0] = *lent;  // reported
}
static void run_thread_local_lent() {
  std::thread owner([] {
    own = 2;
    lent.store(&own, release);
  });
  if (int* mine = lent.load(acquire)) results[0] = *mine;  // reported
  owner.join();
}
static void run_stack_after_join() {
  std::thread owner([] {
    int local = 2;
    lent = &local;
  });
  owner.join();
  results[0] = *lent;  // reported
}
static void run_stack_lent() {
  std::thread owner([] {
    int local = 2;
    lent.store(&local, release);
    results[1] = local;
  });
  if (int* mine = lent.load(acquire)) results[0] = *mine;  // reported
  owner.join();
}
static void run_stack_left() {
  static std::atomic<bool> done;
  std::thread user([] {
    lent.wait(nullptr, acquire);
    results[0] = *lent.load();  // reported
    done.store(true, relaxed);
    done.notify_one();
  });
  std::thread owner([] {
    int local = 2;
    lent.store(&local, release);
    lent.notify_one();
    done.wait(false, relaxed);  // reported
  });
  user.join();
  owner.join();
}
static void run_scope_left() {
  std::thread user;
  for (int i = 0; i < 2; ++i) {
    int local[4] = {i, i, i, i};                                          // reported
    if (i == 0) user = std::thread([&local] { results[0] = local[0]; });  // reported
    results[1] += local[0];
    local[0] = 5;  // reported
  }
  user.join();
}
struct Worker {
  Worker() = default;
  explicit Worker(int) : thread([this] { work(); }) {}  // reported
  virtual ~Worker() { stop(); }                         // reported
  virtual void work() { ++results[0]; }
  void start() {
    thread = std::thread([this] { work(); });  // reported
  }
  void stop() {
    if (thread.joinable()) thread.join();
  }
  std::thread thread;
};
struct Counter : Worker {
  Counter() = default;
  explicit Counter(int number) : Worker(number) {}  // reported
  void work() override { ++results[1]; }            // reported
  ~Counter() override { results[1] = 0; }           // reported
};
static void run_started_early() {
  Counter counter(1);
  counter.stop();
}
static void run_stopped_late() {
  Counter counter;
  counter.start();
}
struct Named : Worker {
  void work() override { results[1] = static_cast<int>(name.size()); }
  std::string name = "a name that does not fit into the string itself";
};
static void run_members_gone() {
  auto* named = new Named;
  named->start();
  delete named;
}
struct Registry {  // reported
  std::string name = "a name that does not fit into the string itself";
};
static Registry registry;
static void run_static_destroyed() {
  std::thread([] { results[0] = registry.name[0]; }).detach();  // reported
}
static void run_placed_again() {
  alignas(int) static char memory[sizeof(int)];
  static std::atomic<bool> free = true;
  auto use = [] {
    if (!free.exchange(false, relaxed)) return;
    int* made = new (memory) int(1);
    results[0] += *made;  // reported
    free.store(true, relaxed);
  };
  std::thread first(use), second(use);
  first.join();
  second.join();
}

MAIN(CASE(thread_local_after_join), CASE(thread_local_lent), CASE(stack_after_join), CASE(stack_lent),
     CASE(stack_left), CASE(scope_left), CASE(started_early), CASE(stopped_late), CASE(members_gone),
     CASE(static_destroyed), CASE(placed_again))
