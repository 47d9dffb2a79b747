// expect: exhausted
// args: --bound preemptions=2
// As polls_under_lock.cpp: --fair auto sees that somebody starves, and turns fairness on. Polls a flag under
// a lock, which is a change each time and so no mere waiting: without fairness the poller may go round any
// number of times before the other one sets the flag, and each number is a schedule.
#include <cassert>
#include <mutex>
#include <thread>

std::mutex mutex;
bool ready = false;
int value = 0;

int main() {
  std::thread worker([] {
    std::lock_guard lock(mutex);
    value = 7;
    ready = true;
  });
  while (true) {
    mutex.lock();
    bool done = ready;
    mutex.unlock();
    if (done) break;
    std::this_thread::yield();
  }
  assert(value == 7);
  worker.join();
}
