// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// case recursive: exhausted
// case timed_relock: exhausted
// case shared: exhausted
// case upgrade_by_unlocking: exhausted
// case relock_is_told: exhausted
// case one_condition_two_mutexes: exhausted
// case destroy_after_notify: exhausted
// case hand_over: exhausted
//
// C++'s locks, used as they may be, near to what has no meaning.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <system_error>
#include <thread>

namespace {

std::mutex mutex;
std::mutex second;
std::recursive_mutex recursive;
std::timed_mutex timed;
std::shared_mutex shared;
int count = 0;

void both(const std::function<void()>& body) {
  std::thread other(body);
  body();
  other.join();
}

void lock_twice() {
  std::lock_guard outer(recursive);
  std::lock_guard inner(recursive);
  ++count;
}

void relock_until() {
  std::lock_guard lock(timed);
  assert(!timed.try_lock_for(std::chrono::milliseconds(1)));
}

void read_twice() {
  std::shared_lock outer(shared);
  std::shared_lock inner(shared);
  assert(count == 0);
}

void upgrade() {
  std::shared_lock reader(shared);
  int before = count;
  reader.unlock();
  std::unique_lock writer(shared);
  count = before + 1;
}

// Locks that know who holds them say so.
void relock() {
  std::unique_lock lock(mutex);
  std::unique_lock writer(shared);
  int told = 0;
  try {
    lock.lock();
  } catch (const std::system_error&) {
    ++told;
  }
  try {
    shared.lock();
  } catch (const std::system_error&) {
    ++told;
  }
  assert(told == 2);
}

// One after the other.
void wait_with(std::mutex& its, std::condition_variable& condition) {
  bool ready = false;
  std::thread other([&] {
    std::lock_guard lock(its);
    ready = true;
    condition.notify_one();
  });
  std::unique_lock lock(its);
  condition.wait(lock, [&] { return ready; });
  lock.unlock();
  other.join();
}

void one_condition_two_mutexes() {
  std::condition_variable condition;
  wait_with(mutex, condition);
  wait_with(second, condition);
}

// Who has been told may go, with the condition variable, though the other is not back yet.
void destroy_after_notify() {
  auto condition = std::make_unique<std::condition_variable>();
  bool ready = false;
  std::thread other([&] {
    std::unique_lock lock(mutex);
    if (!ready) condition->wait(lock);
  });
  std::unique_lock lock(mutex);
  ready = true;
  condition->notify_all();
  condition.reset();
  lock.unlock();
  other.join();
}

// The lock moves to another owner; the thread is the same.
void hand_over() {
  std::unique_lock lock(mutex);
  ++count;
  std::unique_lock other = std::move(lock);
  other.unlock();
  other.lock();
}

const std::map<std::string, std::function<void()>> cases = {
    {"recursive", [] { both(lock_twice); }},        {"timed_relock", [] { both(relock_until); }},
    {"shared", [] { both(read_twice); }},           {"upgrade_by_unlocking", [] { both(upgrade); }},
    {"relock_is_told", [] { both(relock); }},       {"one_condition_two_mutexes", one_condition_two_mutexes},
    {"destroy_after_notify", destroy_after_notify}, {"hand_over", [] { both(hand_over); }},
};

}  // namespace

int main(int count, char** arguments) { cases.at(count > 1 ? arguments[1] : "recursive")(); }
