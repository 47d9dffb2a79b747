// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --bound preemptions=1
//
// The blocking form of the queue: consumers sleep on a semaphore until there is something for them. That they
// look ten thousand times before they do is left out (MAX_SEMA_SPINS).
#include <concurrentqueue/blockingconcurrentqueue.h>

#include <cassert>
#include <thread>

struct Traits : moodycamel::ConcurrentQueueDefaultTraits {
  static const int MAX_SEMA_SPINS = 0;
};
moodycamel::BlockingConcurrentQueue<int, Traits> queue(64);

int main() {
  int first = 0;
  int second = 0;
  std::thread consumer([&] { queue.wait_dequeue(first); });
  std::thread producer([] {
    queue.enqueue(1);
    queue.enqueue(2);
  });
  queue.wait_dequeue(second);
  consumer.join();
  producer.join();
  assert(first + second == 3 && first != second);
}
