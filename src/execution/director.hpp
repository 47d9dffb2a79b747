// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The director leads one execution along its plan: at each choice it says which option is taken, and records
// the choice. Every Program uses it, so that a plan means the same in all of them.
//
// If nothing has to be decided or recorded at a choice, it costs one comparison with the next departure.
//
// Thread safety: none.
#pragma once

#include <memory>
#include <span>

#include "execution/advisor.hpp"
#include "execution/fair_scheduler.hpp"
#include "execution/policy.hpp"
#include "model/plan.hpp"
#include "model/trace.hpp"

namespace thrum {

class Director {
 public:
  // Begins an execution. plan, trace and advisor must outlive it.
  void begin(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace);

  // Called after begin() if the execution begins at a waypoint. departures: of the plan, already followed,
  // none of them new. cost: so far.
  void skip(std::size_t departures, std::uint32_t cost);

  // Departures of the plan that were not met yet.
  std::size_t left() const { return static_cast<std::size_t>(end_ - next_); }
  // Whether the execution is recorded for a strategy that looks at the events behind a new departure.
  bool is_for_events() const { return wants_events_ && from_ == Wanted::From::new_departure; }
  // How an execution ends that cannot follow its plan any more.
  End unfollowed() const { return next_ < first_new_ ? End::diverged : End::stopped; }
  // Whether the execution has not passed the plan's newest departure.
  bool is_before_branch() const { return next_ <= newest_; }
  // The number of points before the newest departure; kNever: it was not met.
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};
  std::uint32_t branch_point() const { return branch_point_; }
  // Whether some choice may have been met.
  bool was_asked() const { return asked_; }
  bool is_paused() const { return paused_; }

  // Whether the running thread, if it is enabled and has not yielded, goes on at this choice and nobody needs
  // to know. Then choose() need not be called.
  bool quiet(ChoiceKey key) const { return silent_ && next_->key != key; }

  // Whether nobody needs to know of this choice among threads if it has one option and no thread yields. Then
  // choose() need not be called.
  bool lets_pass(ChoiceKey key) {
    if (advisor_ || policy_ || fair_.active() || (next_ != end_ && next_->key == key)) return false;
    asked_ = asked_ || !paused_;
    return true;
  }

  static constexpr std::uint16_t kStop = 0xffff;

  // The option to take. A choice with one option is not recorded. point needs key, running_enabled, yielded,
  // enabled and round; the rest is filled in here. kStop: the execution has to end at once; the trace says
  // why. REQUIRES: options are not empty.
  std::uint16_t choose(const ChoicePoint& point, std::span<const Option> options, Pending& pending);

  // Between pause() and resume() every choice follows the base policy. It is not recorded, and it is a choice
  // neither of the plan nor of the strategy.
  void pause();
  void resume();

  // Ends the execution. If it finished before all departures were met, it did not follow its plan.
  void finish();

  // Whether only later choices and events are left: nothing to follow, nobody to ask, nothing to record.
  bool through() const {
    return next_ == end_ && from_ != Wanted::From::start && !wants_past_ && !advisor_ && !paused_ &&
           !policy_needs_all_;
  }

  // nullptr if the plan has no fairness.
  const FairScheduler* fair() const { return fairness_ == Fairness::off || paused_ ? nullptr : &fair_; }

  bool records_events() const {
    return wants_events_ && (wants_past_ || from_ == Wanted::From::start ||
                             (from_ == Wanted::From::new_departure && at_branch_));
  }
  bool records_places() const { return wants_places_; }

 private:
  std::uint16_t choose_fairly(const ChoicePoint& point, std::span<const Option> options, Pending& pending);
  std::uint16_t choose_among(const ChoicePoint& point, std::span<const Option> options, Pending& pending);
  std::uint16_t decide(const ChoicePoint& point, std::span<const Option> options, std::uint16_t fallback,
                       Pending& pending);
  void advance();
  bool writes_down() const;
  void begin_policy(const Policy& policy);

  const Departure* first_new_ = nullptr;  // Wanted::known_departures
  const Departure* newest_ = nullptr;     // first_new_, or the last one
  std::uint32_t branch_point_ = kNever;
  bool asked_ = false;
  bool at_branch_ = false;  // the first new departure has been reached, or there is none
  const Departure* next_ = nullptr;
  const Departure* end_ = nullptr;
  Trace* trace_ = nullptr;
  Advisor* advisor_ = nullptr;
  RunningPolicy* policy_ = nullptr;      // of this execution; nullptr: base
  std::unique_ptr<RunningPolicy> made_;  // the last random policy, kept to reuse its memory
  Policy::Kind made_kind_ = Policy::Kind::base;
  bool policy_needs_all_ = false;
  Base base_ = Base::nonpreemptive;
  Fairness fairness_ = Fairness::off;
  FairScheduler fair_;
  std::vector<Option> fair_options_;      // the options of the present choice that fairness allows
  std::vector<std::uint16_t> fair_from_;  // their positions in the choice
  Wanted::From from_ = Wanted::From::last_departure;
  bool wants_events_ = false;
  bool wants_past_ = false;
  bool wants_places_ = false;
  const Departure* held_ = nullptr;  // next_, while it is paused
  bool paused_ = false;
  bool silent_ = false;  // a departure lies ahead, and nothing has to be done before it
};

}  // namespace thrum
