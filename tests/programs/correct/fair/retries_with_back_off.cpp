// expect: exhausted
// args: --fair on --bound preemptions=2
// Two threads add by compare-exchange, and give way longer and longer where it fails.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> sum{0};

void add(int n) {
  int pause = 1;
  int seen = sum.load();
  while (!sum.compare_exchange_strong(seen, seen + n)) {
    for (int i = 0; i < pause; ++i) std::this_thread::yield();
    pause *= 2;
  }
}

int main() {
  std::thread first(add, 1);
  std::thread second(add, 2);
  first.join();
  second.join();
  assert(sum == 3);
}
