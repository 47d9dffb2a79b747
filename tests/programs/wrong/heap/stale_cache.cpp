// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
// compilers: both
//
// A reader keeps a copy of the settings, and takes them for unchanged while they lie at the same address. The
// writer frees the old ones and is given their memory for the new ones. Nothing races, and no freed memory is
// touched: under --heap fresh the program is right (tests/programs/correct/heap/stale_cache_fresh.cpp).
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

struct Settings {
  int limit;
};

std::mutex mutex;
auto settings = std::make_unique<Settings>(Settings{1});

class Reader {
 public:
  int limit() {
    if (settings.get() != seen_) {
      seen_ = settings.get();
      copy_ = *settings;
    }
    return copy_.limit;
  }

 private:
  const Settings* seen_ = nullptr;
  Settings copy_{0};
};

int main() {
  std::thread writer([] {
    std::lock_guard lock(mutex);
    settings.reset();
    settings = std::make_unique<Settings>(Settings{2});
  });
  Reader reader;
  for (int i = 0; i < 2; ++i) {
    std::lock_guard lock(mutex);
    assert(reader.limit() == settings->limit);
  }
  writer.join();
}
