// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A toy program with loops that is led by a Director, as toy_program.hpp is one without. It shows what a
// runtime has to do so that rounds of waiting loops which come to nothing are not repeated (Rounds).
//
// block: a thread that comes back to where a round began, which came to nothing, does no more.
// await: so does one whose round wrote something in between. Of a round that only read, the last read waits:
// it is not enabled while it would read a value that leads back. Which values do so is learned: where a
// thread comes back, the local state that the read led to is put down, and the plan begins again.
//
// All threads are created by main before the first step.
//
// Thread safety: none.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "execution/director.hpp"
#include "execution/program.hpp"
#include "oracle/waiting_visits.hpp"

namespace thrum {

class WaitingProgram final : public Program, private Pending {
 public:
  explicit WaitingProgram(WaitingCode code, WaitingMutations mutations = {});
  WaitingProgram(const WaitingProgram&) = delete;
  WaitingProgram& operator=(const WaitingProgram&) = delete;

  void run(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) override;
  ThreadNames& names() override { return names_; }

  // From now on each plan is begun, broken off after some steps, and begun again, though nothing was learned.
  void begin_again() { begins_again_ = true; }

  // Of the last execution. If it was stuck, each thread stands where it is lowest in its circle.
  const WaitingState& final_state() const { return state_; }

  // Values for which a read was seen to come to nothing.
  std::size_t refusals() const { return known_refusals_.size(); }

 private:
  struct Thread {
    ThreadId id = kMainThread;
    std::uint32_t events = 0;
    bool is_blocked = false;  // its round came to nothing
    WaitingVisits visits;
  };
  // A read: its thread, the local state before it, and what it read.
  struct Read {
    std::size_t thread = 0;
    WaitingLocal local;
    std::uint8_t value = 0;
    friend auto operator<=>(const Read&, const Read&) = default;
  };

  bool attempt(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace, std::uint64_t steps);
  void reset();
  bool may_await(std::size_t number) const;
  const WaitingLocal* refused_to(std::size_t number) const;
  bool is_merged(std::size_t number) const;
  std::uint64_t condition(std::size_t number);
  bool enabled(std::size_t number) const;
  void note_refusals();
  std::optional<std::size_t> pick();
  bool step(std::size_t number);
  Event event_of(std::size_t number, const WaitingAccess& access) const;
  void note_creations();
  bool arrive(std::size_t number);
  struct Settled {
    bool any_passes = false;
    bool any_circles = false;
    bool any_moved = false;
  };
  void judge_rest();
  Settled settle_rest(WaitingState& rest) const;
  void report_stuck(bool circles);
  void fail(BugKind kind, const char* message);
  std::span<const PendingOperation> pending() override;
  std::uint64_t place(ThreadId thread) const override;

  WaitingCode code_;
  WaitingMutations mutations_;
  WaitingMachine machine_;
  ThreadNames names_;
  Director director_;
  Trace* trace_ = nullptr;
  bool begins_again_ = false;
  std::uint64_t attempts_ = 0;
  Rounds rounds_ = Rounds::repeat;
  WaitingState state_;
  std::vector<Thread> threads_;
  std::size_t running_ = 0;
  std::vector<Option> options_;
  std::vector<PendingOperation> pending_;
  std::set<Refusal> refusals_;  // of this plan

  // Learned, and kept for all plans.
  std::map<Read, std::optional<WaitingLocal>> next_;  // nothing: it wrote, or its thread ended
  std::unordered_map<std::string, std::uint64_t> conditions_;
  std::set<Refusal> known_refusals_;
};

}  // namespace thrum
