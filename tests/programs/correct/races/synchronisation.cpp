// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// Each object orders what was done before one operation and after another. The same with a step left out:
// wrong/races/synchronisation.cpp.
// case shared_mutex: exhausted       readers share the lock, the writer has it alone
// case spin_lock: exhausted          test_and_set acquires, clear releases
// case ticket_lock: exhausted        the lock is acquired by the load that sees one's own number
// case semaphore: exhausted          one permit, so it is a lock
// case handed_over: exhausted        by release and acquire of a semaphore that begins at 0
// case latch: exhausted              what was done before count_down() is known after wait()
// case barrier: exhausted            what each did before it is known to all after it
// case phases: exhausted             each phase is ordered before the next one
// case completion: exhausted         of a barrier: after all that came, before all that go on
// case condition: exhausted          the flag is looked at under the lock
// case condition_any: exhausted      likewise, under a read-write lock
// case call_once: exhausted          both come after the initialisation, whoever did it
// case local_static: exhausted       likewise
// case promise: exhausted            what was done before set_value() is known after get()
// case shared_future: exhausted      to all who get()
// case async: exhausted              the end of the function is known after wait()
// case packaged_task: exhausted      the same
// case atomic_wait: exhausted        wait() that returns has acquired what it read
// case stop_token: exhausted         request_stop() is ordered before stop_requested() that gives true
// case stop_callback: exhausted      it has ended when its registration is destroyed
// case jthread: exhausted            its destructor joins
// case thread_at_exit: exhausted     what is to be done at the end of a thread comes before
#include <semaphore.h>

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

