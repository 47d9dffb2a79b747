// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The director leads one execution along its plan: at each choice it says which option is taken, and writes
// the choice down. Every Program uses it, so that a plan means the same in all of them.
//
// A choice costs a comparison with the next departure where nothing is to be decided and nothing to be
// written down.
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

  // What follows begin() where the execution is gone on with in the middle: so many departures of the plan
  // were followed before, none of them new, and cost so much.
  void skip(std::size_t departures, std::uint32_t cost);

  // Departures of the plan that are ahead.
  std::size_t left() const { return static_cast<std::size_t>(end_ - next_); }
  // Whether nothing has happened that the plan has not seen before.
  bool is_before_branch() const { return next_ <= newest_; }
  // How many points came before the newest departure; kNever: it was not met.
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};
  std::uint32_t branch_point() const { return branch_point_; }
  // Whether any choice may have been met yet.
  bool was_asked() const { return asked_; }
  bool is_paused() const { return paused_; }

  // Whether the running thread, where it is enabled and has not yielded, goes on at this choice and nobody
  // has to know. Then choose() need not be called.
  bool quiet(ChoiceKey key) const { return silent_ && next_->key != key; }

  // Whether nobody has to know of this choice among threads if it has one option, and nobody yields there.
  // Then choose() need not be called.
  bool lets_pass(ChoiceKey key) {
    if (advisor_ || policy_ || fair_.active() || (next_ != end_ && next_->key == key)) return false;
    asked_ = asked_ || !paused_;
    return true;
  }

  static constexpr std::uint16_t kStop = 0xffff;

  // The option to take; a choice with one option is not written down. point needs key, running_enabled,
  // yielded, enabled and round; the rest is filled in here. kStop: the execution is to end at once, and why
  // stands in the trace. REQUIRES: options are not empty.
  std::uint16_t choose(const ChoicePoint& point, std::span<const Option> options, Pending& pending);

  // Between these two every choice is the base policy's, and none is a choice of the plan or of the strategy,
  // nor written down.
  void pause();
  void resume();

  // Ends the execution: one that finished with departures left over did not follow its plan.
  void finish();

  // Whether nothing is left to follow, to ask or to write down but choices and events yet to come.
  bool through() const {
    return next_ == end_ && from_ != Wanted::From::start && !advisor_ && !paused_ && !policy_needs_all_;
  }

  // Nothing, where the plan knows of no fairness.
  const FairScheduler* fair() const { return fairness_ == Fairness::off || paused_ ? nullptr : &fair_; }

  bool records_events() const {
    return wants_events_ &&
           (from_ == Wanted::From::start || (from_ == Wanted::From::new_departure && at_branch_));
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
  RunningPolicy* policy_ = nullptr;      // of this execution; nothing: base
  std::unique_ptr<RunningPolicy> made_;  // the last random policy, kept for its memory
  Policy::Kind made_kind_ = Policy::Kind::base;
  bool policy_needs_all_ = false;
  Base base_ = Base::nonpreemptive;
  Fairness fairness_ = Fairness::off;
  FairScheduler fair_;
  std::vector<Option> fair_options_;      // those of the choice at hand that fairness leaves
  std::vector<std::uint16_t> fair_from_;  // where they stood
  Wanted::From from_ = Wanted::From::last_departure;
  bool wants_events_ = false;
  bool wants_places_ = false;
  const Departure* held_ = nullptr;  // next_, while it is paused
  bool paused_ = false;
  bool silent_ = false;  // there is a departure ahead, and until then nothing to do
};

}  // namespace thrum
