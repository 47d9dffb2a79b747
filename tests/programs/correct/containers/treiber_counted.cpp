// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// The stack of examples/treiber_aba.cpp with a counter beside the head, in one word.
#include <array>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

constexpr std::uint32_t kNone = 0xffffffff;

struct Node {
  std::atomic<std::uint32_t> below{kNone};
  std::atomic<bool> owned{false};
};

std::array<Node, 3> nodes;
std::atomic<std::uint64_t> top{kNone};

std::uint32_t index_of(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

// The word that follows `word` at the top: another node, and a counter one higher.
std::uint64_t successor(std::uint64_t word, std::uint32_t index) {
  return (((word >> 32) + 1) << 32) | index;
}

void push(std::uint32_t index) {
  nodes[index].owned = false;
  std::uint64_t seen = top;
  do {
    nodes[index].below = index_of(seen);
  } while (!top.compare_exchange_strong(seen, successor(seen, index)));
}

std::uint32_t pop() {
  std::uint64_t seen = top;
  for (;;) {
    const std::uint32_t index = index_of(seen);
    if (index == kNone) return kNone;
    const std::uint32_t below = nodes[index].below;
    if (top.compare_exchange_strong(seen, successor(seen, below))) {
      assert(!nodes[index].owned.exchange(true));
      return index;
    }
  }
}

int main() {
  for (std::uint32_t i = 0; i < 3; ++i) push(i);
  std::thread first([] {
    pop();
    pop();
  });
  std::thread second([] {
    const std::uint32_t index = pop();
    pop();
    if (index != kNone) push(index);
  });
  first.join();
  second.join();
}
