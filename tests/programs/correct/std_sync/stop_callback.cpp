// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --bound preemptions=1
//
// A stop callback runs once: in the thread that asks to stop, or at its registration when that came
// later.
// Only within a bound: a stop state is locked by spinning, and has a reference count besides; a million
// schedules did not exhaust that.
#include <atomic>
#include <cassert>
#include <stop_token>
#include <thread>

std::atomic<int> calls{0};

int main() {
  std::stop_source source;
  std::thread asker([&] { source.request_stop(); });
  std::thread listener([token = source.get_token()] {
    std::stop_callback callback(token, [] { ++calls; });
    while (!token.stop_requested()) std::this_thread::yield();
  });
  asker.join();
  listener.join();
  assert(calls == 1);
}
