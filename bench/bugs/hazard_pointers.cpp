// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy icb --executions 1000
//
// A configuration that is replaced while others read it. Readers announce what they read in hazard pointers;
// who replaces it retires the old one, and takes back retired ones that no hazard pointer names.
//
// The bug: a reader does not look again after it has announced the pointer. It may have been replaced and
// taken back before it was announced. Since several are retired before any is taken back, that takes a while.
#include <array>
#include <atomic>
#include <cassert>
#include <vector>

#include "threads.hpp"

struct Config {
  std::atomic<bool> alive{true};
  std::atomic<int> version{0};
};

constexpr std::size_t kReaders = 2;
constexpr std::size_t kRetiredMax = 3;
constexpr int kUpdates = 7;
constexpr int kReads = 4;

std::array<Config, kUpdates + 1> configs;
std::atomic<Config*> current{&configs[0]};
std::array<std::atomic<Config*>, kReaders> hazards;

const Config* protect(std::size_t reader) {
#ifdef FIXED
  Config* config = nullptr;
  do {
    config = current.load();
    hazards[reader].store(config);
  } while (config != current.load());
#else
  Config* config = current.load();
  hazards[reader].store(config);
#endif
  return config;
}

void read(std::size_t self) {
  int version_before = 0;
  for (int i = 0; i < kReads; ++i) {
    const Config* config = protect(self);
    const int version = config->version.load();
    assert(config->alive.load() && version >= version_before);
    version_before = version;
    hazards[self].store(nullptr);
  }
}

bool is_hazardous(const Config* config) {
  for (const auto& hazard : hazards) {
    if (hazard.load() == config) return true;
  }
  return false;
}

void update() {
  std::vector<Config*> retired;
  for (int version = 1; version <= kUpdates; ++version) {
    Config* config = &configs[static_cast<std::size_t>(version)];
    config->version.store(version);
    retired.push_back(current.exchange(config));
    if (retired.size() < kRetiredMax) continue;
    std::erase_if(retired, [](Config* old) {
      if (is_hazardous(old)) return false;
      old->alive.store(false);
      return true;
    });
  }
}

int main() {
  run_together([] { read(0); }, [] { read(1); }, update);
}
