// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug crash preemptions=0
//
// A constructor of a global object reads through a null pointer, before main.
#include <thread>

int* volatile nowhere = nullptr;

struct Global {
  Global() : value(*nowhere) {}
  int value;
};

Global global;

int main() {
  std::thread other([] {});
  other.join();
  return global.value;
}
