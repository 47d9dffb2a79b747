// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// plain: no
// The ways of correct/races/sharing.cpp and races/orders.cpp, with a step left out.
// case queue_looked_at: bug data-race     whether the queue is empty is asked without the lock
// case output: bug data-race              read before the future is waited for
// case list_walked: bug data-race         without the lock
// case locked_nodes: bug data-race        the second node is changed under the lock of the first
// case ring_buffer: bug data-race         the producer does not see that the slot was read
// case shared_ptr: bug data-race          two threads assign to one shared_ptr
// case raw_pointer: bug data-race         get() keeps nothing
// case atomic_shared_ptr: bug data-race   what is pointed at is changed
// case reference_count: bug data-race     the last one does not acquire
// case relaxed_count: bug data-race       decrements are relaxed
// case double_checked: bug data-race      the pointer is published by a relaxed store
// case plain_pointer: bug data-race       the pointer is no atomic
// case seqlock: bug data-race             the data are no atomics
// case hazard_cleared: bug data-race      the hazard pointer is cleared by a relaxed store
// case hazard_unchecked: bug use-after-free   it is not looked whether the pointer is still there
// case string: bug data-race              assigned while it is read
// case vector: bug data-race              push_back against size()
// case bits: bug data-race                elements of vector<bool> share bytes
// case map: bug data-race                 even reads of std::map by operator[] write
// case optional: bug data-race            the value comes after the flag that says it is there
#include <array>
#include <atomic>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../../together.hpp"

int data[2];
int results[2];  // not static, or compilers would leave out what nobody reads
static std::mutex mutex;

