// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A time-out longer than --early-timeouts (10 s) does not expire while others can go on.
// case days: exhausted       the notification is certain
// case minute: exhausted     the same with a minute in place of 49 days
// case polled: exhausted     a thread that polls does not keep the clock from reaching the end of a sleep
// case sleeps: exhausted     an hour's sleep is no wait: it ends
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "../../together.hpp"

using namespace std::chrono_literals;

static std::mutex mutex;
static std::condition_variable condition;
static bool done;

static void set() {
  std::lock_guard lock(mutex);
  done = true;
  condition.notify_one();
}
static void wait_for(std::chrono::nanoseconds length) {
  std::unique_lock lock(mutex);
  assert(condition.wait_for(lock, length, [] { return done; }));
}

static void run_days() {
  together(set, [] { wait_for(49 * 24h); });
}
static void run_minute() {
  together(set, [] { wait_for(1min); });
}
static void run_polled() {
  static std::atomic<bool> flag;
  together(
      [] {
        std::this_thread::sleep_for(2h);
        flag = true;
      },
      [] {
        while (!flag) std::this_thread::yield();
      });
}
static void run_sleeps() {
  together([] { std::this_thread::sleep_for(1h); }, set);
}

MAIN(CASE(days), CASE(minute), CASE(polled), CASE(sleeps))
