// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// An exception carried from one thread to another, and rethrown beside an active one.
#include <cassert>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

std::mutex mutex;
std::exception_ptr carried;

int main() {
  std::thread thrower([] {
    try {
      throw std::logic_error("carried");
    } catch (...) {
      std::lock_guard guard(mutex);
      carried = std::current_exception();
    }
  });
  std::thread other([] {
    try {
      throw 1;
    } catch (int) {
      std::lock_guard guard(mutex);
      if (!carried) return;
      try {
        std::rethrow_exception(carried);
      } catch (const std::logic_error&) {
      }
    }
  });
  thrower.join();
  other.join();
  assert(carried);
}
