// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A work-stealing queue over a bounded circular buffer, after Cilk's THE protocol. One thread owns
// the queue and pushes and pops at its tail; a thief steals at its head. Both move their index
// first and look at the other's index second, so that they cannot both take the last item
// unnoticed. A lock is taken only by thieves, and by the owner when it cannot tell from a raised
// head whether a thief is at work.
//
// Compiled with -DBUG=1, 2 or 3 it has one of three subtle bugs, marked below; the files
// work_stealing_queue_bug1.cpp to _bug3.cpp do just that.
#include <array>
#include <atomic>
#include <cassert>
#include <mutex>
#include <optional>
#include <thread>

#ifndef BUG
#define BUG 0
#endif

class WorkStealingQueue {
 public:
  static constexpr long kCapacity = 2;

  // False where the queue is full. Owner only.
  bool push(int item) {
    const long tail = tail_.load();
#if BUG == 2
    // A thief that has raised the head may not have read its item yet: this may overwrite it.
    constexpr long kFreeForTheOwner = kCapacity;
#else
    // The one slot that a thief may still be reading is kept back: there is one thief in its lock
    // section.
    constexpr long kFreeForTheOwner = kCapacity - 1;
#endif
    if (tail - head_.load() >= kFreeForTheOwner) {
      std::lock_guard guard(thieves_);
      if (tail - head_.load() >= kCapacity) return false;
    }
    slot(tail) = item;
    tail_.store(tail + 1);
    return true;
  }

  // Nothing where the queue is empty. Owner only.
  std::optional<int> pop() {
    const long tail = tail_.load() - 1;
#if BUG == 1
    // Head and tail in the wrong order: a thief may take the same item between the two.
    const long head = head_.load();
    tail_.store(tail);
#else
    tail_.store(tail);
    const long head = head_.load();
#endif
    if (head <= tail) return slot(tail);
      // Either the queue is empty, or a thief has raised the head and will find that it has to back
      // off.
#if BUG == 3
    // Without the lock, both may back off, and the last item stays behind.
    tail_.store(tail + 1);
    return std::nullopt;
#else
    std::lock_guard guard(thieves_);
    if (head_.load() <= tail) return slot(tail);
    tail_.store(tail + 1);
    return std::nullopt;
#endif
  }

  // Nothing where the queue is empty, or its last item is contended. Any thread.
  std::optional<int> steal() {
    std::lock_guard guard(thieves_);
    const long head = head_.load();
    head_.store(head + 1);
    if (head + 1 <= tail_.load()) return slot(head);
    head_.store(head);
    return std::nullopt;
  }

 private:
  int& slot(long index) { return slots_[static_cast<std::size_t>(index % kCapacity)]; }

  std::atomic<long> head_{0};
  std::atomic<long> tail_{0};
  std::mutex thieves_;
  std::array<int, kCapacity> slots_{};
};

constexpr int kItems = 3;

WorkStealingQueue queue;
std::array<int, kItems> taken{};  // how often each item was taken; read when all threads have ended
std::array<int, kItems> stolen{};

void own() {
  const bool pushed = queue.push(2);
  while (const std::optional<int> item = queue.pop()) ++taken[static_cast<std::size_t>(*item)];
  if (!pushed) ++taken[2];  // the owner does itself what finds no place
}

void steal() {
  for (int i = 0; i < 2; ++i) {
    if (const std::optional<int> item = queue.steal()) ++stolen[static_cast<std::size_t>(*item)];
  }
}

int main() {
  queue.push(0);
  queue.push(1);
  std::thread owner(own);
  std::thread thief(steal);
  owner.join();
  thief.join();
  for (std::size_t item = 0; item < kItems; ++item) {
    assert(taken[item] + stolen[item] == 1 && "every item is taken exactly once");
  }
}
