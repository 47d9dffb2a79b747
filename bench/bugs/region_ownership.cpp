// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy random --seed 1 --executions 1000
//
// A heap of regions. Many threads may borrow a region to read it; one that owns it may write it, after it has
// seen that nobody borrows it. Who cannot have a region tries the next one.
//
// The bug: a borrower looks whether the region is owned, and then counts itself. An owner may come in
// between, see no borrower, and write what the borrower reads.
#include <array>
#include <atomic>
#include <cassert>

#include "threads.hpp"

class Region {
 public:
  bool try_borrow() {
#ifdef FIXED
    borrowers_.fetch_add(1);
    if (!owned_.load()) return true;
    borrowers_.fetch_sub(1);
    return false;
#else
    if (owned_.load()) return false;
    borrowers_.fetch_add(1);
    return true;
#endif
  }
  void give_back() { borrowers_.fetch_sub(1); }

  bool try_own() {
    if (owned_.exchange(true)) return false;
    if (borrowers_.load() == 0) return true;
    owned_.store(false);
    return false;
  }
  void disown() { owned_.store(false); }

  // Two cells that are equal whenever nobody owns the region.
  void write(int value) {
    first_.store(value);
    second_.store(value);
  }
  bool is_consistent() const { return first_.load() == second_.load(); }

 private:
  std::atomic<bool> owned_{false};
  std::atomic<int> borrowers_{0};
  std::atomic<int> first_{0};
  std::atomic<int> second_{0};
};

// All threads use the first region; the others are each thread's own, and keep it busy before and after.
constexpr std::size_t kThreads = 3;
constexpr int kRounds = 25;

std::array<Region, 1 + kThreads> heap;

void read(Region& region) {
  if (!region.try_borrow()) return;
  assert(region.is_consistent());
  region.give_back();
}

void write(Region& region, int value) {
  if (!region.try_own()) return;
  region.write(value);
  region.disown();
}

void keep_busy(std::size_t self) {
  for (int round = 0; round < kRounds; ++round) {
    write(heap[1 + self], round);
    read(heap[1 + self]);
  }
}

int main() {
  run_together(
      [] {
        keep_busy(0);
        read(heap[0]);
        keep_busy(0);
      },
      [] {
        keep_busy(1);
        write(heap[0], 1);
        keep_busy(1);
      },
      [] {
        keep_busy(2);
        read(heap[0]);
        keep_busy(2);
      });
}
