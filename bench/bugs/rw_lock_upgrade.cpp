// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: deadlock
// quick: --strategy icb --executions 1000
//
// A reader-writer lock whose readers can become writers without giving the lock up. A table of settings is
// read by all, and who misses an entry upgrades and adds it.
//
// The bug: an upgrade waits until all other readers are gone. Two readers that upgrade wait for each other.
// Once the table is full nobody upgrades any more, and a long time of reading follows.
#include <array>
#include <cassert>
#include <condition_variable>
#include <mutex>

#include "threads.hpp"

class ReaderWriterLock {
 public:
  void lock_shared() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !writer_ && !upgrading_; });
    ++readers_;
  }
  void unlock_shared() {
    std::lock_guard lock(mutex_);
    --readers_;
    changed_.notify_all();
  }
  void unlock() {
    std::lock_guard lock(mutex_);
    writer_ = false;
    changed_.notify_all();
  }

  // From shared to exclusive. False: somebody else upgrades, and the lock was given up to let it.
  bool upgrade() {
    std::unique_lock lock(mutex_);
#ifdef FIXED
    if (upgrading_) {
      --readers_;
      changed_.notify_all();
      return false;
    }
#endif
    upgrading_ = true;
    changed_.wait(lock, [this] { return readers_ == 1; });
    upgrading_ = false;
    readers_ = 0;
    writer_ = true;
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int readers_ = 0;
  bool writer_ = false;
  bool upgrading_ = false;
};

constexpr std::size_t kSettings = 3;
constexpr int kRounds = 3;

ReaderWriterLock lock;
std::array<int, kSettings> settings{};

int read_setting(std::size_t which) {
  while (true) {
    lock.lock_shared();
    if (const int value = settings[which]; value != 0) {
      lock.unlock_shared();
      return value;
    }
    if (!lock.upgrade()) continue;
    settings[which] = static_cast<int>(which) + 1;
    lock.unlock();
  }
}

void read_all() {
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t which = 0; which < kSettings; ++which)
      assert(read_setting(which) == static_cast<int>(which) + 1);
  }
}

int main() { run_together(read_all, read_all, read_all); }
