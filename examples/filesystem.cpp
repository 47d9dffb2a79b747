// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --bound preemptions=2
//
// A model of a file system, after Flanagan and Godefroid: each thread gives its inode a block
// unless it has one, and searches for a free block from a place that depends on the inode. Inodes
// and blocks have a mutex each. Up to 13 threads touch different blocks; -DTHREADS=14 makes the
// first two collide.
#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <mutex>
#include <thread>

#ifndef THREADS
#define THREADS 3
#endif

constexpr std::size_t kInodes = 32;
constexpr std::size_t kBlocks = 26;
constexpr int kTries = 10;

std::array<std::mutex, kInodes> inode_mutexes;
std::array<std::atomic<std::size_t>, kInodes> inodes{};  // the inode's block, plus 1; 0: none yet
std::array<std::mutex, kBlocks> block_mutexes;
std::array<std::atomic<bool>, kBlocks> busy{};

void give_block(std::size_t thread) {
  const std::size_t inode = thread % kInodes;
  std::lock_guard inode_guard(inode_mutexes[inode]);
  if (inodes[inode] != 0) return;
  std::size_t block = 2 * inode % kBlocks;
  for (int i = 0; i < kTries; ++i) {
    std::lock_guard block_guard(block_mutexes[block]);
    if (!busy[block]) {
      busy[block] = true;
      inodes[inode] = block + 1;
      return;
    }
    block = (block + 1) % kBlocks;
  }
}

int main() {
  std::array<std::thread, THREADS> threads;
  for (std::size_t i = 0; i < threads.size(); ++i) threads[i] = std::thread(give_block, i);
  for (std::thread& thread : threads) thread.join();

  std::array<int, kBlocks> users{};
  for (const auto& block : inodes) {
    if (block != 0) ++users[block - 1];
  }
  for (const int count : users) assert(count <= 1 && "two inodes share a block");
}
