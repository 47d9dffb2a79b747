// As progress_in_assembly, but what the loop reads is written: the loop would go on then, too late for the bug.
// expect: bug assertion preemptions=1
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> written;
std::atomic<bool> ready;
int hidden;

int main() {
  std::thread other([] {
    while (hidden < 5) {
      asm volatile("incl %0" : "+m"(hidden));
      written.load();
    }
    assert(ready.load());
  });
  ready.store(true);
  written.store(1);
  other.join();
}
