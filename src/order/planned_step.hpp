// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of which a search with reduction makes its plans: which step a thread is to take, and what it is
// known or expected to do.
#pragma once

#include <cstdint>
#include <vector>

#include "model/choice.hpp"
#include "model/event.hpp"
#include "support/bytes.hpp"

namespace thrum {

// Which step a thread takes.
struct Step {
  Option option;              // the thread, and by what it goes on
  std::uint32_t choices = 0;  // what it chooses in the middle of the step; 0: the default

  friend bool operator==(const Step&, const Step&) = default;
};

// Whether what goes on so happens by chance. It may be possible only while some thread can go on, and so
// commutes with nothing.
inline bool is_by_chance(Via via) {
  return via == Via::timeout || via == Via::expiry || via == Via::spurious;
}

// By what a thread went on that had no choice.
Via via_of(const Event& event);

// A step of another thread that does not commute with this one for a reason of its own; kNoThread: there is
// none.
struct Foe {
  ThreadId thread = kNoThread;
  bool any = false;         // there are others, and so it commutes with nothing
  std::uint32_t index = 0;  // as in Event

  void add(const Foe& other) {
    if (other.thread == kNoThread) return;
    any = any || other.any || (thread != kNoThread && (thread != other.thread || index != other.index));
    thread = other.thread;
    index = other.index;
  }
  friend bool operator==(const Foe&, const Foe&) = default;
};

// A step of a sequence, and what it is known or expected to do.
struct PlannedStep {
  Step step;
  Event event;
  std::uint32_t events_after = 0;  // of the thread; not needed where nothing follows
  Foe foe = {};
  bool creates = false;      // a thread, whose memory lies where the order of creation says
  bool alternative = false;  // put down where it was run, with what it chose in its middle chosen otherwise
  bool anew = false;         // it is to be run with nothing asleep

  friend bool operator==(const PlannedStep&, const PlannedStep&) = default;
};

// A step of which only its thread is known. Such an event depends on all others.
PlannedStep unknown_step(const Step& step);

// A planned step whose event lies elsewhere, and must outlive it: sequences are made of many that nobody
// keeps.
struct StepView {
  Step step;
  const Event* event;
  std::uint32_t events_after = 0;
  Foe foe = {};
  bool creates = false;
  bool alternative = false;
  bool anew = false;

  StepView(const Step& of, const Event& does) : step(of), event(&does) {}
  StepView(const PlannedStep& planned)  // NOLINT(google-explicit-constructor): either may be asked after
      : step(planned.step),
        event(&planned.event),
        events_after(planned.events_after),
        foe(planned.foe),
        creates(planned.creates),
        alternative(planned.alternative),
        anew(planned.anew) {}
  // Writes it where it is to lie.
  void keep_in(PlannedStep& place) const {
    place.step = step;
    place.event = *event;
    place.events_after = events_after;
    place.foe = foe;
    place.creates = creates;
    place.alternative = alternative;
    place.anew = anew;
  }
  PlannedStep kept() const {
    PlannedStep planned;
    keep_in(planned);
    return planned;
  }
};

inline bool is_foe(const StepView& a, const StepView& b) {
  return a.foe.any || (a.foe.thread == b.event->thread && a.foe.index == b.event->index);
}

// Whether two steps of different threads are not to be swapped, whatever they do.
inline bool keep_their_order(const StepView& a, const StepView& b) {
  return is_foe(a, b) || is_foe(b, a) || (a.creates && b.creates) || is_by_chance(a.step.option.via) ||
         is_by_chance(b.step.option.via);
}

// Whether two steps of different threads may be swapped where they stand side by side.
inline bool commute(const StepView& a, const StepView& b) {
  return !keep_their_order(a, b) && !dependent(*a.event, *b.event);
}

// Planned steps by number, each kept once however many ask for it.
class PlannedSteps {
 public:
  using Number = std::uint32_t;

  // The number of that step, which is there until it was released as often as it was kept.
  Number keep(const StepView& step);
  void release(Number number);

  // REQUIRES: it is kept. The reference is good until the next keep().
  const PlannedStep& operator[](Number number) const { return kept_[number].planned; }

  // How many different ones are kept.
  std::size_t size() const { return size_; }

  // By the ids that threads have; to be read on the same machine.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  static constexpr Number kNone = 0xffffffff;
  struct Kept {
    PlannedStep planned;
    std::uint64_t hash = 0;
    std::uint32_t holders = 0;
    Number next = kNone;  // in the bucket; where there are no holders, that is free
  };
  Number& bucket(std::uint64_t hash) { return buckets_[hash & (buckets_.size() - 1)]; }
  void fill_buckets(std::size_t count);

  std::vector<Kept> kept_;
  std::vector<Number> buckets_;  // a power of two of them; the first of each
  Number free_ = kNone;
  std::size_t size_ = 0;
};

}  // namespace thrum
