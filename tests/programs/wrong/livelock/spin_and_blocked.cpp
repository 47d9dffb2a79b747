// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug livelock preemptions=0
//
// A thread holds a mutex and spins, with yields, for a flag that is set under that mutex.
#include <atomic>
#include <mutex>
#include <thread>

std::mutex mutex;
std::atomic<bool> ready{false};

int main() {
  std::thread spinner([] {
    std::lock_guard guard(mutex);
    while (!ready) std::this_thread::yield();
  });
  std::thread setter([] {
    std::lock_guard guard(mutex);
    ready = true;
  });
  spinner.join();
  setter.join();
}
