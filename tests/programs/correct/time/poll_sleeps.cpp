// poll and select without descriptors sleep, in virtual time.
// expect: exhausted
// plain: no
#include <poll.h>
#include <sys/select.h>

#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>

std::atomic<int> woke;

int main() {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  std::thread other([] {
    timeval time{3600, 0};
    assert(select(0, nullptr, nullptr, nullptr, &time) == 0);
    woke.fetch_add(1);
  });
  assert(poll(nullptr, 0, 60'000) == 0);
  assert(Clock::now() - begin >= std::chrono::minutes(1));
  other.join();
  assert(woke.load() == 1 && Clock::now() - begin >= std::chrono::hours(1));
}
