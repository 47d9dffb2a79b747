// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug leak preemptions=1
// args: --leaks
// compilers: both
//
// Lazy initialisation without a lock: where both threads find nothing, both make the object, and the one that
// is written first is lost. Every access is atomic; nothing else shows it.
#include <atomic>
#include <thread>

struct Config {
  int values[4] = {1, 2, 3, 4};
};
std::atomic<Config*> config{nullptr};

int first_value() {
  if (config.load() == nullptr) config.store(new Config);
  return config.load()->values[0];
}

int main() {
  std::thread a([] { first_value(); });
  std::thread b([] { first_value(); });
  a.join();
  b.join();
  delete config.load();
}
