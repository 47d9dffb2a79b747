// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The path of a reduced search: the last execution as a stack of points. A point is the state before a step,
// and the step. It has the options that were there, the steps that sleep (its sleep set), and the branches
// that are still to be run from it (its wakeup tree).
//
// Example: threads 1 and 2 store to x. After the first execution the path has the points "before 1" and
// "before 2". The reversal of the race is a branch of the first point. The search cuts the path behind that
// point, takes the branch as its step, and reads the rest of the path from the next execution.
//
// Sleep sets (Godefroid). What sleeps at a point sleeps at the next one too, unless the step between the two
// depends on it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "order/partial_order.hpp"
#include "search/reduction/wakeup_tree.hpp"

namespace thrum {

class Path {
 public:
  using Index = PartialOrder::Index;  // of a point, and of its step in order()

  // A step that was run from a point, or from one before.
  struct Sleeper {
    PlannedStep planned;
    bool stops = false;  // the execution ended with the step, by a bug
    bool weak = false;   // it covers only sequences that contain it, as in Algorithm 1 (dpor_split.cpp)
  };

  static constexpr std::uint32_t kNoChoice = 0xffffffff;
  struct Point : StepTraits {  // of the step
    ChoiceKey key;
    bool by_default = false;           // the plan need not say it
    bool stops = false;                // the execution ended with the step, by a bug
    bool is_guess = false;             // whether it can be taken there was not known
    bool is_void = false;              // it could not be taken after all
    bool is_shared = false;            // a subtree was delegated there or below
    bool has_chances = false;          // some option is taken by something else than its thread's running
    std::uint32_t event = 0;           // its place in the last trace
    std::uint32_t choice = kNoChoice;  // that of the choice before it; kNoChoice: it had no alternative
    ChoicePoint made;                  // that choice
    std::uint32_t inner_begin = 0;     // the choices in its middle
    std::uint32_t inner_count = 0;
    std::uint32_t options_begin = 0;
    std::uint32_t options_count = 0;
    std::uint32_t sleepers_begin = 0;
    std::uint32_t sleepers_count = 0;
    std::uint32_t branches_run = 0;
    // What is to be run there besides. Of a delegate, at points that belong to another search: steps that
    // need not be reported.
    WakeupTrees::Branches branches;
  };

  Index size() const { return static_cast<Index>(points_.size()); }
  bool empty() const { return points_.empty(); }
  Point& operator[](Index depth) { return points_[depth]; }
  const Point& operator[](Index depth) const { return points_[depth]; }
  Point& back() { return points_.back(); }
  auto begin() { return points_.begin(); }
  auto end() { return points_.end(); }

  // May have more steps than the path: what threads would do next is appended for a moment.
  PartialOrder& order() { return order_; }
  const PartialOrder& order() const { return order_; }
  InnerChoices& choices() { return choices_; }
  const InnerChoices& choices() const { return choices_; }

  std::span<const Option> options(Index depth) const;
  bool is_option(Index depth, const Option& option) const;
  std::span<const Sleeper> sleepers(Index depth) const;
  std::span<Sleeper> sleepers(Index depth);
  bool sleeps(Index depth, const Step& step) const;
  // REQUIRES: the step was read, and not only planned
  StepView planned(Index depth) const {
    StepView view(points_[depth], order_.event(depth));
    view.alternative = view.awake = false;
    return view;
  }

  // A step falls asleep at the last point.
  Sleeper& add_sleeper();
  // Behind the branch a step sleeps only at the point whose step wakes it (race_flip.hpp).
  void keep_waking_sleepers(Index branch);
  // A subtree below the last point is delegated.
  void share();

  // The step of the last point is another one from now on; a further one follows.
  void plan_step(const PlannedStep& planned) { plan(points_.back(), planned); }
  Point& push_planned(const PlannedStep& planned);
  // The plan is complete.
  void end_plan() { planned_ = size(); }

  // Cuts off all points from that one on.
  void truncate(Index depth);
  // Cuts off the last one, of which nothing was read.
  void pop_back() { points_.pop_back(); }

  // How far an execution has been read: places in its trace, and steps.
  struct Reading {
    std::size_t event = 0;
    std::size_t choice = 0;
    Index depth = 0;
  };
  // Reads the next step of an execution, which is as the one before up to the step of the branch. False:
  // there is none left.
  bool read_next(const Trace& trace, Reading& reading, Index branch);
  // The last execution, which was read from the branch on, is to run and be read again.
  void unread(Index branch);
  // A point to be read, whose sleep set is asked for before.
  void push_unread();

  // All that a delegate keeps when it is done.
  void keep_points_only();

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.order_, self.points_, self.options_, self.sleepers_, self.choices_, self.planned_);
  }

 private:
  static void plan(Point& point, const PlannedStep& planned);
  static ChoiceKey first_key(const Trace& trace);
  void read_choices(const Trace& trace, Index depth, Index branch, std::size_t& choice, std::size_t at);
  void inherit_sleepers(Index depth);

  std::vector<Point> points_;
  PartialOrder order_;
  std::vector<Option> options_;    // of all points
  std::vector<Sleeper> sleepers_;  // of all points
  InnerChoices choices_;
  Index planned_ = 0;  // so many steps of the running execution were planned
};

// Whether the event creates a thread whose memory lies where the order of creation says.
inline bool creates_thread(const Event& event) {
  return event.operation == Operation::thread_create && event.object != 0;
}

}  // namespace thrum
