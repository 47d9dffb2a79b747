// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A search by the contextual unfolding (prefix.hpp): each execution shows an event that none has shown
// before, until all that any execution can show were shown. Then every state of each thread by itself was
// met, and so each failed assertion and crash; deadlocks and data races are states of several threads.
//
// Behind its target an execution goes on with threads whose next event is new, if there are such. So one
// execution shows many of them: independent conflicts are met side by side, and not one by one.
//
// Tested by tests/oracle/unfolding_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "order/locations.hpp"
#include "order/reads_from.hpp"
#include "search/strategy.hpp"
#include "unfolding/prefix.hpp"

namespace thrum {

class UnfoldingSearch final : public Strategy, public Reporting, private Advisor {
 public:
  struct Counts {
    std::uint64_t executions = 0;
    std::uint64_t vain = 0;        // that did not show their target: a step that has to wait there
    std::uint64_t lost = 0;        // that did not, and it never waits
    std::uint64_t unforeseen = 0;  // events that were no extension
    std::uint64_t restarts = 0;    // since a location was another than it was (Locations::changes)
  };

  bool next(Plan& plan) override;
  Wanted wanted() const override { return {Wanted::kChoices | Wanted::kEvents, Wanted::From::start, 0}; }
  Advisor* advisor() override { return this; }
  void learn(const Plan& plan, const Trace& trace) override;
  Reporting& reporting() override { return *this; }
  Guarantee guarantee() const override;
  std::string problem() const override;
  Progress progress() override;

  const Prefix& prefix() const { return prefix_; }
  const Counts& counts() const { return counts_; }

 private:
  using Condition = Prefix::Condition;
  static constexpr std::uint32_t kNone = Prefix::kNone;

  // What each slot holds; kNone: a condition that no execution has shown before.
  class Marking {
   public:
    Condition at(Prefix::Slot slot, const Prefix& prefix) const;
    void set(Prefix::Slot slot, Condition condition);
    void clear() { conditions_.clear(); }

   private:
    static constexpr std::uint32_t kInitial = 0xfffffffe;
    std::vector<Condition> conditions_;  // by slot
  };

  void begin() override;
  Advice at_point(const View& view) override;
  bool is_new(const PendingOperation& pending);
  void follow(const Event& event);

  void begin_again();
  void write(Plan& plan);
  Prefix::Slot slot_of_thread(ThreadId thread);
  Prefix::Slot slot_of(const Event& event);  // that it reads or consumes; kNone
  void learn_event(const Event& event, const ReadsFrom::Step* step);
  void learn_hidden(const Event& event);
  void learn_step(const Event& event, Prefix::Slot object, bool consumes, bool is_join,
                  std::span<const ReadsFrom::Choice> choices, std::uint32_t events_after);

  Locations locations_;
  std::uint64_t changes_ = 0;  // Locations::changes() when the search began
  Prefix prefix_;
  std::vector<Prefix::Slot> thread_slots_;    // by thread
  std::vector<Prefix::Slot> location_slots_;  // by location
  std::vector<Prefix::Event> targets_;
  Prefix::Event target_ = kNone;
  ReadsFrom run_;
  Marking marking_;
  Marking seen_;  // by the advisor
  std::size_t seen_events_ = 0;
  std::size_t seen_steps_ = 0;
  std::size_t planned_steps_ = 0;  // up to the target; the plan says nothing where a thread goes on
  Counts counts_;
  std::string not_covered_;
  bool begun_ = false;
  bool done_ = false;
};

}  // namespace thrum
