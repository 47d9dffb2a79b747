// expect: exhausted
// args: --fair on --bound preemptions=4
// As tests/reports/livelock_by_yields.cpp, where going round is said to be meant: no livelock.
#include <mutex>
#include <thread>
#include <thrum/thrum.hpp>

std::mutex forks[2];

void eat(int left, int right) {
  while (true) {
    if (forks[left].try_lock()) {
      if (forks[right].try_lock()) break;
      forks[left].unlock();
    }
    thrum::progress();
    std::this_thread::yield();
  }
  forks[right].unlock();
  forks[left].unlock();
}

int main() {
  std::thread first(eat, 0, 1);
  std::thread second(eat, 1, 0);
  first.join();
  second.join();
}
