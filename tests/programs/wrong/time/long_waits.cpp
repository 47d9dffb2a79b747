// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A time-out of an hour or more is as good as none: what nothing else ends is a deadlock.
// case days: bug deadlock          nobody notifies; the time-out is 49 days
// case deadline: bug deadlock      nobody notifies; the deadline is two hours ahead
// case timed_lock: bug deadlock    the holder joins the thread that waits five hours for the lock
// case late: bug assertion         a minute expires where nothing else can go on
// case early: bug assertion        a second may expire at once
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "../../together.hpp"

using namespace std::chrono_literals;

static std::mutex mutex;
static std::timed_mutex timed;
static std::condition_variable condition;
static bool done;

static void forget() {
  std::lock_guard lock(mutex);
  done = true;
}
static void wait_for(std::chrono::nanoseconds length) {
  std::unique_lock lock(mutex);
  condition.wait_for(lock, length, [] { return done; });
}

static void run_days() {
  together(forget, [] { wait_for(49 * 24h); });
}
static void run_deadline() {
  together(forget, [] {
    std::unique_lock lock(mutex);
    condition.wait_until(lock, std::chrono::system_clock::now() + 2h, [] { return done; });
  });
}
static void run_timed_lock() {
  timed.lock();
  std::thread([] {
    if (timed.try_lock_for(5h)) timed.unlock();
  }).join();
  timed.unlock();
}
static void run_late() {
  bool in_time = true;
  std::thread worker(forget);
  {
    std::unique_lock lock(mutex);
    if (!done) in_time = condition.wait_for(lock, 1min) == std::cv_status::no_timeout;
  }
  worker.join();
  assert(in_time);
}
static void run_early() {
  bool in_time;
  std::thread worker([] {
    forget();
    condition.notify_one();
  });
  {
    std::unique_lock lock(mutex);
    in_time = condition.wait_for(lock, 1s, [] { return done; });
  }
  worker.join();
  assert(in_time);
}

MAIN(CASE(days), CASE(deadline), CASE(timed_lock), CASE(late), CASE(early))
