// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the runtime is trained on: some of what multithreaded programs are made of. The argument says which
// part.
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

// A buffer between a producer and two consumers, with a lock and a condition variable.
void hand_over() {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<int> items;
  auto take = [&] {
    for (int i = 0; i < 2; ++i) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return !items.empty(); });
      items.pop_front();
    }
  };
  std::thread first(take);
  std::thread second(take);
  for (int i = 0; i < 4; ++i) {
    std::lock_guard lock(mutex);
    items.push_back(i);
    changed.notify_one();
  }
  first.join();
  second.join();
}

// Short lock sections, of more than one lock.
void count() {
  std::array<std::mutex, 2> locks;
  std::array<long, 2> sums{};
  auto add = [&](std::size_t which) {
    for (std::size_t i = 0; i < 4; ++i) {
      std::lock_guard lock(locks[(which + i) % 2]);
      ++sums[(which + i) % 2];
    }
  };
  std::thread first(add, 0);
  std::thread second(add, 1);
  add(0);
  first.join();
  second.join();
}

// A list of nodes from the heap, without locks: pushed to by three, taken as a whole by one.
void push() {
  struct Node {
    int value;
    Node* next;
  };
  std::atomic<Node*> head{nullptr};
  auto add = [&](int value) {
    Node* node = new Node{value, head.load()};
    while (!head.compare_exchange_weak(node->next, node)) {
    }
  };
  std::thread first(add, 1);
  std::thread second(add, 2);
  add(3);
  Node* taken = head.exchange(nullptr);
  first.join();
  second.join();
  for (Node* list : {taken, head.load()}) {
    while (list != nullptr) delete std::exchange(list, list->next);
  }
}

// Many threads, few of which are in each other's way.
void look() {
  std::atomic<int> turn{0};
  std::array<int, 12> seen{};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    threads.emplace_back([&, i] {
      if (i % 5 == 4) {
        turn.store(1);
      } else {
        seen[i] = turn.load();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Flags and counters that two threads write and read in turns; one waits for the other in a loop.
void take_turns() {
  std::array<std::atomic<bool>, 2> wants{};
  std::atomic<int> last{0};
  int inside = 0;
  auto enter = [&](int self) {
    for (int i = 0; i < 2; ++i) {
      wants[static_cast<std::size_t>(self)].store(true);
      last.store(self);
      while (wants[static_cast<std::size_t>(1 - self)].load() && last.load() == self)
        std::this_thread::yield();
      ++inside;
      wants[static_cast<std::size_t>(self)].store(false);
    }
  };
  std::thread first(enter, 0);
  std::thread second(enter, 1);
  first.join();
  second.join();
}

// A lock that readers share, a sum that they add to, and a walk over memory.
void read_shared() {
  std::shared_mutex mutex;
  std::vector<int> table(16, 1);
  std::atomic<int> sum{0};
  auto read = [&] {
    std::shared_lock lock(mutex);
    for (int entry : table) sum.fetch_add(entry % 2);
  };
  std::thread reader(read);
  std::thread writer([&] {
    std::lock_guard lock(mutex);
    for (int& entry : table) ++entry;
  });
  reader.join();
  writer.join();
}

}  // namespace

int main(int count_of_arguments, char** arguments) {
  constexpr std::pair<std::string_view, void (*)()> kParts[] = {
      {"hand_over", hand_over}, {"count", count},           {"push", push},
      {"look", look},           {"take_turns", take_turns}, {"read_shared", read_shared},
  };
  for (const auto& [name, run] : kParts) {
    if (count_of_arguments == 2 && name == arguments[1]) return run(), 0;
  }
  return 2;
}
