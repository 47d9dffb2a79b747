// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: livelock
// quick: --strategy icb --executions 1000
//
// An iterator over a message port: a handler that takes one message at a time, and asks the port to be called
// again at the next one. A dispatcher runs the handler whenever the port has scheduled it.
//
// The bug: the handler looks whether a message is there, and then registers as receiver. A message that is
// posted in between finds no receiver. The next one that is posted mends it; behind the last one, the
// dispatcher spins for work that never comes.
#include <atomic>
#include <cassert>
#include <mutex>
#include <queue>

#include "threads.hpp"

class Dispatcher {
 public:
  void schedule() { scheduled_.fetch_add(1); }

  template <class Handler>
  void run(Handler handler) {
    while (!handler.finished()) {
      if (scheduled_.load() == 0) continue;
      scheduled_.fetch_sub(1);
      handler();
    }
  }

 private:
  std::atomic<int> scheduled_{0};
};

class Port {
 public:
  explicit Port(Dispatcher& dispatcher) : dispatcher_(dispatcher) {}

  void post(int message) {
    std::lock_guard lock(mutex_);
    messages_.push(message);
    size_.fetch_add(1);
    if (receiver_.exchange(false)) dispatcher_.schedule();
  }

  int take() {
    std::lock_guard lock(mutex_);
    const int message = messages_.front();
    messages_.pop();
    size_.fetch_sub(1);
    return message;
  }

  // Schedules the receiver once, as soon as there is a message.
  void activate() {
#ifdef FIXED
    std::lock_guard lock(mutex_);
#endif
    if (size_.load() > 0) {
      dispatcher_.schedule();
    } else {
      receiver_.store(true);
    }
  }

 private:
  Dispatcher& dispatcher_;
  std::mutex mutex_;
  std::queue<int> messages_;
  std::atomic<int> size_{0};
  std::atomic<bool> receiver_{false};
};

constexpr int kMessages = 8;

Dispatcher dispatcher;
Port port(dispatcher);

struct Iterator {
  int next = 0;
  bool finished() const { return next == kMessages; }
  void operator()() {
    const int message = port.take();
    assert(message == next);
    ++next;
    if (!finished()) port.activate();
  }
};

int main() {
  port.activate();
  run_together([] { dispatcher.run(Iterator()); },
               [] {
                 for (int message = 0; message < kMessages; ++message) port.post(message);
               });
}
