// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// plain: no
// case relaxed_store: bug data-race      a relaxed store publishes nothing
// case relaxed_load: bug data-race       a relaxed load takes nothing over
// case relaxed_flag: bug data-race       neither side orders
// case consumed: bug data-race           a dependency does not order after a relaxed load
// case late_fence: bug data-race         the release fence comes after the store
// case early_fence: bug data-race        the acquire fence comes before the load
// case release_fence_alone: bug data-race  nobody acquires
// case acquire_fence_alone: bug data-race  nobody releases
// case other_thread_stores: bug data-race  a store of another thread ends the release sequence
// case same_thread_stores: bug data-race   so does one of the same thread, since C++20
// case relaxed_counter: bug data-race    relaxed changes do not order what was done before them
// case failed_exchange: bug data-race    a compare-exchange that fails has its second order
// case unchanged_value: bug data-race    a read-modify-write that leaves the value publishes nothing
// case unchanged_pair: bug data-race     nor does one whose value an exchange sees, which comes first in other schedules
// case total_order: bug data-race        a seq_cst load that comes first in the total order gives no edge
// case dekker: bug data-race             whoever leaves by a relaxed store is not ordered before the next
// case volatile_flag: bug data-race      volatile is not atomic
// case plain_read: bug data-race         an atomic store and a plain read
// case plain_write: bug data-race        a plain write and an atomic load
#include <atomic>

#include "../../together.hpp"

int data;
int seen;  // not static, or compilers would leave out what nobody reads
static int* pointed;
static volatile int volatile_ready;
static std::atomic<int> flag;
static std::atomic<int> other;
static std::atomic<int*> pointer;

static void send(std::memory_order order) {
  data = 1;  // reported
  flag.store(1, order);
}
static void receive(std::memory_order order) {
  if (flag.load(order) == 1) seen = data;  // reported
}

static void run_relaxed_store() {
  together([] { send(relaxed); }, [] { receive(acquire); });
}
static void run_relaxed_load() {
  together([] { send(release); }, [] { receive(relaxed); });
}
static void run_relaxed_flag() {
  together([] { send(relaxed); }, [] { receive(relaxed); });
}
static void run_consumed() {
  pointed = new int(0);
  together(
      [] {
        *pointed = 1;  // reported
        pointer.store(pointed, release);
      },
      [] {
        if (int* mine = pointer.load(relaxed)) seen = *mine;  // reported
      });
  delete pointed;
}
static void run_late_fence() {
  together(
      [] {
        data = 1;  // reported
        flag.store(1, relaxed);
        std::atomic_thread_fence(release);
      },
      [] { receive(acquire); });
}
static void run_early_fence() {
  together([] { send(release); },
           [] {
             std::atomic_thread_fence(acquire);
             receive(relaxed);
           });
}
static void run_release_fence_alone() {
  together(
      [] {
        data = 1;  // reported
        std::atomic_thread_fence(release);
        flag.store(1, relaxed);
      },
      [] { receive(relaxed); });
}
static void run_acquire_fence_alone() {
  together([] { send(relaxed); },
           [] {
             if (flag.load(relaxed) != 1) return;
             std::atomic_thread_fence(acquire);
             seen = data;  // reported
           });
}
static void receive_two() {
  if (flag.load(acquire) == 2) seen = data;  // reported
}
static void run_other_thread_stores() {
  together([] { send(release); },
           [] {
             if (flag.load(relaxed) == 1) flag.store(2, relaxed);
           },
           receive_two);
}
static void run_same_thread_stores() {
  together(
      [] {
        send(release);
        flag.store(2, relaxed);
      },
      receive_two);
}
static void run_relaxed_counter() {
  together(
      [] {
        data = 1;  // reported
        flag.fetch_add(1, relaxed);
      },
      [] {
        if (flag.fetch_add(1, relaxed) == 1) seen = data;  // reported
      });
}
static void run_failed_exchange() {
  together([] { send(release); },
           [] {
             int expected = 0;
             if (!flag.compare_exchange_strong(expected, 2, std::memory_order_acq_rel, relaxed))
               seen = data;  // reported
           });
}
// The load reads 1 before the addition or behind it, and sees no difference.
static void run_unchanged_value() {
  together(
      [] {
        send(relaxed);
        flag.fetch_add(0, std::memory_order_acq_rel);
      },
      [] { receive(acquire); });
}
static void run_unchanged_pair() {
  flag.store(1, relaxed);
  together(
      [] {
        data = 1;  // reported
        flag.exchange(1, std::memory_order_acq_rel);
      },
      [] {
        if (flag.exchange(2, std::memory_order_acq_rel) == 1) seen = data;  // reported
      });
}
static void run_total_order() {
  together(
      [] {
        data = 1;  // reported
        if (flag.load() == 0) other.store(1, relaxed);
      },
      [] {
        flag.store(1);
        if (other.load(relaxed) == 1) seen = data;  // reported
      });
}
static void enter(std::atomic<int>& mine, std::atomic<int>& yours) {
  mine.store(1);
  if (yours.load() == 0) ++data;  // reported
  mine.store(0, relaxed);
}
static void run_dekker() {
  together([] { enter(flag, other); }, [] { enter(other, flag); });
}
static void run_volatile_flag() {
  together([] { volatile_ready = 1; },  // reported
           [] {
             if (volatile_ready == 1) seen = 1;  // reported
           });
}
static void run_plain_read() {
  together([] { __atomic_store_n(&data, 1, __ATOMIC_SEQ_CST); }, [] { seen = data; });  // reported
}
static void run_plain_write() {
  together([] { data = 1; }, [] { seen = __atomic_load_n(&data, __ATOMIC_SEQ_CST); });  // reported
}

MAIN(CASE(relaxed_store), CASE(relaxed_load), CASE(relaxed_flag), CASE(consumed), CASE(late_fence),
     CASE(early_fence), CASE(release_fence_alone), CASE(acquire_fence_alone), CASE(other_thread_stores),
     CASE(same_thread_stores), CASE(relaxed_counter), CASE(failed_exchange), CASE(unchanged_value), CASE(unchanged_pair), CASE(total_order), CASE(dekker),
     CASE(volatile_flag), CASE(plain_read), CASE(plain_write))
