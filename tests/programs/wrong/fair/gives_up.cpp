// expect: bug assertion
// A retry that gives up after five rounds, and whose caller does not expect that: fairness, which would keep
// it from giving up, is not turned on by --fair auto for so few rounds.
#include <cassert>
#include <mutex>
#include <thread>

std::mutex mutex;
bool ready = false;

bool wait_a_little() {
  for (int i = 0; i < 5; ++i) {
    {
      std::lock_guard lock(mutex);
      if (ready) return true;
    }
    std::this_thread::yield();
  }
  return false;
}

int main() {
  std::thread worker([] {
    std::lock_guard lock(mutex);
    ready = true;
  });
  assert(wait_a_little());
  worker.join();
}
