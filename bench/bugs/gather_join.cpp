// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy icb --executions 1000
//
// A join over two ports: the receiver wants one message of each, or none. Messages of a port are joined in
// the order in which they were posted.
//
// The bug: where the first port has a message and the second none, the message is put back by an ordinary
// Enqueue, behind those that were posted in the meantime.
#include <atomic>
#include <cassert>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "threads.hpp"

class Port {
 public:
  void enqueue(int message) {
    std::lock_guard lock(mutex_);
    messages_.push_back(message);
    size_.fetch_add(1);
  }

  void put_back(int message) {
#ifdef FIXED
    std::lock_guard lock(mutex_);
    messages_.push_front(message);
    size_.fetch_add(1);
#else
    enqueue(message);
#endif
  }

  std::optional<int> try_dequeue() {
    if (size_.load() == 0) return std::nullopt;
    std::lock_guard lock(mutex_);
    if (messages_.empty()) return std::nullopt;
    const int message = messages_.front();
    messages_.pop_front();
    size_.fetch_sub(1);
    return message;
  }

 private:
  std::mutex mutex_;
  std::deque<int> messages_;
  std::atomic<int> size_{0};
};

constexpr int kMessages = 5;

Port requests;
Port permits;

std::optional<std::pair<int, int>> try_join() {
  const std::optional<int> request = requests.try_dequeue();
  if (!request) return std::nullopt;
  const std::optional<int> permit = permits.try_dequeue();
  if (!permit) {
    requests.put_back(*request);
    return std::nullopt;
  }
  return std::pair(*request, *permit);
}

// Whoever finds nothing to join gives up after some attempts: the rest is joined at the end.
void join_some(int attempts, int& joined) {
  for (int i = 0; i < attempts; ++i) {
    const auto both = try_join();
    if (!both) continue;
    assert(both->first == joined && both->second == joined);
    ++joined;
  }
}

// One side posts a request, the other the permit for it, by turns.
std::atomic<int> posted{0};

void post(Port& port, int turn) {
  for (int i = 0; i < kMessages; ++i) {
    while (posted.load() != 2 * i + turn) {
    }
    port.enqueue(i);
    posted.fetch_add(1);
  }
}

int main() {
  int joined = 0;
  run_together([] { post(requests, 0); }, [] { post(permits, 1); },
               [&joined] { join_some(kMessages + 2, joined); });
  join_some(kMessages, joined);
  assert(joined == kMessages);
}
