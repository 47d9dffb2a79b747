// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug nonzero-exit preemptions=0
//
// A thread ends the process with exit(3).
#include <cstdlib>
#include <thread>

int main() {
  std::thread quitter([] { std::exit(3); });
  quitter.join();
}
