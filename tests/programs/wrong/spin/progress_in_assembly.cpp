// expect: bug assertion preemptions=1
//
// A loop that comes back with the same registers and stack each time, and still gets on, by an instruction
// that no compiler reports. Taken for a waiting loop it would wait for the other thread, and the bug would be
// missed.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> unrelated;
std::atomic<bool> ready;
int hidden;

int main() {
  std::thread other([] {
    while (hidden < 5) {
      asm volatile("incl %0" : "+m"(hidden));
      unrelated.load();
    }
    assert(ready.load());
  });
  ready.store(true);
  other.join();
}
