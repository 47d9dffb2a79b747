// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of plans of a search with reduction: which step a thread takes, and what the step is known or
// expected to do.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/event.hpp"
#include "model/plan.hpp"
#include "support/members.hpp"

namespace thrum {

// Which step a thread takes.
struct Step {
  Option option;              // the thread, and how it goes on
  std::uint32_t choices = 0;  // by InnerChoices

  friend bool operator==(const Step&, const Step&) = default;
};

// The choices (values, waiters) that a step made in its middle and that differ from the default, as one
// number: 0 without any. Lists are numbered in the order in which they are first seen.
//
// Example: a step asks for two values, and gets the default and then 7. It has a list of one departure.
class InnerChoices {
 public:
  using List = std::vector<Departure>;
  std::uint32_t number_of(const List& list);
  // REQUIRES: number_of() returned the number.
  const List& operator[](std::uint32_t number) const { return lists_[number]; }

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Less {
    bool operator()(const List& a, const List& b) const;
  };
  std::vector<List> lists_{{}};
  std::map<List, std::uint32_t, Less> numbers_;
};

// Whether a thread that goes on this way does so by chance. This may be possible only while some other thread
// is enabled, so it commutes with nothing.
inline bool is_by_chance(Via via) {
  return via == Via::timeout || via == Via::expiry || via == Via::spurious;
}

// How a thread went on that had no choice.
Via via_of(const Event& event);

// A step of another thread that does not commute with this one for a special reason; kNoThread: none.
struct Foe {
  ThreadId thread = kNoThread;
  bool any = false;         // there are more of them, so the step commutes with nothing
  std::uint32_t index = 0;  // as in Event

  void add(const Foe& other) {
    if (other.thread == kNoThread) return;
    any = any || other.any || (thread != kNoThread && (thread != other.thread || index != other.index));
    thread = other.thread;
    index = other.index;
  }
  friend bool operator==(const Foe&, const Foe&) = default;
};

// What is known of a planned step besides its event.
struct StepTraits {
  Step step;
  std::uint32_t events_after = 0;  // of the thread; not needed for the last step
  Foe foe = {};
  bool creates = false;      // it creates a thread whose memory depends on the order of creation
  bool alternative = false;  // inserted at the point where the step was run, with other choices in its middle
  bool awake = false;        // it is run with an empty sleep set, or is to be run so

  friend bool operator==(const StepTraits&, const StepTraits&) = default;
};

// A step of a sequence, and what the step is known or expected to do.
struct PlannedStep : StepTraits {
  Event event;

  PlannedStep() = default;
  PlannedStep(const Step& of, const Event& does, std::uint32_t after = 0)
      : StepTraits{of, after}, event(does) {}

  friend bool operator==(const PlannedStep&, const PlannedStep&) = default;
};

// A step of which only the thread is known. Its event depends on all others.
PlannedStep unknown_step(const Step& step);

// The same of an event that must outlive it. Many sequences are made of such views and never kept.
struct StepView : StepTraits {
  const Event* event;

  StepView(const StepTraits& traits, const Event& does) : StepTraits(traits), event(&does) {}
  StepView(const PlannedStep& planned)  // implicit: either may be asked after
      : StepTraits(planned), event(&planned.event) {}
  PlannedStep kept() const {
    PlannedStep planned(step, *event);
    static_cast<StepTraits&>(planned) = *this;
    return planned;
  }
};

// The part of an event by which commute() decides. Steps that do the same to other values have equal ones.
Event essential(const Event& event);

// Whether two steps of different threads must keep their order, whatever they do.
inline bool keep_their_order(const StepView& a, const StepView& b) {
  auto is_foe = [](const Foe& foe, const Event& event) {
    return foe.any || (foe.thread == event.thread && foe.index == event.index);
  };
  return is_foe(a.foe, *b.event) || is_foe(b.foe, *a.event) || (a.creates && b.creates) ||
         is_by_chance(a.step.option.via) || is_by_chance(b.step.option.via);
}

// Whether two neighbouring steps of different threads may be swapped.
inline bool commute(const StepView& a, const StepView& b) {
  return !keep_their_order(a, b) && !dependent(*a.event, *b.event);
}

// Planned steps by number. Equal steps share a number and are stored once.
class PlannedSteps {
 public:
  using Number = std::uint32_t;

  // The number of the step. It stays valid until the step was released as often as it was kept.
  Number keep(const StepView& step);
  void keep(Number number) { ++kept_[number].holders; }  // once more
  void release(Number number);

  // REQUIRES: the step is kept. The reference is valid until the next keep().
  const PlannedStep& operator[](Number number) const { return kept_[number].planned; }

  // The number of different steps that are kept.
  std::size_t size() const { return size_; }

  // Steps have the ids of their threads.
  void save(ByteWriter& out) const { save_members(out, std::tie(kept_, free_)); }
  void load(ByteReader& in);

 private:
  static constexpr Number kNone = 0xffffffff;
  struct Kept {
    PlannedStep planned;
    std::uint64_t hash = 0;
    std::uint32_t holders = 0;
    Number next = kNone;  // in the bucket; without holders, in the free list
  };
  Number& bucket(std::uint64_t hash) { return buckets_[hash & (buckets_.size() - 1)]; }
  void fill_buckets(std::size_t count);

  std::vector<Kept> kept_;
  std::vector<Number> buckets_;  // the first element of each bucket; their number is a power of two
  Number free_ = kNone;
  std::size_t size_ = 0;
};

}  // namespace thrum
