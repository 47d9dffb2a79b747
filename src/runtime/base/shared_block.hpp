// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread control block for all fibers: main's. The FS base always points to it (SwitchBy::exchange). A
// switch does not change the FS base, which some machines do not let programs change. It exchanges the
// content of the block: the thread-local storage below it, and the words by which libc tells threads apart.
//
// So a thread-local variable has one address in all threads, and no thread can point to another thread's
// variable. libc and the C++ library do not mind. The mode is for programs in which nothing else has
// thread-local storage.
//
// While another thread runs, a thread's content is saved in its home: the thread's own block, as libc made
// it; for main, memory of the runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thrum {

class SharedBlock {
 public:
  constexpr SharedBlock() = default;

  // block: main's, with `storage` bytes of storage below it. number: the offset, in each block, of the
  // kernel's number of its thread. REQUIRES: main runs.
  void begin(std::uint64_t block, std::size_t storage, std::size_t number);
  void end() { block_ = owner_ = 0; }

  std::uint64_t block() const { return block_; }

  // From here on the thread with that own block runs.
  void give_to(std::uint64_t own_block);

  // The upper end of the present storage of the thread with that own block.
  char* home_of(std::uint64_t own_block);
  // The home of the running thread was written: loads it.
  void fetch_from_home();

  // Whether a thread-local variable of each thread lies at that address.
  bool holds(std::uint64_t address) const { return address - (block_ - storage_) < storage_; }

 private:
  // The upper end of the thread's storage in its home.
  char* block_at_home(std::uint64_t own_block);

  std::uint64_t block_ = 0;  // 0: each thread has its own
  std::uint64_t owner_ = 0;  // the own block of the thread that runs
  std::size_t storage_ = 0;
  std::size_t number_ = 0;
  std::vector<char> mains_;
};

}  // namespace thrum
