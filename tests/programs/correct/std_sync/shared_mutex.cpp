// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// std::shared_mutex: readers together, the writer alone.
#include <atomic>
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

std::shared_mutex mutex;
std::atomic<int> readers{0};
std::atomic<int> writers{0};

void read_once() {
  std::shared_lock lock(mutex);
  ++readers;
  assert(writers == 0);
  --readers;
}

void write_once() {
  std::unique_lock lock(mutex);
  ++writers;
  assert(writers == 1 && readers == 0);
  --writers;
}

int main() {
  std::thread first(read_once);
  std::thread second(read_once);
  std::thread writer(write_once);
  first.join();
  second.join();
  writer.join();
}
