// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "races/race_detector.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <sstream>
#include <string>
#include <vector>

#include "support/random.hpp"

namespace thrum {
namespace {

void* map_pages(std::size_t bytes) {
  void* memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

enum class Do : std::uint8_t { access, load, store, change, fence, acquire, release, create, join };

struct Step {
  Do what = Do::access;
  std::uint16_t thread = 0;
  std::uint16_t other = 0;  // create, join; 0: none
  Access access;            // access.address also: the synchronization object
  MemoryOrder order = MemoryOrder::relaxed;
  bool keep = false;

  bool touches_memory() const { return what <= Do::change; }
  bool writes_atomically() const { return what == Do::store || what == Do::change; }
  bool acquires() const { return order == MemoryOrder::acquire || order == MemoryOrder::acquire_release; }
  bool releases() const { return order == MemoryOrder::release || order == MemoryOrder::acquire_release; }
};

std::string text(const std::vector<Step>& steps) {
  const char* names[] = {"access",  "load",    "store",  "change", "fence",
                         "acquire", "release", "create", "join"};
  std::ostringstream out;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    out << i << ": thread " << step.thread << ' ' << names[static_cast<int>(step.what)] << " other "
        << step.other << " kind " << static_cast<int>(step.access.kind) << " at " << step.access.address
        << '+' << step.access.size << " order " << static_cast<int>(step.order) << (step.keep ? " keep" : "")
        << '\n';
  }
  return out.str();
}

// Happens-before by its definition: a graph over the steps, and paths in it.
class Graph {
 public:
  explicit Graph(const std::vector<Step>& steps) : steps_(steps), before_(steps.size()) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (synchronizes(j, i)) include(i, j);
      }
    }
  }

  // j happens before i. REQUIRES: j < i
  bool ordered(std::size_t j, std::size_t i) const { return before_[i][j]; }

  // Whether step i races with an earlier one at that byte.
  bool races_at(std::size_t i, std::uint64_t byte) const {
    const Access& a = steps_[i].access;
    if (!steps_[i].touches_memory() || byte < a.address || byte >= a.address + a.size) return false;
    for (std::size_t j = 0; j < i; ++j) {
      const Access& b = steps_[j].access;
      bool there = steps_[j].touches_memory() && byte >= b.address && byte < b.address + b.size;
      if (there && conflict(a.kind, b.kind) && !ordered(j, i)) return true;
    }
    return false;
  }

  bool races(std::size_t i) const {
    const Access& a = steps_[i].access;
    for (std::uint64_t byte = a.address; byte < a.address + a.size; ++byte) {
      if (races_at(i, byte)) return true;
    }
    return false;
  }

 private:
  void include(std::size_t i, std::size_t j) {
    before_[i].resize(steps_.size());
    before_[i][j] = true;
    for (std::size_t k = 0; k < j; ++k) {
      if (!before_[j].empty() && before_[j][k]) before_[i][k] = true;
    }
  }

  bool synchronizes(std::size_t j, std::size_t i) {
    before_[i].resize(steps_.size());
    const Step& early = steps_[j];
    const Step& late = steps_[i];
    if (early.thread == late.thread) return true;  // program order
    if (early.what == Do::create && (early.other == late.thread || late.other == early.other)) return true;
    if (late.what == Do::join) return late.other == early.thread;
    if (late.what == Do::acquire && early.what == Do::release)
      return early.access.address == late.access.address && !overruled(j, i);
    return passes_on(j, i);
  }

  // A release that does not keep what was there stands between.
  bool overruled(std::size_t j, std::size_t i) const {
    for (std::size_t k = j + 1; k < i; ++k) {
      const Step& step = steps_[k];
      if (step.what == Do::release && !step.keep && step.access.address == steps_[j].access.address)
        return true;
    }
    return false;
  }

  // [atomics.order], [atomics.fences]: j is the release operation or fence, i the acquire operation or fence.
  bool passes_on(std::size_t j, std::size_t i) const {
    const Step& early = steps_[j];
    const Step& late = steps_[i];
    bool is_source = early.releases() && (early.writes_atomically() || early.what == Do::fence);
    bool is_sink =
        late.acquires() && (late.what == Do::load || late.what == Do::change || late.what == Do::fence);
    if (!is_source || !is_sink) return false;
    for (std::size_t read = j + 1; read <= i; ++read) {
      bool reads = steps_[read].what == Do::load || steps_[read].what == Do::change;
      bool for_sink = late.what == Do::fence ? read < i && steps_[read].thread == late.thread : read == i;
      if (!reads || !for_sink) continue;
      for (std::size_t write : sequence_read_by(read)) {
        bool from_source =
            early.what == Do::fence ? write > j && steps_[write].thread == early.thread : write == j;
        if (from_source) return true;
      }
    }
    return false;
  }

  // The write that the step reads, and those whose release sequence it belongs to. A plain write begins the
  // life of another object.
  std::vector<std::size_t> sequence_read_by(std::size_t read) const {
    std::vector<std::size_t> writes;
    const std::uint64_t at = steps_[read].access.address;
    for (std::size_t k = read; k-- > 0;) {
      const Step& step = steps_[k];
      if (step.what == Do::access && step.access.kind == AccessKind::plain_write &&
          step.access.address <= at && at < step.access.address + step.access.size)
        break;
      if (!step.writes_atomically() || step.access.address != at) continue;
      writes.push_back(k);
      if (step.what == Do::store) break;
    }
    return writes;
  }

  const std::vector<Step>& steps_;
  std::vector<std::vector<bool>> before_;
};

