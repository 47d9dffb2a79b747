// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A loop that comes back with the same registers and stack each time, and still gets on: what it changes it
// changes through libc, where the compiler puts no callback. It must not be taken for a waiting loop.
#include <atomic>
#include <cassert>
#include <cstring>
#include <thread>

std::atomic<int> unrelated{0};
char text[64];

int main() {
  std::thread thread([] {
    while (std::strlen(text) < 20) {
      std::strcat(text, "x");
      unrelated.load();
    }
  });
  thread.join();
  assert(std::strlen(text) == 20);
}
