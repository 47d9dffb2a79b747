// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug deadlock preemptions=1
//
// A consumer waits on a condition variable for an item of a producer.
//
// The bug: the consumer looks whether there is an item before it takes the lock. The producer's
// notification can fall between the two, where nobody waits for it yet; no other one follows.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable item_added;
std::atomic<int> items{0};

void produce() {
  ++items;
  std::lock_guard guard(mutex);
  item_added.notify_one();
}

void consume() {
  if (items == 0) {
    std::unique_lock lock(mutex);
    item_added.wait(lock);
  }
  --items;
}

int main() {
  std::thread consumer(consume);
  std::thread producer(produce);
  consumer.join();
  producer.join();
}
