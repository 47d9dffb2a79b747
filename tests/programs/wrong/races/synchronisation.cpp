// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// plain: no
// Each object of correct/races/synchronisation.cpp, with a step left out.
// case shared_mutex: bug data-race       a reader writes, and readers share the lock
// case read_outside: bug data-race       the reader has given the shared lock up
// case spin_lock: bug data-race          it is cleared by a relaxed store
// case ticket_lock: bug data-race        one's own number is seen by a relaxed load
// case semaphore: bug data-race          two permits are no lock
// case handed_over: bug data-race        written after release()
// case latch: bug data-race              written after count_down()
// case barrier: bug data-race            it is read before the barrier
// case phases: bug data-race             nothing between the reads of a phase and the writes of the next
// case completion: bug data-race         whoever has only arrived comes not after the completion
// case condition: bug data-race          the data are written behind the lock
// case flag: bug data-race               the flag is looked at without the lock
// case condition_any: bug data-race      two waiters that share the lock write
// case call_once: bug data-race          the reader does not go through it
// case local_static: bug data-race       the reader goes by a pointer that the initialisation leaves
// case promise: bug data-race            written after set_value()
// case shared_future: bug data-race      two who got the same pointer write through it
// case async: bug data-race              read before wait()
// case packaged_task: bug data-race      read where wait_for() has run out
// case atomic_wait: bug data-race        a relaxed wait() takes nothing over
// case stop_token: bug data-race         written after request_stop()
// case stop_callback: bug data-race      read while it may run
// case jthread: bug data-race            read before its destructor
// case thread_at_exit: bug data-race     ready before the destructor, unlike by set_value_at_thread_exit()
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <thread>

#include "../../together.hpp"

int data;
int results[2];  // not static, or compilers would leave out what nobody reads

