// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// An initialisation that throws the first time is tried again by somebody else.
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

std::once_flag flag;
int attempts = 0;
int failures = 0;
bool initialised = false;

void initialise() {
  if (++attempts == 1) throw std::runtime_error("not yet");
  initialised = true;
}

void use() {
  try {
    std::call_once(flag, initialise);
    assert(initialised);
  } catch (const std::runtime_error&) {
    ++failures;
  }
}

int main() {
  std::thread first(use);
  std::thread second(use);
  first.join();
  second.join();
  assert(attempts == 2 && failures == 1 && initialised);
}
