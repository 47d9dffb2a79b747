// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// flags: -mcx16
// case recursive_mutexes: exhausted
// case shared_timed: exhausted
// case atomic_shared_ptr: exhausted
// case wide: exhausted
// case exchanges: exhausted
// case volatiles: exhausted
// case static_destructor: exhausted
// case hashes: exhausted
// case allocation: exhausted
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>

#include "../../cases.h"

using namespace std::chrono_literals;

static std::atomic<int> value;
static int plain = 0;

template <class F, class G>
static void both(F f, G g) {
  std::thread one(f), other(g);
  one.join();
  other.join();
}

static void run_recursive_mutexes() {
  static std::recursive_timed_mutex timed;
  static std::recursive_mutex mutex;
  auto work = [] {
    if (timed.try_lock_for(1s)) {
      if (timed.try_lock()) {
        ++plain;
        timed.unlock();
      }
      timed.unlock();
    }
    std::lock_guard outer(mutex);
    std::lock_guard inner(mutex);
    value = value + 1;
  };
  both(work, work);
  assert(plain <= 2 && value == 2);
}
static void run_shared_timed() {
  static std::shared_timed_mutex mutex;
  both(
      [] {
        std::lock_guard guard(mutex);
        ++plain;
      },
      [] {
        std::shared_lock lock(mutex, 1s);
        if (lock) assert(plain == 0 || plain == 1);
      });
}
static void run_atomic_shared_ptr() {
  static std::atomic<std::shared_ptr<int>> pointer(std::make_shared<int>(0));
  both([] { pointer.store(std::make_shared<int>(1)); },
       [] {
         const std::shared_ptr<int> mine = pointer.load();
         assert(*mine == 0 || *mine == 1);
       });
}
static void run_wide() {
  alignas(16) static unsigned __int128 wide = 0;
  auto add = [] {
    unsigned __int128 before = __atomic_load_n(&wide, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(&wide, &before, before + 1 + (static_cast<unsigned __int128>(1) << 64),
                                        false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
  };
  both(add, add);
  assert(wide >> 64 == 2 && static_cast<std::uint64_t>(wide) == 2);
}
static void run_exchanges() {
  auto add = [] {
    int before = value.load();
    while (!value.compare_exchange_strong(before, before + 1)) {
    }
    value.fetch_add(1);
  };
  both(add, add);
  assert(value.exchange(0) == 4);
  value.store(1);
}
static void run_volatiles() {
  static volatile int seen = 0;
  static std::mutex turn;
  both(
      [] {
        std::lock_guard guard(turn);
        seen = seen + 1;
      },
      [] {
        std::lock_guard guard(turn);
        seen = seen + 1;
      });
  assert(seen == 2);
}

// What static_destructor destroys is still alive for a thread that was joined.
static bool armed;
struct Global {
  ~Global() {
    if (armed) assert(value == 2);
  }
};
static Global global;
static void run_static_destructor() {
  armed = true;
  both([] { ++value; }, [] { ++value; });
}
static void run_hashes() {
  const std::size_t expected = std::hash<std::string>()("thrum");
  both([&] { assert(std::hash<std::string>()("thrum") == expected); },
       [&] {
         ++value;
         std::unordered_map<std::string, int> map{{"a", 1}, {"b", 2}};
         assert(map.at("b") == 2);
       });
}
// By aligned_new and sized_delete.
struct alignas(128) Wide {
  char bytes[128];
};
static void run_allocation() {
  auto work = [] {
    auto wide = std::make_unique<Wide>();
    ++value;
    assert(reinterpret_cast<std::uintptr_t>(wide.get()) % 128 == 0);
    void* block = ::operator new(40);
    ++value;
    ::operator delete(block, 40);
    ::operator delete(::operator new(64, std::align_val_t{64}), 64, std::align_val_t{64});
  };
  both(work, work);
}

MAIN(CASE(recursive_mutexes), CASE(shared_timed), CASE(atomic_shared_ptr), CASE(wide), CASE(exchanges),
     CASE(volatiles), CASE(static_destructor), CASE(hashes), CASE(allocation))
