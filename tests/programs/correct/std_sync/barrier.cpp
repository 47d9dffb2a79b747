// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --bound preemptions=1
//
// A std::barrier with a completion function; nobody enters a phase before everybody has left the
// last.
// Only within a bound: libstdc++ looks a dozen times, and yields a few times, before each wait, and each
// look is an event.
#include <atomic>
#include <barrier>
#include <cassert>
#include <thread>

std::atomic<int> arrived{0};
int phases = 0;

int main() {
  std::barrier barrier(2, []() noexcept { ++phases; });
  const auto work = [&] {
    ++arrived;
    barrier.arrive_and_wait();
    assert(arrived == 2);
    assert(phases == 1);
  };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
}
