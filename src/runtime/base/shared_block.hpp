// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread control block for all fibers: main's, where the FS base stays for ever (SwitchBy::exchange). A
// switch exchanges what is in it, in place of the FS base, which not every machine lets programs change: the
// thread-local storage below it, and the words by which libc tells threads apart.
//
// So a thread-local variable has one address in all threads, and no thread can point to another's. That is
// all the same to libc and the C++ library, and so this is for programs in which nothing else has
// thread-local storage.
//
// What is a thread's while another one runs is at its home: in the thread's own block, as libc made it; for
// main, in a place of ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thrum {

class SharedBlock {
 public:
  constexpr SharedBlock() = default;

  // block: main's, with `storage` bytes of storage below it. number: how far in each block the kernel's
  // number of its thread lies. REQUIRES: main runs.
  void begin(std::uint64_t block, std::size_t storage, std::size_t number);
  void end() { block_ = owner_ = 0; }

  std::uint64_t block() const { return block_; }

  // The thread whose own block that is runs from here on.
  void give_to(std::uint64_t own_block);

  // Where that thread's storage is that ends at its own block (upwards), as it is now.
  char* home_of(std::uint64_t own_block);
  // What the running thread has at home has been written.
  void fetch_from_home();

  // Whether each thread has a variable at that address.
  bool holds(std::uint64_t address) const { return address - (block_ - storage_) < storage_; }

 private:
  // The end of the storage at home, upwards.
  char* block_at_home(std::uint64_t own_block);

  std::uint64_t block_ = 0;  // 0: each thread has its own
  std::uint64_t owner_ = 0;  // the own block of the thread that runs
  std::size_t storage_ = 0;
  std::size_t number_ = 0;
  std::vector<char> mains_;
};

}  // namespace thrum
