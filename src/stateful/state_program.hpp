// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program under test whose states can be told apart and returned to, as a stateful search sees it: it
// stands at a choice, is told an option, and goes on to the next choice or to its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/bug.hpp"
#include "model/choice.hpp"
#include "model/trace.hpp"
#include "support/digest.hpp"

namespace thrum {

// Stands for a state: equal states have equal keys, and different ones different keys, but for the chance
// that digests are equal.
using StateKey = WideDigest;

// What is to be known of a step: whether a cycle of such steps is a livelock, and whether it may wait.
struct StateStep {
  // Its thread has completed a round of a loop that has no way out, or has said that it comes further.
  bool comes_further = false;
  // Its thread stood at a yield, or a sleep or timed wait has run out.
  bool yields = false;
  // It has changed what is no part of a state, or has made a choice.
  bool is_hidden = false;
  // It is of an operation that may have to wait, or ends its thread.
  bool may_block = false;

  void add(const StateStep& other) {
    comes_further |= other.comes_further;
    yields |= other.yields;
    is_hidden |= other.is_hidden;
  }
};

class StateProgram {
 public:
  // A moment to which undo() can return.
  using Mark = std::size_t;

  virtual ~StateProgram() = default;

  // Goes to the state before the first choice. No mark holds any longer.
  virtual void reset() = 0;

  // Whether the execution has ended here, in a deadlock or another failure, too.
  virtual bool is_over() const = 0;
  // How it ended, and what failed. REQUIRES: is_over()
  virtual End end() const = 0;
  virtual const Failure& failure() const = 0;

  // Where it stands, and how it can go on. Both hold until the next step or undo.
  // REQUIRES: !is_over()
  virtual const ChoicePoint& point() const = 0;
  virtual std::span<const Option> options() const = 0;
  // Goes on with an option of this point, up to the next choice or the end.
  virtual void step(Option option) = 0;

  // Of what step() did last.
  virtual StateStep traits() const = 0;

  // Last in, first out: undo() returns to the mark, any number of times, and later marks are gone.
  virtual Mark mark() = 0;
  virtual void undo(Mark mark) = 0;

  // Of all that can influence how it goes on, but for who ran last. REQUIRES: it has ended, or stands at a
  // choice among threads.
  virtual StateKey key() = 0;

  // Of each two threads that could both go on now, and are about to access the same bytes, where one of them
  // writes and one access is not atomic: a failure that names both accesses. REQUIRES: as key(), and
  // !is_over()
  virtual std::vector<Failure> races() = 0;

  // That threads go round for ever, and where each stands now.
  virtual Failure livelock() const = 0;
};

}  // namespace thrum
