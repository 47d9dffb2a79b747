// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// Ways to share data without a race; wrong/races/sharing.cpp has them with a step left out.
// case thread_pool: exhausted         tasks go through a queue, results through futures
// case intrusive_list: exhausted      nodes are linked and looked at under the lock
// case locked_nodes: exhausted        hand over hand, each node has a lock of its own
// case ring_buffer: exhausted         one producer and one consumer, two indices
// case shared_ptr: exhausted          each thread has a copy, and the last one destroys
// case weak_ptr: exhausted            lock() keeps the object, or says that it is gone
// case atomic_shared_ptr: exhausted   what is pointed at is replaced, and never changed
// case reference_count: exhausted     decrements release, and the last one acquires by a fence
// case string: exhausted              under a lock
// case vector: exhausted              each thread has elements of its own
// case strings_of_own: exhausted      short ones lie in the string, long ones in a block
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../../together.hpp"

int results[2];  // not static, or compilers would leave out what nobody reads
static std::mutex mutex;

class Pool {
 public:
  Pool() : worker_([this] { run(); }) {}
  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_one();
    worker_.join();
  }
  template <class Function>
  std::future<int> submit(Function function) {
    std::packaged_task<int()> task(function);
    std::future<int> result = task.get_future();
    {
      std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
    return result;
  }

 private:
  void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ended_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      std::packaged_task<int()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::packaged_task<int()>> tasks_;
  bool ended_ = false;
  std::thread worker_;
};
static void run_thread_pool() {
  int input = 3;
  int output = 0;
  Pool pool;
  std::future<int> result = pool.submit([&] {
    output = input;
    return input + 1;
  });
  assert(result.get() == 4 && output == 3);
}

struct Node {
  Node* next = nullptr;
  int value = 0;
  std::mutex mutex;
};
static Node* head;
static void run_intrusive_list() {
  static std::array<Node, 2> nodes;
  auto add = [](Node& node) {
    node.value = 1;
    std::lock_guard lock(mutex);
    node.next = head;
    head = &node;
  };
  auto sum = [] {
    std::lock_guard lock(mutex);
    for (const Node* node = head; node != nullptr; node = node->next) results[0] += node->value;
  };
  together([=] { add(nodes[0]); }, [=] { add(nodes[1]); }, sum);
}
static void run_locked_nodes() {
  static std::array<Node, 2> nodes;
  nodes[0].next = &nodes[1];
  auto count = [] {
    std::unique_lock here(nodes[0].mutex);
    ++nodes[0].value;
    std::unique_lock there(nodes[0].next->mutex);
    here.unlock();
    ++nodes[1].value;
  };
  together(count, count);
  assert(nodes[0].value == 2 && nodes[1].value == 2);
}
static void run_ring_buffer() {
  static std::array<int, 2> slots;
  static std::atomic<unsigned> written, read;
  together(
      [] {
        for (int i = 1; i <= 3; ++i) {
          const unsigned at = written.load(relaxed);
          if (at - read.load(acquire) == slots.size()) return;
          slots[at % slots.size()] = i;
          written.store(at + 1, release);
        }
      },
      [] {
        for (int i = 1; i <= 3; ++i) {
          const unsigned at = read.load(relaxed);
          if (at == written.load(acquire)) return;
          assert(slots[at % slots.size()] == i);
          read.store(at + 1, release);
        }
      });
}
static void run_shared_ptr() {
  auto owner = std::make_shared<std::string>("a text that is too long for the string itself");
  auto use = [](int& mine, const std::shared_ptr<std::string>& copy) {
    mine = static_cast<int>(copy->size());
  };
  std::thread first([=, copy = owner] { use(results[0], copy); });
  std::thread second([=, copy = owner] { use(results[1], copy); });
  owner.reset();
  first.join();
  second.join();
}
static void run_weak_ptr() {
  auto owner = std::make_shared<int>(1);
  std::thread second([weak = std::weak_ptr(owner)] {
    if (const std::shared_ptr<int> mine = weak.lock()) assert(*mine == 1);
  });
  owner.reset();
  second.join();
}
static void run_atomic_shared_ptr() {
  static std::atomic<std::shared_ptr<const int>> shared(std::make_shared<const int>(0));
  together([] { results[0] = *shared.load(); }, [] { shared.store(std::make_shared<const int>(1)); });
  assert(results[0] <= 1);
}
static void run_reference_count() {
  static std::atomic<int> count = 2;
  static int* object = new int(0);
  auto drop = [](int& mine) {
    mine = *object;
    if (count.fetch_sub(1, release) != 1) return;
    std::atomic_thread_fence(acquire);
    delete object;
  };
  together([=] { drop(results[0]); }, [=] { drop(results[1]); });
}
static void run_string() {
  std::string text;
  auto append = [&] {
    std::lock_guard lock(mutex);
    text += "some characters, ";
  };
  together(append, append);
  assert(text.size() == 34);
}
static void run_vector() {
  std::vector<int> numbers(2);
  together([&] { numbers[0] = 1; }, [&] { numbers[1] = 2; });
  assert(numbers[0] + numbers[1] == 3);
}
static void run_strings_of_own() {
  std::vector<std::string> texts(2, "text");
  together([&] { texts[0] += " and more that does not fit"; }, [&] { texts[1] += "s"; });
  assert(texts[1] == "texts");
}

MAIN(CASE(thread_pool), CASE(intrusive_list), CASE(locked_nodes), CASE(ring_buffer), CASE(shared_ptr),
     CASE(weak_ptr), CASE(atomic_shared_ptr), CASE(reference_count), CASE(string), CASE(vector),
     CASE(strings_of_own))
