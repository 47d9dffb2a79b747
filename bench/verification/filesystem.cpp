// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// classes: 1024
//
// Each of 23 threads gives its inode a block, after Flanagan and Godefroid; ten pairs of them meet at the
// same one.
#include <array>
#include <mutex>

#include "run.hpp"

constexpr std::size_t kInodes = 32;
constexpr std::size_t kBlocks = 26;

struct State {
  std::array<std::size_t, kInodes> inodes{};
  std::array<bool, kBlocks> busy{};
  std::array<std::mutex, kInodes> inode_mutexes;
  std::array<std::mutex, kBlocks> block_mutexes;

  bool take_block(std::size_t inode, std::size_t block) {
    std::lock_guard guard(block_mutexes[block]);
    if (busy[block]) return false;
    busy[block] = true;
    inodes[inode] = block + 1;
    return true;
  }
};

int main() {
  constexpr int kThreads = 23;
  return run_threads<State>(kThreads, [](State& state, int thread) {
    constexpr int kTries = 10;
    const auto inode = static_cast<std::size_t>(thread) % kInodes;
    std::lock_guard guard(state.inode_mutexes[inode]);
    if (state.inodes[inode] != 0) return;
    std::size_t block = 2 * inode % kBlocks;
    for (int i = 0; i < kTries && !state.take_block(inode, block); ++i) block = (block + 1) % kBlocks;
  });
}
