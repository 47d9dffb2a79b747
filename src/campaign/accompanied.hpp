// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A search that one worker runs, while other workers run random executions.
//
// A search by unfolding keeps what it knows in one place, and what it learns of an execution takes about as
// long as the execution. So its work is not divided. What the others run finds bugs sooner, and such as the
// search does not cover: livelocks that change what is shared, leaks, states at the exit. It proves nothing,
// and ends with the search. It begins when the search has run some thousands of executions, so that short
// searches run the same with any number of workers.
//
// Tested by accompanied_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "search/strategy.hpp"

namespace thrum {

class Accompanied final : public Strategy, public Divisible, public Durable, public Reporting {
 public:
  static constexpr std::uint64_t kAlone = 6400;  // executions that the search runs before the others begin

  // name: of the search; it lives as long as the program. REQUIRES: the search is Durable.
  Accompanied(std::string_view name, std::unique_ptr<Strategy> search, std::uint64_t seed)
      : name_(name), own_(std::move(search)), seed_(seed) {}

  bool next(Plan& plan) override;
  Wanted wanted() const override { return own_->wanted(); }
  Advisor* advisor() override { return own_->advisor(); }
  void learn(const Plan& plan, const Trace& trace) override { own_->learn(plan, trace); }
  Divisible* divisible() override { return this; }
  Durable* durable() override { return this; }
  Reporting& reporting() override { return *this; }
  Guarantee guarantee() const override { return own_->guarantee(); }

  std::unique_ptr<Strategy> split() override;
  void merge(Strategy&) override {}
  bool needs_no_parts() const override { return is_over_; }
  bool divides_its_work() const override { return false; }
  void save(ByteWriter& out, const ThreadNames& names) const override;
  bool load(ByteReader& in, ThreadNames& names) override;
  bool is_small() const override { return samples(); }
  bool keeps_addresses() const override { return own_->durable()->keeps_addresses(); }

  std::string problem() const override { return own_->reporting().problem(); }
  bool repeats() const override { return own_->reporting().repeats(); }
  SearchStatistics statistics() const override { return own_->reporting().statistics(); }
  Progress progress() override;
  std::optional<double> estimate() const override { return own_->reporting().estimate(); }
  ForSuite for_suite() const override { return own_->reporting().for_suite(); }
  std::string_view member() const override;

 private:
  static constexpr std::uint32_t kSearches = 0xffffffff;  // a value of sample_

  // One that samples.
  Accompanied(std::string_view name, std::uint32_t sample, std::uint64_t seed);
  bool samples() const { return sample_ != kSearches; }

  std::string_view name_;
  std::unique_ptr<Strategy> own_;
  std::uint64_t seed_;
  std::uint32_t sample_ = kSearches;  // which of the random strategies it is
  std::uint64_t executions_ = 0;
  std::uint32_t given_ = 0;  // to other workers, so far
  bool is_over_ = false;
};

}  // namespace thrum