bool apply(RaceDetector& detector, const Step& step) {
  const Access& at = step.access;
  switch (step.what) {
    case Do::access: return detector.access(step.thread, at.kind, at.address, at.size, at.code);
    case Do::load: return detector.atomic_load(step.thread, at.address, at.size, step.order, at.code);
    case Do::store: return detector.atomic_store(step.thread, at.address, at.size, step.order, at.code);
    case Do::change: return detector.read_modify_write(step.thread, at.address, at.size, step.order, at.code);
    case Do::fence: detector.fence(step.thread, step.order); break;
    case Do::acquire: detector.acquire(step.thread, step.access.address); break;
    case Do::release: detector.release(step.thread, step.access.address, step.keep); break;
    case Do::create: detector.create(step.thread, step.other); break;
    case Do::join: detector.join(step.thread, step.other); break;
  }
  return false;
}

constexpr std::uint64_t kMemory = 0x1000;   // three cells of plain bytes
constexpr std::uint64_t kAtomics = 0x1010;  // the last of them and one more also hold atomics

Step random_step(Random& random, std::vector<bool>& lives, bool atomic_only_where_plain) {
  Step step;
  auto pick_thread = [&] {
    std::uint16_t thread = 0;
    do thread = static_cast<std::uint16_t>(random.below(lives.size()));
    while (!lives[thread]);
    return thread;
  };
  step.thread = pick_thread();
  step.order = static_cast<MemoryOrder>(random.below(4));
  std::uint64_t what = random.below(20);
  if (what < 6) {
    step.what = Do::access;
    step.access = {kMemory + random.below(20),
                   static_cast<std::uint32_t>(1U << random.below(4)),
                   random.below(2) == 0 ? AccessKind::plain_read : AccessKind::plain_write,
                   0,
                   {}};
  } else if (what < 15) {
    step.what = what < 9 ? Do::load : what < 12 ? Do::store : Do::change;
    std::uint64_t at = (atomic_only_where_plain ? kAtomics : kAtomics + 8) + 2 * random.below(3);
    step.access = {at, 2, step.what == Do::load ? AccessKind::atomic_read : AccessKind::atomic_write, 0, {}};
  } else if (what < 17) {
    step.what = Do::fence;
  } else {
    step.what = what == 17 ? Do::acquire : Do::release;
    if (what == 18) step.keep = true;
    step.access.address = 0x2000 + random.below(2);
  }
  return step;
}

struct Outcome {
  int races = 0;
  int silent = 0;
};

// Runs random steps until one races, and compares each with the graph's word.
void run_random(RaceDetector& detector, std::uint64_t seed, std::size_t length, Outcome& outcome) {
  Random random(seed);
  std::vector<bool> lives = {true};
  std::vector<Step> steps;
  detector.begin_execution();
  bool atomic_only_where_plain = random.below(2) == 0;
  while (steps.size() < length) {
    Step step = random_step(random, lives, atomic_only_where_plain);
    if (lives.size() < 4 && random.below(4) == 0) {
      step.what = Do::create;
      step.other = static_cast<std::uint16_t>(lives.size());
      lives.push_back(true);
    } else if (random.below(24) == 0 && lives.size() > 1) {
      auto other = static_cast<std::uint16_t>(1 + random.below(lives.size() - 1));
      if (other != step.thread && lives[other]) {
        step.what = Do::join;
        step.other = other;
        lives[other] = false;
      }
    }
    steps.push_back(step);
    bool found = apply(detector, step);
    Graph graph(steps);
    ASSERT_EQ(found, graph.races(steps.size() - 1)) << "seed " << seed << '\n' << text(steps);
    if (!found) continue;
    ASSERT_TRUE(graph.races_at(steps.size() - 1, detector.race().address)) << "seed " << seed << '\n'
                                                                           << text(steps);
    ++outcome.races;
    return;
  }
  ++outcome.silent;
}

TEST(RaceDetector, AgreesWithTheDefinition) {
  RaceDetector detector(map_pages);
  Outcome outcome;
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    run_random(detector, seed, 5 + seed % 40, outcome);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(outcome.races, 1000);
  EXPECT_GT(outcome.silent, 1000);
}

}  // namespace
}  // namespace thrum
