// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several strategies that take turns (GAMBIT, section 6: no single search finds all bugs first).
//
// Each turn is a number of executions, so that a search runs the same executions on every machine. The first
// turns are short; later ones double up to a limit. So bugs that one strategy finds at once are found soon,
// and a long search keeps its state between turns. A member that is done or has failed leaves its turns to
// the others. A member that has covered everything ends the search. An execution that a limit cut takes long,
// and counts as several, so that the other members get their turns soon.
//
// Once a member that covers everything is about to end, by its own estimate, what the others run is mostly in
// vain: its turns are longer then. Estimates are too high at first, so this costs the others their turns in
// searches that do not end, too. Therefore it begins when each has had two turns, in which most bugs are
// found, and ends when the member has run so many executions as it was to have ended with.
//
// A member that covers nearly all (a search by unfolding) takes turns only in searches that are long. When it
// is done, the search goes on if one that covers all is about to end, since that proves more. Else it ends
// with what the member has covered.
//
// One of those whose plans are dear (a search by constraint solving) begins sooner: where it is worth
// anything, it ends while the others have just begun. It has a twentieth of what all have run, and its
// planning counts as executions, at fixed rates (Effort). It has no turns while a member that covers all is
// to end sooner, both by their own estimates. When it is done, what proves more is waited for only if that
// takes no longer than the search has taken.
//
// Tested by portfolio_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "search/strategy.hpp"

namespace thrum {

class Portfolio final : public Strategy, public Divisible, public Durable, public Reporting {
 public:
  struct Member {
    std::string_view name;
    std::unique_ptr<Strategy> strategy;
    std::uint32_t share = 1;  // of the executions, relative to the others' shares
    // Whether the whole search is done when this member is: it covers all that was asked for.
    bool covers_all = false;
    // A member that keeps more nodes (SearchStatistics) is given up, unless it is the first.
    std::uint64_t nodes_max = ~std::uint64_t{0};
    // It covers nearly all (Covers::deadlocks_and_races). It begins when those that cover all have planned so
    // many executions together. It is not saved: where the search is loaded, it begins again.
    std::optional<std::uint64_t> nearly_all_after = std::nullopt;
    // It covers nearly all, and to plan costs it more than to run (Effort).
    bool is_dear = false;
    std::uint32_t parts = 0;       // parts of it that other workers hold
    std::uint64_t executions = 0;  // that it has planned
    bool ends_soon = false;        // it was to, when it had so many turns that it could tell
  };

  // REQUIRES: members is not empty, one member covers all, and all that are saved are Durable.
  explicit Portfolio(std::vector<Member> members);

  bool next(Plan& plan) override;
  Wanted wanted() const override { return running().wanted(); }
  Advisor* advisor() override { return running().advisor(); }
  void learn(const Plan& plan, const Trace& trace) override;
  void prepare_copy() override;
  void go_on_as_copy() override;

  Divisible* divisible() override { return this; }
  Durable* durable() override { return this; }
  Reporting& reporting() override { return *this; }

  // Splits one member: the last one, in the given order, that covers all, is never given up and can be split.
  std::unique_ptr<Strategy> split() override;
  bool waits() const override { return waits_; }
  bool needs_no_parts() const override { return is_covered_; }
  void merge(Strategy& other) override;
  bool is_small() const override;
  bool keeps_addresses() const override;
  void save(ByteWriter& out, const ThreadNames& names) const override;
  bool load(ByteReader& in, ThreadNames& names) override;

  // What the members together have covered.
  Guarantee guarantee() const override;
  std::string problem() const override { return problem_; }
  bool repeats() const override { return running().reporting().repeats(); }
  SearchStatistics statistics() const override;
  Progress progress() override;
  const PartialOrder* last_order() const override { return running().reporting().last_order(); }
  bool has_run_none_twice() const override { return running().reporting().has_run_none_twice(); }
  std::string_view member() const override { return members_[turn_].name; }

 private:
  static constexpr std::uint64_t kFirstTurn = 25;   // executions for each unit of share
  static constexpr std::uint64_t kLastTurn = 6400;  // the same
  static constexpr std::uint64_t kOfACut = 8;       // a cut execution counts as so many of its turn
  // Of a member that covers all, and is to end after at most so many executions: a turn, where each has had
  // those of the first units, is so many times as long.
  static constexpr std::uint64_t kSoon = std::uint64_t{1} << 19;
  static constexpr std::uint64_t kNearEnd = 16;
  static constexpr std::uint64_t kUnitBefore = 2 * kFirstTurn;
  // Such a part of all executions has a member whose plans are dear. It may have a turn after so many, or
  // such a part of all: what other members keep in order to run fast is lost by its turns.
  static constexpr std::uint64_t kOfDear = 20;
  static constexpr std::uint64_t kLook = 1000;
  static constexpr std::uint64_t kLooks = 16;

  Strategy& running() const { return *members_[turn_].strategy; }
  bool pass_on();
  std::uint64_t turn_of(Member& member) const;
  static bool ends_soon(Member& member);
  static std::optional<double> left_of(const Member& member);
  bool is_to_end_within(double executions) const;
  bool is_worth_a_turn(const Member& member) const;
  std::uint64_t executions() const;
  std::uint64_t owed_to(const Member& member) const;
  std::optional<std::size_t> dear_one() const;
  void look_aside();
  bool is_nearly_covered();
  static bool waits(const Member& member);
  bool all_wait() const;

  std::vector<Member> members_;
  std::size_t turn_ = 0;
  std::uint64_t unit_ = kFirstTurn;
  std::uint64_t left_ = 0;  // executions of this turn
  // The turn that goes on when a member whose plans are dear has had its own.
  struct Aside {
    std::size_t turn = 0;
    std::uint64_t left = 0;
  };
  std::optional<Aside> aside_;
  std::uint64_t until_look_ = kLook;  // executions
  bool waits_ = false;
  bool is_covered_ = false;  // a member has covered all
  std::string problem_;
};

}  // namespace thrum
