// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug lock-misuse preemptions=1
//
// A thread that holds no lock waits for one inside an atomic section: nobody could ever give it up.
#include <thrum/thrum.h>

#include <mutex>
#include <thread>

std::mutex mutex;

int main() {
  std::thread holder([] { std::lock_guard guard(mutex); });
  std::thread section([] {
    thrum_atomic_begin();
    mutex.lock();
    mutex.unlock();
    thrum_atomic_end();
  });
  holder.join();
  section.join();
}
