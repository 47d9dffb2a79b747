// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: deadlock
// quick: --strategy random --seed 1 --executions 100
//
// A map of stripes, each with its lock. Entries are put and got under one lock; to move an entry to another
// key takes the locks of both stripes.
//
// The bug: the two are locked in the order from, to. Three threads that move entries round in a ring wait for
// each other; two never do.
#include <array>
#include <cassert>
#include <map>
#include <mutex>
#include <optional>

#include "threads.hpp"

class StripedMap {
 public:
  void put(int key, int value) {
    Stripe& stripe = stripe_of(key);
    std::lock_guard lock(stripe.mutex);
    stripe.entries[key] = value;
  }

  std::optional<int> get(int key) {
    Stripe& stripe = stripe_of(key);
    std::lock_guard lock(stripe.mutex);
    const auto entry = stripe.entries.find(key);
    if (entry == stripe.entries.end()) return std::nullopt;
    return entry->second;
  }

  // The keys are of different stripes.
  void move(int from, int to) {
    Stripe& source = stripe_of(from);
    Stripe& target = stripe_of(to);
#ifdef FIXED
    Stripe& first = &source < &target ? source : target;
    Stripe& second = &source < &target ? target : source;
#else
    Stripe& first = source;
    Stripe& second = target;
#endif
    std::lock_guard lock(first.mutex);
    std::lock_guard also(second.mutex);
    const auto entry = source.entries.find(from);
    if (entry == source.entries.end()) return;
    target.entries[to] = entry->second;
    source.entries.erase(entry);
  }

 private:
  struct Stripe {
    std::mutex mutex;
    std::map<int, int> entries;
  };

  Stripe& stripe_of(int key) { return stripes_[static_cast<std::size_t>(key) % stripes_.size()]; }

  std::array<Stripe, 3> stripes_;
};

constexpr int kEntries = 6;
constexpr int kThreads = 3;

StripedMap map;

// Some keys are the thread's own; the key 300 + self, of the stripe self, is moved to the next stripe.
void work(int self) {
  const int base = 30 * (self + 1);
  for (int i = 0; i < kEntries; ++i) map.put(base + i, i);
  map.move(300 + self, 600 + (self + 1) % kThreads);
  for (int i = 0; i < kEntries; ++i) assert(map.get(base + i) == i);
}

int main() {
  for (int i = 0; i < kThreads; ++i) map.put(300 + i, i);
  run_together([] { work(0); }, [] { work(1); }, [] { work(2); });
  for (int i = 0; i < kThreads; ++i) assert(map.get(600 + (i + 1) % kThreads) == i);
}
