// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
//
// A model of how a Bluetooth driver stops. Requests are counted in `pending_io`, which starts at 1
// for the driver itself; whoever brings it to 0 signals `stopping_event`, and then the driver may
// be unloaded.
//
// The bug: a request looks at `stopping_flag` first and counts itself second. If it is interrupted
// between the two, the driver stops under it. bluetooth_fixed.cpp counts first.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

#ifndef COUNT_FIRST
#define COUNT_FIRST 0
#endif

// Stays set once it has been set.
class Event {
 public:
  void set() {
    std::lock_guard guard(mutex_);
    set_ = true;
    changed_.notify_all();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

std::atomic<bool> stopping_flag{false};
std::atomic<int> pending_io{1};
std::atomic<bool> stopped{false};
Event stopping_event;

void leave() {
  if (--pending_io == 0) stopping_event.set();
}

// Whether the driver is there for this request until it leaves.
bool enter() {
#if COUNT_FIRST
  ++pending_io;
  if (stopping_flag) {
    leave();
    return false;
  }
#else
  if (stopping_flag) return false;
  ++pending_io;
#endif
  return true;
}

void request() {
  if (!enter()) return;
  assert(!stopped && "a request runs in a driver that has stopped");
  leave();
}

void stop() {
  stopping_flag = true;
  leave();
  stopping_event.wait();
  stopped = true;
}

int main() {
  std::thread worker(request);
  std::thread stopper(stop);
  worker.join();
  stopper.join();
}
