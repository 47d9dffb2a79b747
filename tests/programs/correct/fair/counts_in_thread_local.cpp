// expect: exhausted
// args: --bound preemptions=2
// Two that get in each other's way, each at most three times: what they count by stands in thread-local
// storage and on their stacks only, and yet no round ends as it began.
#include <mutex>
#include <thread>

std::mutex forks[2];
thread_local volatile int tries = 0;

void eat(int left, int right) {
  volatile int rounds = 0;
  while (tries < 3 && rounds < 3) {
    if (forks[left].try_lock()) {
      if (forks[right].try_lock()) {
        forks[right].unlock();
        forks[left].unlock();
        return;
      }
      forks[left].unlock();
    }
    if (left == 0) {
      tries = tries + 1;
    } else {
      rounds = rounds + 1;
    }
    std::this_thread::yield();
  }
}

int main() {
  std::thread first(eat, 0, 1);
  std::thread second(eat, 1, 0);
  first.join();
  second.join();
}
