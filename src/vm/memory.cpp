// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/memory.hpp"

#include <sys/mman.h>

#include <cstring>
#include <string>

#include "vm/code.hpp"

namespace thrum::vm {

namespace {

constexpr std::uint64_t kLogBytes = std::uint64_t{1} << 38;  // reserved addresses
constexpr std::size_t kUnkept = 4096;                        // entries, while nothing is to be undone

void* reserve(std::uint64_t address, std::uint64_t size) {
  const int fixed = address != 0 ? MAP_FIXED_NOREPLACE : 0;
  void* got = mmap(reinterpret_cast<void*>(address), size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
  if (got == MAP_FAILED || (address != 0 && got != reinterpret_cast<void*>(address)))
    throw Refused{"the machine cannot reserve " + std::to_string(size >> 40) +
                  " terabytes of addresses; raise the limit of virtual memory (ulimit -v)"};
  return got;
}

}  // namespace

Memory::Memory() {
  reserve(kArena, kArenaSize);
  reserve(kArena + kShadowDistance, kArenaSize);
  // Where the heap is large, most time goes into finding its pages and those of its shadow.
  for (const std::uint64_t heap : {kHeap, kHeap + kShadowDistance})
    madvise(reinterpret_cast<void*>(heap), kHeapRegion, MADV_HUGEPAGE);
  log_ = static_cast<Entry*>(reserve(0, kLogBytes));
  next_ = log_;
  limit_ = log_ + kUnkept;
}

Memory::~Memory() {
  munmap(reinterpret_cast<void*>(kArena), kArenaSize);
  munmap(reinterpret_cast<void*>(kArena + kShadowDistance), kArenaSize);
  munmap(log_, kLogBytes);
}

void Memory::make_room() {
  if (!keeps_) {
    next_ = log_;
    return;
  }
  if (limit_ == log_ + kUnkept) {
    limit_ = log_ + kLogBytes / sizeof(Entry);
    return;
  }
  throw Refused{"an execution that writes more than the machine can undo"};
}

void Memory::undo(Mark mark) {
  Entry* const begin = log_ + mark.entries;
  while (next_ != begin) {
    --next_;
    if (!next_->is_range()) {
      at<std::uint64_t>(next_->address) = next_->old;
      continue;
    }
    const std::uint64_t first = next_->address - Entry::kRange, count = next_->old;
    next_ -= Entry::of_words(count);
    std::memcpy(&at<char>(first), next_, count * sizeof(std::uint64_t));
    --next_;
  }
}

void Memory::note(std::uint64_t begin, std::uint64_t size) {
  const std::uint64_t first = begin & ~std::uint64_t{7};
  const std::uint64_t count = size == 0 ? 0 : (begin + size - first + 7) / sizeof(std::uint64_t);
  if (count < Entry::kRangeMin) {
    for (std::uint64_t i = 0; i < count; ++i) note(first + i * sizeof(std::uint64_t));
    return;
  }
  if (!keeps_) return;
  const std::uint64_t room = Entry::of_words(count) + 2;
  while (static_cast<std::uint64_t>(limit_ - next_) <= room) make_room();
  const Entry ends{first + Entry::kRange, count};
  *next_++ = ends;
  std::memcpy(next_, &at<char>(first), count * sizeof(std::uint64_t));
  next_ += Entry::of_words(count);
  *next_++ = ends;
}

void Memory::copy(std::uint64_t to, const void* from, std::uint64_t size) {
  note(to, size);
  std::memmove(&at<char>(to), from, size);
}

void Memory::fill(std::uint64_t to, int value, std::uint64_t size) {
  note(to, size);
  std::memset(&at<char>(to), value, size);
}

void Memory::set_shadow(std::uint64_t begin, std::uint64_t size, std::uint8_t value) {
  fill(begin + kShadowDistance, value, size);
}

std::uint64_t Memory::first_unfit(std::uint64_t begin, std::uint64_t size, std::uint8_t needed,
                                  std::uint8_t forbidden) {
  const std::uint64_t end = begin + size;
  std::uint64_t place = begin;
  const auto words = repeated<std::uint64_t>(static_cast<std::uint8_t>(needed | forbidden));
  const auto good = repeated<std::uint64_t>(needed);
  while (place + 8 <= end && (shadow_at<std::uint64_t>(place) & words) == good) place += 8;
  while (place < end && (shadow_at<std::uint8_t>(place) & (needed | forbidden)) == needed) ++place;
  return place;
}

}  // namespace thrum::vm
