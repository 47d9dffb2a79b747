// expect: inconclusive
// reason: did not end
// args: --fair on --steps 2000 --executions 20
// plain: no
// Polls for ever, but no round ends as it began, since it is counted: that is not known to have no end.
#include <mutex>
#include <thread>

std::mutex mutex;
bool ready = false;
unsigned rounds = 0;

int main() {
  std::thread worker([] { std::lock_guard lock(mutex); });
  while (true) {
    mutex.lock();
    bool done = ready;
    ++rounds;
    mutex.unlock();
    if (done || rounds == 0) break;
    std::this_thread::yield();
  }
  worker.join();
}
