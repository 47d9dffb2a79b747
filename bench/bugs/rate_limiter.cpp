// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy icb --executions 100
//
// A rate limiter: a bucket of tokens, to which as many are added as ticks of a clock have passed since it was
// filled last. The clock is a counter that the test advances.
//
// The bug: who fills the bucket looks when it was filled last, and then says that it was filled now. Two who
// do so at the same time add the same tokens twice, so that more requests pass than the rate permits.
#include <atomic>
#include <cassert>

#include "threads.hpp"

class RateLimiter {
 public:
  explicit RateLimiter(int burst) : tokens_(burst) {}

  void tick() { now_.fetch_add(1); }

  bool try_pass() {
    fill();
    int tokens = tokens_.load();
    while (tokens > 0) {
      if (tokens_.compare_exchange_strong(tokens, tokens - 1)) return true;
    }
    return false;
  }

 private:
  void fill() {
    const int now = now_.load();
    int filled = filled_.load();
    if (now <= filled) return;
#ifdef FIXED
    if (filled_.compare_exchange_strong(filled, now)) tokens_.fetch_add(now - filled);
#else
    filled_.store(now);
    tokens_.fetch_add(now - filled);
#endif
  }

  std::atomic<int> now_{0};
  std::atomic<int> filled_{0};
  std::atomic<int> tokens_;
};

constexpr int kBurst = 2;
constexpr int kTicks = 2;
constexpr int kRequests = 6;

RateLimiter limiter(kBurst);
std::atomic<int> passed{0};

void request() {
  for (int i = 0; i < kRequests; ++i) {
    if (limiter.try_pass()) passed.fetch_add(1);
  }
}

void tick() {
  for (int i = 0; i < kTicks; ++i) limiter.tick();
}

int main() {
  run_together(request, request, tick);
  assert(passed.load() <= kBurst + kTicks);
}
