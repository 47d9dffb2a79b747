// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// case message: exhausted             the acquire load reads what the release store wrote
// case consumed: exhausted            consume is as strong as acquire
// case fences: exhausted              a fence before the store and one after the load
// case release_fence: exhausted       a fence before a relaxed store, and an acquire load
// case acquire_fence: exhausted       a release store, and a fence after a relaxed load
// case sequence: exhausted            another thread's relaxed change continues the release sequence
// case counter: exhausted             each change takes over what was done before the ones before it
// case references: exhausted          counted up by relaxed changes, down by acq_rel ones; the last one frees
// case failed_exchange: exhausted     a compare-exchange that fails acquires by its second order
// case one_enters: exhausted          store buffering: at most one of the two sees 0
// case dekker: exhausted              whoever leaves is ordered before whoever enters next
// case transitive: exhausted          through a third thread
// case seqlock: exhausted             the data are atomic, and a torn copy is thrown away
// case double_checked: exhausted      the pointer is published by a release store
// case hazard_pointer: exhausted      whoever frees has seen that nobody reads any more
#include <atomic>
#include <mutex>

#include "../../together.hpp"

int data;
int seen;  // not static, or compilers would leave out what nobody reads
static std::atomic<int> flag;
static std::atomic<int> other;
static std::atomic<int*> pointer;
static std::atomic<int*> hazard;
static std::mutex mutex;

static void send() {
  data = 1;
  flag.store(1, release);
}
static void send_by_fence() {
  data = 1;
  std::atomic_thread_fence(release);
  flag.store(1, relaxed);
}
static void receive() {
  if (flag.load(acquire) == 1) seen = data;
}
static void receive_by_fence() {
  if (flag.load(relaxed) != 1) return;
  std::atomic_thread_fence(acquire);
  seen = data;
}

static void run_message() { together(send, receive); }
static void run_consumed() {
  together(
      [] {
        data = 1;
        pointer.store(&data, release);
      },
      [] {
        if (int* mine = pointer.load(std::memory_order_consume)) seen = *mine;
      });
}
static void run_fences() { together(send_by_fence, receive_by_fence); }
static void run_release_fence() { together(send_by_fence, receive); }
static void run_acquire_fence() { together(send, receive_by_fence); }
static void run_sequence() {
  together(
      send,
      [] {
        int expected = 1;
        flag.compare_exchange_strong(expected, 2, relaxed);
      },
      [] {
        if (flag.load(acquire) == 2) seen = data;
      });
}
static void run_counter() {
  auto count = [](int& mine, int& yours) {
    mine = 1;
    if (flag.fetch_add(1, acq_rel) == 1) assert(yours == 1);
  };
  together([=] { count(data, seen); }, [=] { count(seen, data); });
}
static void run_references() {
  int* shared = new int(0);
  flag = 2;
  auto use = [shared] {
    flag.fetch_add(1, relaxed);
    assert(*shared == 0);
    flag.fetch_sub(1, acq_rel);
    if (flag.fetch_sub(1, acq_rel) == 1) delete shared;
  };
  together(use, use);
}
static void run_failed_exchange() {
  together(send, [] {
    int expected = 0;
    if (!flag.compare_exchange_strong(expected, 2, acq_rel, acquire)) seen = data;
  });
}
static void run_one_enters() {
  together(
      [] {
        flag.store(1);
        if (other.load() == 0) ++data;
      },
      [] {
        other.store(1);
        if (flag.load() == 0) ++data;
      });
}
static void enter(std::atomic<int>& mine, std::atomic<int>& yours) {
  mine.store(1);
  if (yours.load() == 0) ++data;
  mine.store(0);
}
static void run_dekker() {
  together([] { enter(flag, other); }, [] { enter(other, flag); });
}
static void run_transitive() {
  together(
      send,
      [] {
        if (flag.load(acquire) == 1) other.store(1, release);
      },
      [] {
        if (other.load(acquire) == 1) seen = data;
      });
}
static void run_seqlock() {
  static std::atomic<int> number, first, second;
  together(
      [] {
        number.store(1, relaxed);
        std::atomic_thread_fence(release);
        first.store(1, relaxed);
        second.store(1, relaxed);
        number.store(2, release);
      },
      [] {
        int before = number.load(acquire);
        int one = first.load(relaxed);
        int two = second.load(relaxed);
        std::atomic_thread_fence(acquire);
        if (before % 2 == 0 && number.load(relaxed) == before) assert(one == two);
      });
}
static void run_double_checked() {
  auto get = [] {
    int* mine = pointer.load(acquire);
    if (mine == nullptr) {
      std::lock_guard guard(mutex);
      mine = pointer.load(relaxed);
      if (mine == nullptr) pointer.store(mine = new int(1), release);
    }
    assert(*mine == 1);
  };
  together(get, get);
  delete pointer.load();
}
static void run_hazard_pointer() {
  static int* retired;
  pointer = new int(1);
  together(
      [] {
        int* mine = pointer.load();
        hazard.store(mine);
        if (mine != nullptr && pointer.load() == mine) assert(*mine == 1);
        hazard.store(nullptr);
      },
      [] {
        int* old = pointer.exchange(nullptr);
        if (hazard.load() == old)
          retired = old;
        else
          delete old;
      });
  delete retired;
}

MAIN(CASE(message), CASE(consumed), CASE(fences), CASE(release_fence), CASE(acquire_fence), CASE(sequence),
     CASE(counter), CASE(references), CASE(failed_exchange), CASE(one_enters), CASE(dekker), CASE(transitive),
     CASE(seqlock), CASE(double_checked), CASE(hazard_pointer))
