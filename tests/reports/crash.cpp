// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reader trusts a flag that is set before what it promises.
#include <atomic>
#include <thread>

struct Config {
  int port = 80;
};

std::atomic<bool> ready{false};
std::atomic<Config*> config{nullptr};
int port;

int main() {
  std::thread reader([] {
    if (ready) port = config.load()->port;
  });
  ready = true;
  config = new Config;
  reader.join();
  delete config.load();
}
