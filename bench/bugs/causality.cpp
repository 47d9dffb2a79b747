// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: livelock
// quick: --strategy icb --executions 10000
//
// Causalities: a count of the work that one request has caused, wherever it runs. Causalities nest: while
// some work belongs to the inner one, the inner one counts as one piece of work of the outer one. The test
// waits until the outer one has come to rest.
//
// The bug: to find that the inner causality was at rest, and to enter it, are two steps. The first two pieces
// of work may both tell the outer one, which is left once only. From then on the inner one is never at rest,
// so that this can happen at the very beginning only, and shows at the very end.
#include <array>
#include <atomic>

#include "threads.hpp"

class Causality {
 public:
  explicit Causality(Causality* outer = nullptr) : outer_(outer) {}

  void enter() {
#ifdef FIXED
    const bool was_at_rest = work_.fetch_add(1) == 0;
    if (was_at_rest && outer_ != nullptr) outer_->enter();
#else
    const bool was_at_rest = work_.load() == 0;
    if (was_at_rest && outer_ != nullptr) outer_->enter();
    work_.fetch_add(1);
#endif
  }

  void leave() {
    if (work_.fetch_sub(1) == 1 && outer_ != nullptr) outer_->leave();
  }

  bool is_at_rest() const { return work_.load() == 0; }

 private:
  Causality* const outer_;
  std::atomic<int> work_{0};
};

constexpr int kMessages = 40;
constexpr std::size_t kHandlers = 3;

Causality outer;
Causality inner(&outer);
std::array<std::atomic<int>, kHandlers> inbox;

// Each message is a piece of work of the inner causality, and causes one for the next handler.
void handle(std::size_t self) {
  inner.enter();
  std::atomic<int>& next = inbox[(self + 1) % kHandlers];
  for (int message = 0; message < kMessages; ++message) {
    inner.enter();
    next.fetch_add(1);
    inner.leave();
  }
  while (inbox[self].load() < kMessages) {
  }
  inner.leave();
}

int main() {
  run_together([] { handle(0); }, [] { handle(1); }, [] { handle(2); });
  while (!outer.is_at_rest()) {
  }
}
