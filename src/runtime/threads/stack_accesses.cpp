// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/stack_accesses.hpp"

namespace thrum {

namespace {

constexpr std::uint64_t kBytes = 8;  // of a word

}  // namespace

bool StackAccesses::add(std::uint16_t slot, std::uint64_t code, std::uint64_t address, std::uint64_t size) {
  bool is_own = true;
  for (std::uint64_t word = address & ~(kBytes - 1); word < address + size; word += kBytes) {
    std::uint64_t& owner = owners_[word];
    if (owner == 0) {
      owner = std::uint64_t{slot} << kSlotAt | code;
      words_.push_back(word);
    }
    is_own = is_own && owner != kShared && owner >> kSlotAt == slot;
  }
  return is_own;
}

std::uint64_t StackAccesses::touch(std::uint16_t slot, std::uint64_t address, std::uint64_t size) {
  std::uint64_t code = 0;
  for (std::uint64_t word = address & ~(kBytes - 1); word < address + size; word += kBytes) {
    const std::uint64_t owner = owners_.get(word);
    if (owner == 0 || owner == kShared || owner >> kSlotAt == slot) continue;
    owners_[word] = kShared;
    code = owner & ((std::uint64_t{1} << kSlotAt) - 1);
  }
  return code;
}

void StackAccesses::write(ByteWriter& out) const {
  out.put(static_cast<std::uint32_t>(words_.size()));
  for (const std::uint64_t word : words_) {
    out.put(word);
    out.put(owners_.get(word));
  }
}

void StackAccesses::read(ByteReader& in) {
  for (std::uint32_t left = in.get_count(); left > 0 && in.ok(); --left) {
    const auto word = in.get<std::uint64_t>();
    const auto owner = in.get<std::uint64_t>();
    std::uint64_t& mine = owners_[word];
    if (mine == 0) words_.push_back(word);
    if (mine == 0 || owner == kShared) mine = owner;
  }
}

}  // namespace thrum