static std::shared_mutex shared_mutex;
static void run_shared_mutex() {
  auto count = [] {
    std::shared_lock lock(shared_mutex);
    ++data;  // reported
  };
  together(count, count);
}
static void run_read_outside() {
  together(
      [] {
        std::shared_lock lock(shared_mutex);
        lock.unlock();
        results[0] = data;  // reported
      },
      [] {
        std::lock_guard lock(shared_mutex);
        data = 1;  // reported
      });
}
static void run_spin_lock() {
  static std::atomic_flag taken;
  auto count = [] {
    while (taken.test_and_set(acquire)) {
    }
    ++data;  // reported
    taken.clear(relaxed);
  };
  together(count, count);
}
static void run_ticket_lock() {
  static std::atomic<int> next, served;
  auto count = [] {
    const int mine = next.fetch_add(1, relaxed);
    while (served.load(relaxed) != mine) {
    }
    ++data;  // reported
    served.store(mine + 1, release);
  };
  together(count, count);
}
static void run_semaphore() {
  static std::counting_semaphore<2> permits(2);
  auto count = [] {
    permits.acquire();
    ++data;  // reported
    permits.release();
  };
  together(count, count);
}
static void run_handed_over() {
  static std::binary_semaphore full(0);
  together(
      [] {
        full.release();
        data = 1;  // reported
      },
      [] {
        full.acquire();
        results[0] = data;  // reported
      });
}
static void run_latch() {
  static std::latch done(1);
  together(
      [] {
        done.count_down();
        data = 1;  // reported
      },
      [] {
        done.wait();
        results[0] = data;  // reported
      });
}
static void run_barrier() {
  static std::barrier phase(2);
  auto work = [](int mine) {
    results[mine] = 1;         // reported
    data = results[1 - mine];  // reported
    phase.arrive_and_wait();
  };
  together([=] { work(0); }, [=] { work(1); });
}
static void run_phases() {
  static pthread_barrier_t phase;
  pthread_barrier_init(&phase, nullptr, 2);
  auto work = [](int mine) {
    results[mine] = 1;
    pthread_barrier_wait(&phase);
    results[mine] += results[1 - mine];  // reported
  };
  together([=] { work(0); }, [=] { work(1); });
}
static void run_completion() {
  static std::barrier phase(2, []() noexcept { data = 1; });  // reported
  together(
      [] {
        phase.arrive_and_drop();
        results[0] = data;  // reported
      },
      [] { phase.arrive_and_wait(); });
}
static std::mutex mutex;
static std::condition_variable changed;
static bool ready;
static void run_condition() {
  together(
      [] {
        {
          std::lock_guard lock(mutex);
          ready = true;
          changed.notify_one();
        }
        data = 1;  // reported
      },
      [] {
        std::unique_lock lock(mutex);
        changed.wait(lock, [] { return ready; });
        results[0] = data;  // reported
      });
}
static void run_flag() {
  together(
      [] {
        std::lock_guard lock(mutex);
        ready = true;  // reported
        changed.notify_one();
      },
      [] {
        if (ready) return;  // reported
        std::unique_lock lock(mutex);
        changed.wait(lock, [] { return ready; });
      });
}
static void run_condition_any() {
  static std::condition_variable_any any;
  auto wait = [] {
    std::shared_lock lock(shared_mutex);
    any.wait(lock, [] { return ready; });
    ++data;  // reported
  };
  together(wait, wait, [] {
    std::lock_guard lock(shared_mutex);
    ready = true;
    any.notify_all();
  });
}
static void run_call_once() {
  static std::once_flag once;
  together([] { std::call_once(once, [] { data = 1; }); }, [] { results[0] = data; });  // reported
}
static int* made;
static void run_local_static() {
  together(
      [] {
        static int value = 1;
        static int* only = made = &value;  // reported
        results[0] = *only;
      },
      [] {
        if (made != nullptr) results[1] = *made;  // reported
      });
}
static void run_promise() {
  static std::promise<void> done;
  together(
      [] {
        done.set_value();
        data = 1;  // reported
      },
      [] {
        done.get_future().get();
        results[0] = data;  // reported
      });
}
static void run_shared_future() {
  static std::promise<int*> done;
  static std::shared_future<int*> future(done.get_future());
  done.set_value(&data);
  auto use = [copy = future] { ++*copy.get(); };  // reported
  together(use, use);
}
static void run_async() {
  std::future<void> result = std::async(std::launch::async, [] { data = 1; });  // reported
  results[0] = data;                                                            // reported
  result.wait();
}
static void run_packaged_task() {
  std::packaged_task<void()> task([] { data = 1; });  // reported
  std::future<void> result = task.get_future();
  std::thread worker(std::move(task));
  if (result.wait_for(std::chrono::seconds(0)) == std::future_status::timeout) results[0] = data;  // reported
  worker.join();
}
static void run_atomic_wait() {
  static std::atomic<int> flag;
  together(
      [] {
        data = 1;  // reported
        flag.store(1, release);
        flag.notify_one();
      },
      [] {
        flag.wait(0, relaxed);
        results[0] = data;  // reported
      });
}
static void run_stop_token() {
  std::stop_source source;
  std::thread worker([token = source.get_token()] {
    if (token.stop_requested()) results[0] = data;  // reported
  });
  source.request_stop();
  data = 1;  // reported
  worker.join();
}
static void run_stop_callback() {
  std::stop_source source;
  std::thread worker([token = source.get_token()] {
    std::stop_callback callback(token, [] { data = 1; });  // reported
    results[0] = data;                                     // reported
  });
  source.request_stop();
  worker.join();
}
static void run_jthread() {
  std::jthread worker([] { data = 1; });  // reported
  results[0] = data;                      // reported
}
struct AtEnd {
  ~AtEnd() { data = used; }  // reported
  int used = 0;
};
static thread_local AtEnd at_end;
static void run_thread_at_exit() {
  std::promise<void> done;
  std::future<void> ended = done.get_future();
  std::thread worker([&] {
    at_end.used = 1;
    done.set_value();
  });
  ended.wait();
  results[0] = data;  // reported
  worker.join();
}

MAIN(CASE(shared_mutex), CASE(read_outside), CASE(spin_lock), CASE(ticket_lock), CASE(semaphore),
     CASE(handed_over), CASE(latch), CASE(barrier), CASE(phases), CASE(completion), CASE(condition),
     CASE(flag), CASE(condition_any), CASE(call_once), CASE(local_static), CASE(promise), CASE(shared_future),
     CASE(async), CASE(packaged_task), CASE(atomic_wait), CASE(stop_token), CASE(stop_callback),
     CASE(jthread), CASE(thread_at_exit))
