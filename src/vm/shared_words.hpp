// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which words of memory several threads access, by what was seen in all executions so far.
//
// A stateful search makes a scheduling point of each access to such a word. An access to a word that only one
// thread uses commutes with all that others do, and stays inside a step. What is learned late, the search has
// not explored: it begins again, until nothing more is learned.
//
// Threads are told apart by their slots: two threads of one slot are never alive at the same time, and where
// a schedule lets both live they have different ones.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace thrum::vm {

class SharedWords {
 public:
  // The thread accesses these bytes. Whether others have accessed their words, too, as far as that is in use.
  bool note(std::uint16_t slot, std::uint64_t address, std::uint64_t size) {
    bool are_shared = false;
    for (std::uint64_t word = address / 8; word <= (address + size - 1) / 8; ++word) {
      const auto [known, is_new] = users_.try_emplace(word, slot);
      if (known->second != slot && known->second < kLearned) {
        known->second = kLearned;
        learned_.push_back(word);
      }
      are_shared = are_shared || known->second == kSeveral;
    }
    return are_shared;
  }

  // A step must do the same each time. So what was learned is put to use when a search begins, and not
  // before.
  bool has_learned() const { return !learned_.empty(); }
  void use_what_was_learned() {
    for (const std::uint64_t word : learned_) users_[word] = kSeveral;
    learned_.clear();
  }

 private:
  static constexpr std::uint16_t kSeveral = 0xffff, kLearned = 0xfffe;
  std::unordered_map<std::uint64_t, std::uint16_t> users_;  // by word (address / 8): a slot, or one of these
  std::vector<std::uint64_t> learned_;
};

}  // namespace thrum::vm
