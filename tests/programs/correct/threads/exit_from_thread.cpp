// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A thread ends the process with exit(0), with main still there; handlers run once.
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>

std::atomic<int> handled{0};

int main() {
  std::atexit([] { assert(handled.fetch_add(1) == 0); });
  std::thread([] { std::exit(0); }).join();
  assert(false && "never reached");
}
