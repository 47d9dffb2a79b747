// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which words of memory are shared: several threads access them, and one of them writes, by what was seen in
// all executions so far.
//
// A stateful search makes a scheduling point of each access to such a word. An access to another word
// commutes with all that other threads do, and stays inside a step. What is learned late, the search has not
// explored: it begins again, until nothing more is learned.
//
// Threads are told apart by their slots: two threads of one slot are never alive at the same time, and where
// a schedule lets both live they have different ones.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "vm/heap_symmetry.hpp"

namespace thrum::vm {

class SharedWords {
 public:
  // Of blocks that may move, all of a kind count as one. nullptr: there are none.
  void set_symmetry(HeapSymmetry* symmetry) { symmetry_ = symmetry; }

  enum class Access : std::uint8_t { plain_read, plain_write, atomic_read, atomic_write };
  // The thread accesses these bytes. Whether they are shared, as far as that is in use.
  bool note(std::uint16_t slot, std::uint64_t address, std::uint64_t size, Access access) {
    bool are_shared = false;
    for (std::uint64_t word = address / 8; word <= (address + size - 1) / 8; ++word) {
      Use& use = uses_.try_emplace(word, slot).first->second;
      use.is_written = use.is_written || access == Access::plain_write || access == Access::atomic_write;
      use.is_plain = use.is_plain || access == Access::plain_read || access == Access::plain_write;
      use.has_several = use.has_several || use.slot != slot;
      if (use.has_several && use.is_written && use.is_plain) {
        if (!std::exchange(use.is_known, true)) learned_.push_back(word);
        note_kind(word);  // in each execution another block may lie there
      }
      are_shared = are_shared || use.is_shared || is_of_shared_kind(word);
    }
    return are_shared;
  }

  // A step must do the same each time. So what was learned is put to use when a search begins, and not
  // before.
  bool has_learned() const { return !learned_.empty() || !learned_kinds_.empty(); }
  void use_what_was_learned() {
    for (const std::uint64_t word : learned_) uses_.at(word).is_shared = true;
    learned_.clear();
    kinds_.insert(learned_kinds_.begin(), learned_kinds_.end());
    learned_kinds_.clear();
  }

 private:
  struct Use {
    explicit Use(std::uint16_t by) : slot(by) {}
    std::uint16_t slot;  // of the first user
    bool has_several = false;
    bool is_written = false;
    bool is_plain = false;   // some access is plain: the others are scheduling points in any case
    bool is_known = false;   // to be shared
    bool is_shared = false;  // and that is in use
  };

  bool is_in_moving_block(std::uint64_t word) const {
    return symmetry_ != nullptr && symmetry_->moves(word * 8);
  }
  void note_kind(std::uint64_t word) {
    if (!is_in_moving_block(word)) return;
    const std::uint64_t kind = symmetry_->kind_of_word(word * 8);
    if (!kinds_.contains(kind)) learned_kinds_.insert(kind);
  }
  bool is_of_shared_kind(std::uint64_t word) const {
    return is_in_moving_block(word) && kinds_.contains(symmetry_->kind_of_word(word * 8));
  }

  std::unordered_map<std::uint64_t, Use> uses_;  // by word: address / 8
  std::vector<std::uint64_t> learned_;
  HeapSymmetry* symmetry_ = nullptr;
  std::unordered_set<std::uint64_t> kinds_;
  std::unordered_set<std::uint64_t> learned_kinds_;
};

}  // namespace thrum::vm
