// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "leaks/leak_marks.hpp"

#include <sys/syscall.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "support/digest.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

namespace {

constexpr std::size_t kNoBlock = ~std::size_t{0};
constexpr std::uint64_t kWord = sizeof(std::uint64_t);
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLarge = std::uint64_t{1} << 20;

// Whether a page is known to have no memory yet.
bool is_untouched(std::uint64_t page) {
  unsigned char is_resident = 1;
  const long error =
      raw_syscall(SYS_mincore, static_cast<long>(page), kPage, reinterpret_cast<long>(&is_resident));
  return error == 0 && (is_resident & 1) == 0;
}

}  // namespace

void LeakMarks::begin(std::vector<LiveBlock>&& blocks) {
  blocks_ = std::move(blocks);
  marks_.assign(blocks_.size(), Mark::none);
  to_scan_.clear();
}

// Marking.

std::size_t LeakMarks::index_of(std::uint64_t value) const {
  constexpr std::uint64_t kAddressBits = (std::uint64_t{1} << 48) - 1;
  value &= kAddressBits;
  if (blocks_.empty() || value < blocks_.front().begin) return kNoBlock;
  const auto after =
      std::upper_bound(blocks_.begin(), blocks_.end(), value,
                       [](std::uint64_t place, const LiveBlock& block) { return place < block.begin; });
  return (after - 1)->holds(value) ? static_cast<std::size_t>(after - 1 - blocks_.begin()) : kNoBlock;
}

// Calls found(index) for each pointer to a block.
template <typename Found>
void LeakMarks::scan(std::span<const char> bytes, Found found) const {
  const auto begin = reinterpret_cast<std::uint64_t>(bytes.data());
  const std::uint64_t end = begin + bytes.size();
  std::uint64_t place = (begin + kWord - 1) / kWord * kWord;
  while (place + kWord <= end) {
    const std::uint64_t page_end = (place / kPage + 1) * kPage;
    if (bytes.size() >= kLarge && is_untouched(page_end - kPage)) {
      place = page_end;
      continue;
    }
    for (; place < page_end && place + kWord <= end; place += kWord) {
      std::uint64_t value;
      std::memcpy(&value, reinterpret_cast<const void*>(place), sizeof value);
      if (const std::size_t index = index_of(value); index != kNoBlock) found(index);
    }
  }
}

std::span<const char> LeakMarks::bytes_of(std::size_t index) const {
  return {reinterpret_cast<const char*>(blocks_[index].begin), blocks_[index].size};
}

void LeakMarks::reach(std::size_t index) {
  if (marks_[index] != Mark::none) return;
  marks_[index] = Mark::reached;
  to_scan_.push_back(index);
}

void LeakMarks::mark(std::span<const char> bytes) {
  scan(bytes, [this](std::size_t index) { reach(index); });
}

void LeakMarks::mark_value(std::uint64_t value) {
  if (const std::size_t index = index_of(value); index != kNoBlock) reach(index);
}

void LeakMarks::mark(std::span<const IgnoredBlocks> ignored) {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const LiveBlock& block = blocks_[i];
    const bool is_ignored = std::any_of(ignored.begin(), ignored.end(), [&](const IgnoredBlocks& range) {
      return range.thread == block.thread && range.first <= block.number && block.number <= range.last;
    });
    if (is_ignored) reach(i);
  }
}

void LeakMarks::follow() { flood(Mark::reached); }

void LeakMarks::flood(Mark as) {
  while (!to_scan_.empty()) {
    const std::size_t next = to_scan_.back();
    to_scan_.pop_back();
    scan(bytes_of(next), [&](std::size_t index) {
      if (marks_[index] == Mark::reached || marks_[index] == as) return;
      marks_[index] = as;
      to_scan_.push_back(index);
    });
  }
}

// Finds the lost blocks that other lost blocks point to. In a cycle these are all but the first block.
void LeakMarks::find_owners() {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (marks_[i] == Mark::reached) continue;
    scan(bytes_of(i), [&](std::size_t index) {
      if (index != i && marks_[index] == Mark::none) marks_[index] = Mark::pointed_to;
    });
  }
  for (const Mark owner : {Mark::none, Mark::pointed_to}) {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (marks_[i] != owner) continue;
      to_scan_.push_back(i);
      flood(Mark::lost_with_another);
      marks_[i] = Mark::none;
    }
  }
}

// Results.

LeakMarks::Lost LeakMarks::lost() const {
  Lost lost;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (marks_[i] == Mark::reached) continue;
    ++lost.blocks;
    lost.bytes += blocks_[i].size;
  }
  return lost;
}

std::vector<LeakMarks::Group> LeakMarks::groups(const CodesOf& codes_of) {
  find_owners();
  std::vector<Group> groups;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (marks_[i] == Mark::reached) continue;
    const LiveBlock& block = blocks_[i];
    const bool with_another = marks_[i] == Mark::lost_with_another;
    std::vector<std::uint64_t> codes = codes_of(block);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& other) {
      return other.blocks.thread == block.thread && other.blocks.with_another == with_another &&
             other.codes == codes;
    });
    if (group == groups.end())
      group = groups.insert(group, {{block.thread, 0, 0, with_another, {}}, std::move(codes)});
    ++group->blocks.blocks;
    group->blocks.bytes += block.size;
  }
  std::stable_partition(groups.begin(), groups.end(),
                        [](const Group& group) { return !group.blocks.with_another; });
  return groups;
}

std::uint64_t LeakMarks::identity(const std::vector<Group>& groups) {
  const auto digest_of = [](const std::vector<std::uint64_t>& numbers) {
    Digest digest;
    digest.add(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::uint64_t));
    return digest.value();
  };
  std::vector<std::uint64_t> places;
  for (const Group& group : groups) {
    if (!group.blocks.with_another) places.push_back(digest_of(group.codes));
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return digest_of(places);
}

std::string lost_text(LeakMarks::Lost lost) {
  const bool is_one = lost.blocks == 1;
  return std::to_string(lost.blocks) + (is_one ? " block" : " blocks") + " of the heap (" +
         std::to_string(lost.bytes) + (lost.bytes == 1 ? " byte)" : " bytes)") + (is_one ? " is" : " are") +
         " lost: nothing points to " + (is_one ? "it" : "them") + " when the execution ends";
}

}  // namespace thrum
