// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The states of threads in loops: the live registers of all frames, and which words a thread has changed
// since an earlier moment. Both are exact: nothing is hashed.
//
// In the native engine this needs guesses about the compiled code, and a proof by one more round. Here it is
// known: which slots are live (liveness.hpp), and by the undo log each word that was overwritten.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "vm/heap.hpp"
#include "vm/liveness.hpp"
#include "vm/memory.hpp"
#include "vm/thread.hpp"

namespace thrum::vm {

class LoopStates {
 public:
  LoopStates(const Memory& memory, const Heap& heap) : memory_(memory), heap_(heap) {}

  // An execution begins. is_needed: threads may have to be compared in it.
  void begin(bool is_needed);
  // The thread runs from here on, until another one does.
  void note_run(const Thread& thread) {
    if (!is_needed_ || (!runs_.empty() && runs_.back().slot == thread.slot)) return;
    runs_.push_back({thread.slot, memory_.mark()});
  }
  // What is known of the execution, to come back to.
  struct Course;
  Course mark() const;
  void undo(const Course& course);

  // How often threads have taken turns.
  std::uint64_t switches() const { return runs_.size(); }

  // The registers of a thread that stands before an operation, as far as they are live, and where its frames
  // are.
  using Registers = std::vector<std::uint64_t>;
  // False: they are more than most.
  static constexpr std::size_t kRegistersMax = 1 << 13;
  bool take(const Thread& thread, Registers& registers, std::size_t most = kRegistersMax);
  bool are_those_of(const Thread& thread, const Registers& registers);

  struct Moment {
    Mark mark;
    std::size_t run = 0;  // in runs_
  };
  // REQUIRES: states are needed, and a thread runs.
  Moment now() const { return {memory_.mark(), runs_.empty() ? 0 : runs_.size() - 1}; }
  // Whether the thread has left another value in a word than the word had at that moment. What is not in use
  // any more does not count: its frames that are gone, blocks that were freed.
  bool has_changed_memory(const Thread& thread, const Moment& since);
  // Calls visit(address) for each word that the thread has written since the moment of the last such call,
  // which said no.
  template <typename Visit>
  void each_own_word(Visit visit) const {
    for (const Overwritten& word : overwritten_) {
      if (word.by_thread) visit(word.address);
    }
  }
  // Whether any word has another value than it had then, whoever has written it.
  bool has_any_changed_memory(Mark since);

 private:
  struct Run {
    std::uint16_t slot;
    Mark begin;
  };
  struct Overwritten {
    std::uint64_t address;
    std::uint64_t old;
    bool by_thread;
  };
  void add_live(const Thread& thread, const Frame& frame, Registers& registers);
  bool counts(std::uint64_t address) const;

  const Memory& memory_;
  const Heap& heap_;
  std::unordered_map<const Function*, std::unique_ptr<Liveness>> liveness_;
  bool is_needed_ = false;
  std::vector<Run> runs_;
  Registers taken_;  // these two are kept for their memory
  std::vector<Overwritten> overwritten_;
};

struct LoopStates::Course {
  std::vector<Run> runs;
};

inline LoopStates::Course LoopStates::mark() const { return {runs_}; }

inline void LoopStates::undo(const Course& course) { runs_ = course.runs; }

}  // namespace thrum::vm
