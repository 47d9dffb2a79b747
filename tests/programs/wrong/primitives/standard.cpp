// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// flags: -mcx16
// case thread: bug assertion
// case jthread: bug assertion
// case stop_token: bug assertion
// case stop_callback: bug assertion
// case mutex: bug deadlock
// case recursive_mutex: bug assertion
// case timed_mutex: bug assertion
// case recursive_timed_mutex: bug assertion
// case shared_mutex: bug assertion
// case shared_timed_mutex: bug assertion
// case condition_variable: bug deadlock
// case condition_variable_any: bug assertion
// case call_once: bug assertion
// case future: bug assertion
// case promise: bug uncaught-exception
// case async: bug assertion
// case packaged_task: bug assertion
// case latch: bug deadlock
// case barrier: bug assertion
// case counting_semaphore: bug assertion
// case binary_semaphore: bug deadlock
// case atomic_wait: bug deadlock
// case atomic_notify: bug deadlock
// case atomic_ref: bug assertion
// case atomic_flag: bug assertion
// case atomic_shared_ptr: bug assertion
// case atomic_thread_fence: bug assertion
// case atomic_128: bug assertion
// case atomic_operations: bug assertion
// case volatile_access: bug data-race
// case thread_local_object: bug assertion
// case static_local: bug assertion
// case exception: bug uncaught-exception
// case exception_ptr: bug assertion
// case static_destructor: bug assertion
// case random_device: bug assertion
// case hash: bug assertion preemptions=1
// case aligned_new: bug double-free
// case sized_delete: bug double-free
// case this_thread_yield: bug assertion
// case this_thread_sleep: bug assertion
// case chrono_clocks: bug assertion
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <random>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>

#include "../../cases.h"

using namespace std::chrono_literals;

static std::atomic<int> value;
static std::mutex first, second;

template <class F, class G>
static void both(F f, G g) {
  std::thread one(f), other(g);
  one.join();
  other.join();
}
static void increment() {
  const int before = value;
  value = before + 1;
}

static void run_thread() {
  both(increment, increment);
  assert(value == 2);
}
static void run_jthread() {
  std::jthread worker([](std::stop_token token) {
    if (!token.stop_requested()) value = 1;
  });
  worker.request_stop();
  worker.join();
  assert(value == 1);
}
static void run_stop_token() {
  std::stop_source source;
  std::thread worker([token = source.get_token()] { assert(!token.stop_requested()); });
  source.request_stop();
  worker.join();
}
// It runs in whichever thread asks to stop, or registers.
static void run_stop_callback() {
  std::stop_source source;
  const std::thread::id main = std::this_thread::get_id();
  std::thread worker([&, token = source.get_token()] {
    std::stop_callback callback(token, [&] { assert(std::this_thread::get_id() == main); });
    ++value;
  });
  source.request_stop();
  worker.join();
}

