// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy icb --executions 100
//
// Counted references, strong and weak: a weak one can be made strong as long as there is a strong one.
//
// The bug: to see that there is one, and to count one more, are two steps. The last strong one may go in
// between, and an object that was destroyed is given out.
#include <atomic>
#include <cassert>

#include "threads.hpp"

class Object {
 public:
  // Makes a weak reference a strong one, where there is one.
  bool lock() {
#ifdef FIXED
    int strong = strong_.load();
    while (strong > 0) {
      if (strong_.compare_exchange_strong(strong, strong + 1)) return true;
    }
    return false;
#else
    if (strong_.load() == 0) return false;
    strong_.fetch_add(1);
    return true;
#endif
  }

  void release() {
    if (strong_.fetch_sub(1) == 1) alive_.store(false);
  }

  bool is_alive() const { return alive_.load(); }

 private:
  std::atomic<int> strong_{1};
  std::atomic<bool> alive_{true};
};

Object object;

void use() {
  if (!object.lock()) return;
  assert(object.is_alive());
  object.release();
}

int main() {
  run_together(use, [] { object.release(); });
}
