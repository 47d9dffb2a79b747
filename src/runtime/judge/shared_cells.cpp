// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/judge/shared_cells.hpp"

#include <algorithm>

#include "support/hash.hpp"

namespace thrum {

SharedCells::Block* SharedCells::find(std::uint64_t number) {
  if (last_.place != 0 && last_.number == number) return &blocks_[last_.place - 1];
  if (slots_.empty()) return nullptr;
  const std::size_t at = slots_.find(
      mixed(number, 0), [=](const Slot& slot) { return slot.place == 0 || slot.number == number; });
  if (slots_[at].place == 0) return nullptr;
  last_ = slots_[at];
  return &blocks_[last_.place - 1];
}

SharedCells::Block& SharedCells::find_or_add(std::uint64_t number) {
  if (Block* known = find(number)) return *known;
  const auto is_free = [](const Slot& slot) { return slot.place == 0; };
  slots_.make_room(blocks_.size() + 1, is_free, [](const Slot& slot) { return mixed(slot.number, 0); });
  blocks_.emplace_back();
  last_ = {number, static_cast<std::uint32_t>(blocks_.size())};
  slots_[slots_.find(mixed(number, 0), is_free)] = last_;
  return blocks_.back();
}

void SharedCells::save(ByteWriter& out) const {
  out.put(static_cast<std::uint32_t>(blocks_.size()));
  for (const Slot& slot : slots_.all()) {
    if (slot.place == 0) continue;
    out.put(slot.number);
    for (const Owner owner : blocks_[slot.place - 1]) out.put(owner);
    out.settle();
  }
}

void SharedCells::load(ByteReader& in) {
  for (std::uint32_t left = in.get_count(); left > 0 && in.ok(); --left) {
    const auto number = in.get<std::uint64_t>();
    Block& block = find_or_add(number);
    for (std::uint64_t i = 0; i < kBlockCells; ++i) add(block[i], in.get<Owner>(), number * kBlockCells + i);
  }
}

void SharedCells::add(Owner& owner, Owner other, std::uint64_t cell) {
  if (other == kNobody || other == owner || owner == kSeveral) return;
  const bool is_first = owner == kNobody && other != kSeveral;
  if (!is_first) shared_.push_back(cell);
  owner = is_first ? other : kSeveral;
}

bool SharedCells::touch(Owner& owner, ThreadId thread, std::uint64_t cell) {
  const auto me = static_cast<Owner>(thread + 1);
  if (owner == me) return me == kSeveral;
  if (owner == kNobody && me != kSeveral) {
    owner = me;
    return false;
  }
  if (owner != kSeveral) shared_.push_back(cell);
  owner = kSeveral;
  return true;
}

bool SharedCells::touch(ThreadId thread, std::uint64_t cell) {
  return touch(find_or_add(cell / kBlockCells)[cell % kBlockCells], thread, cell);
}

void SharedCells::touch_used(Block& block, std::uint64_t number, ThreadId thread, std::uint64_t first,
                             std::uint64_t last) {
  const std::uint64_t begin = std::max(first, number * kBlockCells);
  const std::uint64_t end = std::min(last, number * kBlockCells + kBlockCells - 1);
  for (std::uint64_t cell = begin; cell <= end; ++cell) {
    Owner& owner = block[cell % kBlockCells];
    if (owner != kNobody) touch(owner, thread, cell);
  }
}

void SharedCells::sort_shared() {
  if (sorted_ == shared_.size()) return;
  const auto fresh = shared_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  std::sort(fresh, shared_.end());
  std::inplace_merge(shared_.begin(), fresh, shared_.end());
  sorted_ = shared_.size();
}

void SharedCells::touch_used(ThreadId thread, std::uint64_t first, std::uint64_t last) {
  const std::uint64_t first_block = first / kBlockCells;
  const std::uint64_t last_block = last / kBlockCells;
  if (last_block - first_block < blocks_.size()) {
    for (std::uint64_t number = first_block; number <= last_block; ++number) {
      if (Block* block = find(number)) touch_used(*block, number, thread, first, last);
    }
    return;
  }
  for (const Slot& slot : slots_.all()) {
    if (slot.place != 0 && first_block <= slot.number && slot.number <= last_block)
      touch_used(blocks_[slot.place - 1], slot.number, thread, first, last);
  }
}

}  // namespace thrum
