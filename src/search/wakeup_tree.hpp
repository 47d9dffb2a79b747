// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wakeup trees: what is still to be run from a point of an execution, as sequences of steps that share their
// beginnings (Abdulla, Aronsson, Jonsson, Sagonas: Source Sets, JACM 2017, section 6.1). A sequence is put in
// only where no sequence that is there already comes to the same, so that nothing is run twice.
//
// All trees of a search lie in one pool.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/choice.hpp"
#include "model/event.hpp"
#include "search/partial_order.hpp"

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
  PlannedStep kept() const { return {step, *event, events_after, foe, creates, alternative, anew}; }
  // The same, where it is to lie.
  void keep_in(PlannedStep& place) const {
    place.step = step;
    place.event = *event;
    place.events_after = events_after;
    place.foe = foe;
    place.creates = creates;
    place.alternative = alternative;
    place.anew = anew;
  }
};

inline bool is_foe(const StepView& a, const StepView& b) {
  return a.foe.any || (a.foe.thread == b.event->thread && a.foe.index == b.event->index);
}

// Whether two steps of different threads may be swapped where they stand side by side.
inline bool commute(const StepView& a, const StepView& b) {
  if (is_foe(a, b) || is_foe(b, a) || (a.creates && b.creates)) return false;
  return !is_by_chance(a.step.option.via) && !is_by_chance(b.step.option.via) &&
         !dependent(*a.event, *b.event);
}

// Steps of an execution that are to come in another order: some of it as they came, and one that is turned
// round with a step that is left out.
class Sequence {
 public:
  struct Item {
    StepView planned;
    PartialOrder::Index at;  // in the order; kNone: the reversed one
    bool needed;             // by the reversed one
  };

  // An empty one. order says what comes before what. It must outlive what is done here, and so must the
  // events of the steps.
  void begin(const PartialOrder& order) {
    order_ = &order;
    items_.clear();
  }

  bool empty() const { return items_.empty(); }

  // A step as it came, and whether the one that is turned round needs it.
  void add(const StepView& step, PartialOrder::Index at, bool needed) {
    items_.emplace_back(step, at, needed);
  }
  // The one that is turned round.
  void add_reversed(const StepView& step) { items_.emplace_back(step, PartialOrder::kNone, false); }

  // Where the thread's first step stands; kNone where it has none.
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t first_of(ThreadId thread) const;

  // Whether the step could come first (a weak initial; section 3.4): nothing before it in the sequence is
  // needed for it, or, where its thread has no step here, it is independent of all that is. at: as
  // first_of().
  bool may_begin_with(const StepView& step, std::size_t& at) const;

  const StepView& operator[](std::size_t i) const { return items_[i].planned; }
  std::span<const Item> items() const { return items_; }
  const PartialOrder& order() const { return *order_; }
  std::size_t size() const { return items_.size(); }
  void erase(std::size_t i) { items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(i)); }

 private:
  bool needs(const Item& early, const Item& late) const;

  const PartialOrder* order_ = nullptr;
  std::vector<Item> items_;
};

class WakeupTrees {
 public:
  using Node = std::uint32_t;
  static constexpr Node kNone = 0xffffffff;

  // The branches of a point, from the first to be run to the last.
  struct Branches {
    Node first = kNone;
    Node last = kNone;
    bool empty() const { return first == kNone; }
  };

  const PlannedStep& step(Node node) const { return planned_[node]; }
  Branches below(Node node) const { return nodes_[node].branches; }
  Node next(Node node) const { return nodes_[node].next; }

  // Puts the sequence in where nothing stands for it. It is used up. Whether anything was put in. behind:
  // nullptr, or a step that sleeps where the tree is run, and does not commute with the sequence; then what
  // merely commutes with it stands for nothing that goes on otherwise.
  bool insert(Branches& branches, Sequence& sequence, const StepView* behind = nullptr);

  // A branch of one step.
  void add_first(Branches& branches, const StepView& step);
  void add_last(Branches& branches, const StepView& step);

  // Whether a branch begins with that step.
  bool holds(const Branches& branches, const Step& step) const { return find(branches, step) != kNone; }
  // That branch, or kNone.
  Node find(const Branches& branches, const Step& step) const;

  // Takes the first branch off. The caller reads below(), then gives the node back.
  Node take_first(Branches& branches);
  void give_back(Node node);

  // Gives back all that is there.
  void clear(Branches& branches);

  // Moves branches of another pool into this one.
  Branches take_over(WakeupTrees& other, Branches& branches);

  // Gives back what comes to a step that was run from there before anything that it does not commute with.
  void drop_asleep(Branches& branches, const StepView& sleeper);

  std::size_t live() const { return live_; }

  // By the ids that threads have; to be read on the same machine.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  // What a walk through a tree looks at, apart from the rest.
  struct Entry {
    Step step;
    Branches branches;
    Node next = kNone;
  };
  Node make(const StepView& step);
  void append(Branches& branches, Node node);

  std::vector<Entry> nodes_;
  std::vector<PlannedStep> planned_;  // of each node
  Node free_ = kNone;
  std::size_t live_ = 0;
};

}  // namespace thrum
