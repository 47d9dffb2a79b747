// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy icb --executions 1000
//
// A cache that many threads share. Who gets an entry pins it, and an entry that is pinned is not evicted;
// else the least recently used one is, to make room for another key.
//
// The bug: an entry that was found is pinned after the lock was given up. It may be evicted in between.
#include <array>
#include <atomic>
#include <cassert>
#include <initializer_list>
#include <mutex>

#include "threads.hpp"

class Cache {
 public:
  struct Entry {
    std::atomic<int> key{0};
    std::atomic<int> value{0};
    std::atomic<int> pins{0};
    int used = 0;  // when, for the last time
  };

  // Computes the value where it is not there. Null: all entries are pinned.
  Entry* get(int key) {
    std::unique_lock lock(mutex_);
    Entry* entry = find(key);
    if (entry == nullptr) {
      entry = least_recently_used();
      if (entry == nullptr) return nullptr;
      entry->key = key;
      entry->value = value_of(key);
    }
    entry->used = ++time_;
#ifndef FIXED
    lock.unlock();
#endif
    entry->pins.fetch_add(1);
    return entry;
  }

  void release(Entry* entry) { entry->pins.fetch_sub(1); }

  static int value_of(int key) { return key * key; }

 private:
  Entry* find(int key) {
    for (Entry& entry : entries_) {
      if (entry.key.load() == key) return &entry;
    }
    return nullptr;
  }

  Entry* least_recently_used() {
    Entry* oldest = nullptr;
    for (Entry& entry : entries_) {
      if (entry.pins.load() == 0 && (oldest == nullptr || entry.used < oldest->used)) oldest = &entry;
    }
    return oldest;
  }

  std::mutex mutex_;
  std::array<Entry, 4> entries_;
  int time_ = 0;
};

constexpr int kRounds = 3;

Cache cache;

void look_up(std::initializer_list<int> keys) {
  for (int round = 0; round < kRounds; ++round) {
    for (int key : keys) {
      Cache::Entry* entry = cache.get(key);
      if (entry == nullptr) continue;
      assert(entry->value.load() == Cache::value_of(key));
      cache.release(entry);
    }
  }
}

int main() {
  run_together([] { look_up({1, 2}); }, [] { look_up({3, 4, 5}); }, [] { look_up({2, 3}); });
}
