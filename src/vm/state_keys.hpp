// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys of the program's states: of all that can influence how an execution goes on, and of nothing else
// (docs/semantics.md, "States").
//
// Memory counts by the words that differ from those at the first choice; the undo log knows which were
// overwritten. A word counts as far as its bytes are in use, with what the shadow says of it. The sum of its
// words' hashes stands for the memory, so that the order of writes does not matter.
//
// Of threads count their frames, as far as registers are live, and their records. What only names or numbers
// something (events, blocks) does not; nor does the clock, as long as the program does not read it: then
// deadlines count by how far away they are.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <vector>

#include "stateful/state_program.hpp"
#include "vm/heap_symmetry.hpp"
#include "vm/machine.hpp"

namespace thrum::vm {

class StateKeys {
 public:
  explicit StateKeys(Machine& machine) : machine_(machine) {}

  // Whether it counts where blocks of the heap lie, from the next begin() on.
  void set_symmetric(bool is_symmetric) { is_symmetric_ = is_symmetric; }
  bool is_symmetric() const { return is_symmetric_; }
  HeapSymmetry& symmetry() { return symmetry_; }

  // An execution begins: states are told apart by what is overwritten from here on.
  void begin();
  // REQUIRES: the machine stands at a choice among threads, or the execution is over.
  StateKey key();

  // What stands for a thread; and its pointers to blocks that may move, in a fixed order.
  struct ThreadPart {
    WideDigest digest;
    std::vector<std::uint64_t> pointers;
  };

  // What was done up to a mark of the machine, to come back to together with it. It is set just before that.
  struct Moment {
    Mark seen;
    WideDigest sum;
    std::size_t replaced = 0;
    std::vector<ThreadPart> threads;
  };
  void mark(Moment& moment);
  void undo(const Moment& moment);

 private:
  // A word of the memory that was overwritten in some execution.
  struct Entry {
    std::uint64_t address = 0;  // 0: the entry is free
    // What it and its shadow held at the beginning, if they were overwritten.
    std::uint64_t data = 0;
    std::uint64_t shadow = 0;
    bool has_data = false;
    bool has_shadow = false;
    HeapSymmetry::Part part;  // of the key
  };
  struct Replaced {
    std::uint64_t address = 0;
    HeapSymmetry::Part part;
  };
  // What a word holds, as far as its bytes are in use, and what its shadow says.
  struct Word {
    std::uint64_t data = 0;
    std::uint64_t shadow = 0;
    friend bool operator==(const Word&, const Word&) = default;
  };

  static WideDigest hash_of(std::uint64_t address, const Word& word);
  bool is_summed(std::uint64_t address) const;
  Word word(std::uint64_t address, std::uint64_t data, std::uint64_t shadow) const;
  Entry& entry(std::uint64_t address);
  void grow();
  void catch_up();
  void look_at(Entry& one);
  HeapSymmetry::Part part_of(const Entry& one);
  void set_part(Entry& one, const HeapSymmetry::Part& part);
  void add_course();
  void add_thread(const Thread& thread);
  void add_times(const Thread& thread);
  void add(std::uint64_t number) { numbers_.push_back(number); }

  void take_out_pointers(std::vector<std::uint64_t>& pointers);

  Machine& machine_;
  bool is_symmetric_ = false;
  HeapSymmetry symmetry_{machine_.heap};
  Mark seen_;       // of the log
  WideDigest sum_;  // for the memory, up to there
  std::vector<Entry> entries_ = std::vector<Entry>(1024);
  std::size_t used_ = 0;
  std::vector<Replaced> replaced_;
  std::vector<std::uint64_t> written_;  // kept for its memory
  std::vector<ThreadPart> threads_;     // by slot
  std::vector<std::uint64_t> numbers_;  // of the state, or of a thread
  LoopStates::Registers registers_;
};

}  // namespace thrum::vm
