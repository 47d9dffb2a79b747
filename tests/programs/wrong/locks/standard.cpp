// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// plain: no
// compilers: both
// case mutex_unlock_free: bug lock-misuse preemptions=0
// case mutex_unlock_twice: bug lock-misuse preemptions=0
// case mutex_unlock_of_other: bug lock-misuse preemptions=1
// case mutex_relock: bug lock-misuse preemptions=0
// case mutex_relock_in_callback: bug lock-misuse preemptions=0
// case timed_mutex_relock: bug lock-misuse preemptions=0
// case timed_mutex_unlock_free: bug lock-misuse preemptions=0
// case recursive_too_few_unlocks: bug deadlock preemptions=0
// case shared_unlock_free: bug lock-misuse preemptions=0
// case shared_unlock_of_writer: bug lock-misuse preemptions=1
// case shared_unlock_of_reader: bug lock-misuse preemptions=1
// case shared_upgrade: bug lock-misuse preemptions=0
// case shared_relock: bug uncaught-exception preemptions=0
// case wait_without_mutex: bug lock-misuse preemptions=0
// case wait_with_two_mutexes: bug lock-misuse preemptions=0
// case destroy_waited_for: bug lock-misuse preemptions=0
//
// C++'s locks, used in ways that have no meaning. std::shared_mutex itself tells who locks it twice to write.
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <thread>

namespace {

std::mutex mutex;
std::mutex second;
std::timed_mutex timed;
std::recursive_mutex recursive;
std::shared_mutex shared;
std::optional<std::condition_variable> condition(std::in_place);
std::atomic<bool> held;
bool ready = false;

// It goes as far as it can, or nowhere, before the caller goes on.
std::thread start(std::function<void()> body) {
  std::thread thread(std::move(body));
  std::this_thread::yield();
  return thread;
}

template <typename Lock>
void hold(Lock lock) {
  held = true;
  held = false;
}

void wait() {
  std::unique_lock lock(mutex);
  condition->wait(lock, [] { return ready; });
}

class Counter {
 public:
  void each(const std::function<void(int)>& callback) {
    std::lock_guard lock(mutex_);
    for (int i = 0; i < count_; ++i) callback(i);
  }
  void add() {
    std::lock_guard lock(mutex_);
    ++count_;
  }

 private:
  std::mutex mutex_;
  int count_ = 1;
};

void unlock_twice() {
  std::unique_lock lock(mutex);
  mutex.unlock();
}

void relock_in_callback() {
  Counter counter;
  std::thread adder([&] { counter.add(); });
  counter.each([&](int) { counter.add(); });
  adder.join();
}

void lock_twice_unlock_once() {
  recursive.lock();
  recursive.lock();
  recursive.unlock();
}

void wait_without_mutex() {
  std::unique_lock lock(mutex);
  mutex.unlock();
  condition->wait(lock);
}

void wait_with_two_mutexes() {
  std::thread thread = start(wait);
  std::unique_lock lock(second);
  condition->wait(lock, [] { return ready; });
  thread.join();
}

void destroy_waited_for() {
  std::thread thread = start(wait);
  condition.reset();
  thread.join();
}

// What one thread does while another may hold the lock.
void beside(const std::function<void()>& other, const std::function<void()>& body) {
  std::thread thread = start(other);
  if (held) body();
  thread.join();
}

template <typename Lock, typename Mutex>
void lock_again(Lock, Mutex& its) {
  its.lock();
}

void alone(const std::function<void()>& body) { std::thread(body).join(); }

const std::map<std::string, std::function<void()>> cases = {
    {"mutex_unlock_free", [] { alone([] { mutex.unlock(); }); }},
    {"mutex_unlock_twice", [] { alone(unlock_twice); }},
    {"mutex_unlock_of_other", [] { beside([] { hold(std::unique_lock(mutex)); }, [] { mutex.unlock(); }); }},
    {"mutex_relock", [] { alone([] { lock_again(std::unique_lock(mutex), mutex); }); }},
    {"mutex_relock_in_callback", relock_in_callback},
    {"timed_mutex_relock", [] { alone([] { lock_again(std::unique_lock(timed), timed); }); }},
    {"timed_mutex_unlock_free", [] { alone([] { timed.unlock(); }); }},
    {"recursive_too_few_unlocks",
     [] {
       alone(lock_twice_unlock_once);
       recursive.lock();
     }},
    {"shared_unlock_free", [] { alone([] { shared.unlock_shared(); }); }},
    {"shared_unlock_of_writer",
     [] { beside([] { hold(std::unique_lock(shared)); }, [] { shared.unlock(); }); }},
    {"shared_unlock_of_reader",
     [] { beside([] { hold(std::shared_lock(shared)); }, [] { shared.unlock_shared(); }); }},
    {"shared_upgrade", [] { alone([] { lock_again(std::shared_lock(shared), shared); }); }},
    {"shared_relock", [] { alone([] { lock_again(std::unique_lock(shared), shared); }); }},
    {"wait_without_mutex", [] { alone(wait_without_mutex); }},
    {"wait_with_two_mutexes", wait_with_two_mutexes},
    {"destroy_waited_for", destroy_waited_for},
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 2 || !cases.contains(arguments[1])) return 125;
  cases.at(arguments[1])();
}