static void run_mutex() {
  both(
      [] {
        std::lock_guard a(first);
        std::lock_guard b(second);
      },
      [] {
        std::lock_guard b(second);
        std::lock_guard a(first);
      });
}
static void run_recursive_mutex() {
  static std::recursive_mutex mutex;
  auto twice = [] {
    mutex.lock();
    mutex.lock();
    mutex.unlock();
    mutex.unlock();
    increment();
  };
  both(twice, twice);
  assert(value == 2);
}
template <class Mutex>
static void ignore_timeout() {
  static Mutex mutex;
  both(
      [] {
        std::lock_guard guard(mutex);
        ++value;
      },
      [] {
        const bool locked = mutex.try_lock_for(1s);
        assert(locked);
        mutex.unlock();
      });
}
static void run_timed_mutex() { ignore_timeout<std::timed_mutex>(); }
static void run_recursive_timed_mutex() { ignore_timeout<std::recursive_timed_mutex>(); }
static void run_shared_mutex() {
  static std::shared_mutex mutex;
  auto as_reader = [] {
    std::shared_lock lock(mutex);
    increment();
  };
  both(as_reader, as_reader);
  assert(value == 2);
}
static void run_shared_timed_mutex() {
  static std::shared_timed_mutex mutex;
  both(
      [] {
        std::lock_guard guard(mutex);
        ++value;
      },
      [] {
        const bool locked = mutex.try_lock_shared_for(1s);
        assert(locked);
        mutex.unlock_shared();
      });
}
static void run_condition_variable() {
  static std::condition_variable changed;
  both(
      [] {
        std::unique_lock lock(first);
        changed.wait(lock);
      },
      [] { changed.notify_one(); });
}
static void run_condition_variable_any() {
  static std::condition_variable_any changed;
  static bool ready = false;
  both(
      [] {
        std::unique_lock lock(first);
        changed.wait_for(lock, 1s, [] { return ready; });
        assert(ready);
      },
      [] {
        std::lock_guard guard(first);
        ready = true;
        changed.notify_one();
      });
}
// Who initialises is who comes first.
static void run_call_once() {
  static std::once_flag once;
  both([] { std::call_once(once, [] { value = 1; }); }, [] { std::call_once(once, [] { value = 2; }); });
  assert(value == 1);
}
static void run_future() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread worker([&] { promise.set_value(1); });
  const std::future_status status = future.wait_for(1s);
  worker.join();
  assert(status == std::future_status::ready);
}
static void run_promise() {
  static std::promise<int> promise;
  auto set = [] { promise.set_value(1); };
  both(set, set);
}
static void run_async() {
  auto one = std::async(std::launch::async, increment);
  auto other = std::async(std::launch::async, increment);
  one.get();
  other.get();
  assert(value == 2);
}
static void run_packaged_task() {
  std::packaged_task<int()> task([] { return value.load(); });
  std::future<int> result = task.get_future();
  std::thread worker(std::move(task));
  value = 1;
  worker.join();
  assert(result.get() == 1);
}
static void run_latch() {
  static std::latch latch(2);
  both([] { latch.arrive_and_wait(); }, [] { latch.wait(); });
}
static void run_barrier() {
  static std::barrier barrier(2);
  auto work = [] {
    barrier.arrive_and_wait();
    increment();
  };
  both(work, work);
  assert(value == 2);
}
static void run_counting_semaphore() {
  static std::counting_semaphore<2> semaphore(2);
  auto work = [] {
    semaphore.acquire();
    increment();
    semaphore.release();
  };
  both(work, work);
  assert(value == 2);
}
static void run_binary_semaphore() {
  static std::binary_semaphore ping(0), pong(0);
  both(
      [] {
        ping.acquire();
        pong.release();
      },
      [] {
        pong.acquire();
        ping.release();
      });
}
// Changed, and nobody told.
static void run_atomic_wait() {
  both([] { value.wait(0); }, [] { value = 1; });
}
static void run_atomic_notify() {
  both([] { value.wait(0); },
       [] {
         value.notify_one();
         value = 1;
       });
}
static void run_atomic_ref() {
  static int plain = 0;
  auto work = [] {
    std::atomic_ref reference(plain);
    const int before = reference;
    reference = before + 1;
  };
  both(work, work);
  assert(plain == 2);
}
static void run_atomic_flag() {
  static std::atomic_flag flag;
  auto once = [] {
    if (flag.test()) return;
    flag.test_and_set();
    increment();
    ++value;
  };
  both(once, once);
  assert(value <= 2);
}
static void run_atomic_shared_ptr() {
  static std::atomic<std::shared_ptr<int>> pointer(std::make_shared<int>(0));
  auto replace = [] { pointer = std::make_shared<int>(*pointer.load() + 1); };
  both(replace, replace);
  assert(*pointer.load() == 2);
}
static void run_atomic_thread_fence() {
  static std::atomic<int> other;
  both(
      [] {
        value.store(1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        other.load(std::memory_order_relaxed);
      },
      [] {
        other.store(1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        assert(value.load(std::memory_order_relaxed) == 0);
      });
}
static void run_atomic_128() {
  alignas(16) static unsigned __int128 wide = 0;
  auto work = [] {
    const unsigned __int128 before = __atomic_load_n(&wide, __ATOMIC_SEQ_CST);
    __atomic_store_n(&wide, before + (static_cast<unsigned __int128>(1) << 64), __ATOMIC_SEQ_CST);
  };
  both(work, work);
  assert(__atomic_load_n(&wide, __ATOMIC_SEQ_CST) >> 64 == 2);
}
// The wrong exchange after a failed compare-exchange.
static void run_atomic_operations() {
  auto work = [] {
    int expected = 0;
    if (!value.compare_exchange_strong(expected, 1)) value.exchange(1);
  };
  both(work, work);
  value.fetch_add(1);
  assert(value.load() == 3);
}
static void run_volatile_access() {
  static volatile int counter = 0;
  auto work = [] {
    const int before = counter;
    counter = before + 1;
  };
  both(work, work);
  assert(counter == 2);
}
struct Counter {
  ~Counter() { increment(); }
  int used = 0;
};
static thread_local Counter counter;
static void run_thread_local_object() {
  auto use = [] { counter.used = 1; };
  both(use, use);
  assert(value == 2);
}
static void run_static_local() {
  static std::atomic<int> next;
  auto make = [](int mine) {
    static int made = (++next, mine);
    assert(made == 1);
  };
  both([make] { make(1); }, [make] { make(2); });
}
static void run_exception() {
  both([] { value = 1; },
       [] {
         if (value == 1) throw std::runtime_error("late");
       });
}
static void run_exception_ptr() {
  static std::exception_ptr caught;
  both(
      [] {
        try {
          throw value.load();
        } catch (...) {
          caught = std::current_exception();
        }
      },
      [] { value = 1; });
  try {
    std::rethrow_exception(caught);
  } catch (int seen) {
    assert(seen == 0);
  }
}
// Destroyed while a thread lives that may use it.
static std::atomic<bool> armed;
static std::atomic<bool> destroyed;
struct Global {
  ~Global() {
    if (!armed) return;
    destroyed = true;
    ++value;
  }
};
static Global global;
static void run_static_destructor() {
  armed = true;
  std::thread([] { assert(!destroyed); }).detach();
}
static void run_random_device() {
  both(
      [] {
        value = 1;
        std::random_device device;
        unsigned odd = 0;
        for (int i = 0; i < 16; ++i) odd += device() & 1;
        assert(odd == 0);
      },
      [] { value = 2; });
}
// Equal keys have one hash, and so one place, where one of two updates is lost.
static void run_hash() {
  static std::array<std::atomic<int>, 8> places;
  auto add = [] {
    std::atomic<int>& place = places[std::hash<std::string>()("thrum") % places.size()];
    place = place + 1;
  };
  both(add, add);
  int sum = 0;
  for (const std::atomic<int>& place : places) sum += place;
  assert(sum == 2);
}
struct alignas(64) Wide {
  std::array<char, 64> bytes;
};
static Wide* wide_block;
static void run_aligned_new() {
  wide_block = new Wide;
  auto drop = [] {
    if (value == 0) {
      value = 1;
      delete wide_block;
    }
  };
  both(drop, drop);
}
static int* sized_block;
static void run_sized_delete() {
  sized_block = new int(1);
  auto drop = [] {
    if (value == 0) {
      value = 1;
      ::operator delete(sized_block, sizeof(int));
    }
  };
  both(drop, drop);
}
static void run_this_thread_yield() {
  std::thread worker([] { value = 1; });
  std::this_thread::yield();
  const int seen = value;
  worker.join();
  assert(seen == 1);
}
static void run_this_thread_sleep() {
  std::thread worker([] { value = 1; });
  std::this_thread::sleep_for(5s);
  const int seen = value;
  worker.join();
  assert(seen == 1);
}
static void run_chrono_clocks() {
  both([] { std::this_thread::sleep_for(1s); },
       [] {
         const auto begin = std::chrono::steady_clock::now();
         assert(std::chrono::steady_clock::now() - begin < 1s);
       });
}

MAIN(CASE(thread), CASE(jthread), CASE(stop_token), CASE(stop_callback), CASE(mutex), CASE(recursive_mutex),
     CASE(timed_mutex), CASE(recursive_timed_mutex), CASE(shared_mutex), CASE(shared_timed_mutex),
     CASE(condition_variable), CASE(condition_variable_any), CASE(call_once), CASE(future), CASE(promise),
     CASE(async), CASE(packaged_task), CASE(latch), CASE(barrier), CASE(counting_semaphore),
     CASE(binary_semaphore), CASE(atomic_wait), CASE(atomic_notify), CASE(atomic_ref), CASE(atomic_flag),
     CASE(atomic_shared_ptr), CASE(atomic_thread_fence), CASE(atomic_128), CASE(atomic_operations),
     CASE(volatile_access), CASE(thread_local_object), CASE(static_local), CASE(exception),
     CASE(exception_ptr), CASE(static_destructor), CASE(random_device), CASE(hash), CASE(aligned_new),
     CASE(sized_delete), CASE(this_thread_yield), CASE(this_thread_sleep), CASE(chrono_clocks))