static void run_shared_mutex() {
  static std::shared_mutex mutex;
  auto read = [](int& result) {
    std::shared_lock lock(mutex);
    result = data;
  };
  together([=] { read(results[0]); }, [=] { read(results[1]); },
           [] {
             std::lock_guard lock(mutex);
             ++data;
           });
}
static void run_spin_lock() {
  static std::atomic_flag taken;
  auto count = [] {
    while (taken.test_and_set(acquire)) {
    }
    ++data;
    taken.clear(release);
  };
  together(count, count);
  assert(data == 2);
}
static void run_ticket_lock() {
  static std::atomic<int> next, served;
  auto count = [] {
    const int mine = next.fetch_add(1, relaxed);
    while (served.load(acquire) != mine) {
    }
    ++data;
    served.store(mine + 1, release);
  };
  together(count, count);
  assert(data == 2);
}
static void run_semaphore() {
  static sem_t permits;
  sem_init(&permits, 0, 1);
  auto count = [] {
    sem_wait(&permits);
    ++data;
    sem_post(&permits);
  };
  together(count, count);
  assert(data == 2);
}
static void run_handed_over() {
  static std::binary_semaphore full(0);
  together(
      [] {
        data = 1;
        full.release();
      },
      [] {
        full.acquire();
        assert(data == 1);
      });
}
static void run_latch() {
  static std::latch both(2);
  auto work = [](int mine) {
    results[mine] = 1;
    both.count_down();
  };
  together([=] { work(0); }, [=] { work(1); },
           [] {
             both.wait();
             assert(results[0] + results[1] == 2);
           });
}
static void run_barrier() {
  static std::barrier phase(2);
  auto work = [](int mine) {
    results[mine] = 1;
    phase.arrive_and_wait();
    assert(results[1 - mine] == 1);
  };
  together([=] { work(0); }, [=] { work(1); });
}
static void run_phases() {
  static pthread_barrier_t phase;
  pthread_barrier_init(&phase, nullptr, 2);
  auto work = [](int mine) {
    results[mine] = 1;
    pthread_barrier_wait(&phase);
    const int other = results[1 - mine];
    pthread_barrier_wait(&phase);
    results[mine] += other;
  };
  together([=] { work(0); }, [=] { work(1); });
  assert(results[0] == 2 && results[1] == 2);
}
static void run_completion() {
  static std::barrier phase(2, []() noexcept { data = results[0] + results[1]; });
  auto work = [](int mine) {
    results[mine] = 1;
    phase.arrive_and_wait();
    assert(data == 2);
  };
  together([=] { work(0); }, [=] { work(1); });
}
static void run_condition() {
  static std::mutex mutex;
  static std::condition_variable changed;
  static bool ready;
  together(
      [] {
        data = 1;
        std::lock_guard lock(mutex);
        ready = true;
        changed.notify_one();
      },
      [] {
        std::unique_lock lock(mutex);
        changed.wait(lock, [] { return ready; });
        lock.unlock();
        assert(data == 1);
      });
}
static void run_condition_any() {
  static std::shared_mutex mutex;
  static std::condition_variable_any changed;
  together(
      [] {
        {
          std::lock_guard lock(mutex);
          data = 1;
        }
        changed.notify_all();
      },
      [] {
        std::shared_lock lock(mutex);
        changed.wait(lock, [] { return data == 1; });
      });
}
static void run_call_once() {
  static std::once_flag once;
  auto use = [] {
    std::call_once(once, [] { data = 1; });
    assert(data == 1);
  };
  together(use, use);
}
static int* only() {
  static int* made = [] {
    data = 1;
    return &data;
  }();
  return made;
}
static void run_local_static() {
  auto use = [] { assert(*only() == 1); };
  together(use, use);
}
static void run_promise() {
  static std::promise<void> done;
  together(
      [] {
        data = 1;
        done.set_value();
      },
      [] {
        done.get_future().get();
        assert(data == 1);
      });
}
static void run_shared_future() {
  static std::promise<int*> done;
  static std::shared_future<int*> future(done.get_future());
  auto use = [copy = future] { assert(*copy.get() == 1); };
  together(use, use, [] {
    data = 1;
    done.set_value(&data);
  });
}
static void run_async() {
  std::future<void> result = std::async(std::launch::async, [] { data = 1; });
  result.wait();
  assert(data == 1);
}
static void run_packaged_task() {
  std::packaged_task<void()> task([] { data = 1; });
  std::future<void> result = task.get_future();
  std::thread worker(std::move(task));
  result.wait();
  assert(data == 1);
  worker.join();
}
static void run_atomic_wait() {
  static std::atomic<int> flag;
  together(
      [] {
        data = 1;
        flag.store(1, release);
        flag.notify_one();
      },
      [] {
        flag.wait(0, acquire);
        assert(data == 1);
      });
}
static void run_stop_token() {
  std::stop_source source;
  std::thread worker([token = source.get_token()] {
    if (token.stop_requested()) assert(data == 1);
  });
  data = 1;
  source.request_stop();
  worker.join();
}
static void run_stop_callback() {
  std::stop_source source;
  std::thread worker([token = source.get_token()] {
    {
      std::stop_callback callback(token, [] { data = 1; });
    }
    results[0] = data;
  });
  source.request_stop();
  worker.join();
}
static void run_jthread() {
  {
    std::jthread worker([] { data = 1; });
  }
  assert(data == 1);
}
struct AtEnd {
  ~AtEnd() { data = used; }
  int used = 0;
};
static thread_local AtEnd at_end;
static void run_thread_at_exit() {
  std::promise<void> done;
  std::future<void> ended = done.get_future();
  std::thread worker([&] {
    at_end.used = 1;
    done.set_value_at_thread_exit();
  });
  ended.wait();
  assert(data == 1);
  worker.join();
}

MAIN(CASE(shared_mutex), CASE(spin_lock), CASE(ticket_lock), CASE(semaphore), CASE(handed_over), CASE(latch),
     CASE(barrier), CASE(phases), CASE(completion), CASE(condition), CASE(condition_any), CASE(call_once),
     CASE(local_static), CASE(promise), CASE(shared_future), CASE(async), CASE(packaged_task),
     CASE(atomic_wait), CASE(stop_token), CASE(stop_callback), CASE(jthread), CASE(thread_at_exit))
