// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/shared_block.hpp"

#include <cstring>

namespace thrum {

namespace {

// From the thread's number on: libc's robust mutexes, cleanup handlers and cancellation state of the thread.
constexpr std::size_t kNumberBytes = 64;
// Where a block holds its own address, by which libc, and so pthread_self(), identifies the running thread.
constexpr std::size_t kSelf = 2 * sizeof(std::uint64_t);

// Saves one row of bytes and loads another. size: a multiple of the part.
using Part [[gnu::vector_size(16), gnu::may_alias, gnu::aligned(1)]] = char;
void exchange(char* place, char* out, const char* in, std::size_t size) {
  for (std::size_t at = 0; at < size; at += sizeof(Part)) {
    auto& part = reinterpret_cast<Part&>(place[at]);
    reinterpret_cast<Part&>(out[at]) = part;
    part = reinterpret_cast<const Part&>(in[at]);
  }
}

char* pointer(std::uint64_t address) { return reinterpret_cast<char*>(address); }

}  // namespace

void SharedBlock::begin(std::uint64_t block, std::size_t storage, std::size_t number) {
  block_ = owner_ = block;
  storage_ = (storage + sizeof(Part) - 1) & ~(sizeof(Part) - 1);
  number_ = number;
  mains_.resize(storage_ + number + kNumberBytes);
}

char* SharedBlock::block_at_home(std::uint64_t own_block) {
  return own_block == block_ ? mains_.data() + storage_ : pointer(own_block);
}

void SharedBlock::give_to(std::uint64_t own_block) {
  if (own_block == owner_) return;
  char* block = pointer(block_);
  char* out = block_at_home(owner_);
  const char* in = block_at_home(own_block);
  exchange(block - storage_, out - storage_, in - storage_, storage_);
  exchange(block + number_, out + number_, in + number_, kNumberBytes);
  std::memcpy(block + kSelf, &own_block, sizeof own_block);
  owner_ = own_block;
}

char* SharedBlock::home_of(std::uint64_t own_block) {
  if (block_ == 0) return pointer(own_block);
  char* home = block_at_home(own_block);
  if (own_block == owner_) std::memcpy(home - storage_, pointer(block_) - storage_, storage_);
  return home;
}

void SharedBlock::fetch_from_home() {
  if (block_ != 0) std::memcpy(pointer(block_) - storage_, block_at_home(owner_) - storage_, storage_);
}

}  // namespace thrum
