// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// args: --leaks
//
// Whoever comes first makes the configuration. Where both do, the first one made is lost.
#include <atomic>
#include <thread>

struct Config {
  int limit = 10;
};
std::atomic<Config*> config{nullptr};

void use() {
  if (config == nullptr) config = new Config;
}

int main() {
  std::thread reader(use);
  std::thread writer(use);
  reader.join();
  writer.join();
  delete config;
}