static void run_queue_looked_at() {
  static std::deque<int> queue;
  together(
      [] {
        std::lock_guard lock(mutex);
        queue.push_back(1);  // reported
      },
      [] {
        if (queue.empty()) return;  // reported
        std::lock_guard lock(mutex);
        queue.pop_front();
      });
}
static void run_output() {
  std::packaged_task<int()> task([] {
    data[0] = 1;  // reported
    return 2;
  });
  std::future<int> result = task.get_future();
  std::thread worker(std::move(task));
  results[0] = data[0];  // reported
  results[1] = result.get();
  worker.join();
}
struct Node {
  Node* next = nullptr;
  int value = 0;
  std::mutex mutex;
};
static Node* head;
static std::array<Node, 2> nodes;
static void run_list_walked() {
  together(
      [] {
        std::lock_guard lock(mutex);
        nodes[0].next = head;
        head = &nodes[0];  // reported
      },
      [] {
        for (const Node* node = head; node != nullptr; node = node->next)  // reported
          results[0] += node->value;                                       // reported
      });
}
static void run_locked_nodes() {
  together(
      [] {
        std::unique_lock here(nodes[0].mutex);
        ++nodes[1].value;  // reported
      },
      [] {
        std::unique_lock here(nodes[1].mutex);
        ++nodes[1].value;  // reported
      });
}
static void run_ring_buffer() {
  static std::atomic<unsigned> written, read;
  together(
      [] {
        for (int i = 1; i <= 3; ++i) {
          const unsigned at = written.load(relaxed);
          if (at - read.load(relaxed) == 2) return;
          data[at % 2] = i;  // reported
          written.store(at + 1, release);
        }
      },
      [] {
        for (int i = 1; i <= 3; ++i) {
          const unsigned at = read.load(relaxed);
          if (at == written.load(acquire)) return;
          results[0] += data[at % 2];  // reported
          read.store(at + 1, release);
        }
      });
}
static void run_shared_ptr() {
  static std::shared_ptr<int> shared;
  auto assign = [] { shared = std::make_shared<int>(1); };  // reported
  together(assign, assign);
}
static void run_raw_pointer() {
  auto owner = std::make_shared<int>(1);
  int* raw = owner.get();
  std::thread second([raw] { results[0] = *raw; });  // reported
  owner.reset();                                     // reported
  second.join();
}
static void run_atomic_shared_ptr() {
  static std::atomic<std::shared_ptr<int>> shared(std::make_shared<int>(0));
  auto count = [] { ++*shared.load(); };  // reported
  together(count, count);
}
static void count_down(int& mine, std::memory_order order) {
  static std::atomic<int> count = 2;
  static int* object = new int(0);
  mine = *object;                                     // reported
  if (count.fetch_sub(1, order) == 1) delete object;  // reported
}
static void run_reference_count() {
  together([] { count_down(results[0], release); }, [] { count_down(results[1], release); });
}
static void run_relaxed_count() {
  together([] { count_down(results[0], relaxed); }, [] { count_down(results[1], relaxed); });
}
static void run_double_checked() {
  static std::atomic<int*> pointer;
  auto get = [](int& mine) {
    int* made = pointer.load(acquire);
    if (made == nullptr) {
      std::lock_guard lock(mutex);
      made = pointer.load(relaxed);
      if (made == nullptr) pointer.store(made = new int(1), relaxed);  // reported
    }
    mine = *made;  // reported
  };
  together([=] { get(results[0]); }, [=] { get(results[1]); });
  delete pointer.load();
}
static void run_plain_pointer() {
  static int* pointer;
  auto get = [] {
    if (pointer == nullptr) {  // reported
      std::lock_guard lock(mutex);
      if (pointer == nullptr) pointer = new int(1);  // reported
    }
  };
  together(get, get);
  delete pointer;
}
static void run_seqlock() {
  static std::atomic<int> number;
  together(
      [] {
        number.store(1, relaxed);
        std::atomic_thread_fence(release);
        data[0] = 1;  // reported
        number.store(2, release);
      },
      [] {
        const int before = number.load(acquire);
        if (before % 2 != 0) return;
        const int copy = data[0];  // reported
        std::atomic_thread_fence(acquire);
        if (number.load(relaxed) == before) results[0] = copy;
      });
}
static std::atomic<int*> pointer;
static std::atomic<int*> hazard;
static int* retired;
static void free_it() {
  int* old = pointer.exchange(nullptr);
  if (hazard.load() == old)
    retired = old;
  else
    delete old;  // reported
}
static void run_hazard_cleared() {
  pointer = new int(1);
  together(
      [] {
        int* mine = pointer.load();
        hazard.store(mine);
        if (mine != nullptr && pointer.load() == mine) results[0] = *mine;  // reported
        hazard.store(nullptr, relaxed);
      },
      free_it);
  delete retired;
}
static void run_hazard_unchecked() {
  pointer = new int(1);
  together(
      [] {
        int* mine = pointer.load();
        hazard.store(mine);
        if (mine != nullptr) results[0] = *mine;  // reported
        hazard.store(nullptr);
      },
      free_it);
  delete retired;
}
static void run_string() {
  static std::string text = "text";
  together([] { text = "another text, which is long"; },         // reported
           [] { results[0] = static_cast<int>(text.size()); });  // reported
}
static void run_vector() {
  static std::vector<int> numbers(1);
  together([] { numbers.push_back(1); }, [] { results[0] = static_cast<int>(numbers.size()); });  // reported
}
static void run_bits() {
  static std::vector<bool> bits(2);
  together([] { bits[0] = true; }, [] { bits[1] = true; });  // reported
}
static void run_map() {
  static std::map<int, int> numbers;
  auto get = [](int& mine) { mine = numbers[1]; };  // reported
  together([=] { get(results[0]); }, [=] { get(results[1]); });
}
static void run_optional() {
  static std::optional<int> number;
  together([] { number = 1; },  // reported
           [] {
             if (number.has_value()) results[0] = *number;  // reported
           });
}

MAIN(CASE(queue_looked_at), CASE(output), CASE(list_walked), CASE(locked_nodes), CASE(ring_buffer),
     CASE(shared_ptr), CASE(raw_pointer), CASE(atomic_shared_ptr), CASE(reference_count), CASE(relaxed_count),
     CASE(double_checked), CASE(plain_pointer), CASE(seqlock), CASE(hazard_cleared), CASE(hazard_unchecked),
     CASE(string), CASE(vector), CASE(bits), CASE(map), CASE(optional))
