// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A search whose parts may be merged before they are done.
//
// A reduced search merges only parts that are done (src/search/reduction). This class holds such a search
// together with those of its parts that came back unfinished. It goes on with such a part if it can do
// nothing else, or gives the part away again, whole. Finished parts are merged. A part may itself have parts,
// which other workers may hold when it comes back; they come back to the process that holds it then.
//
// Tested by tests/oracle/shared_search_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "search/strategy.hpp"

namespace thrum {

class Parts final : public Strategy, public Divisible, public Durable, public Reporting {
 public:
  using Make = std::function<std::unique_ptr<Strategy>()>;

  // The whole search, by the strategy of make(). The same for parts that are read from bytes. REQUIRES: the
  // strategy is Divisible and Durable.
  explicit Parts(Make make) : Parts(make, make(), 1, 0) {}

  bool next(Plan& plan) override;
  Wanted wanted() const override { return running().wanted(); }
  Advisor* advisor() override { return running().advisor(); }
  void learn(const Plan& plan, const Trace& trace) override;
  Divisible* divisible() override { return this; }
  Durable* durable() override { return this; }
  Reporting& reporting() override { return *this; }
  std::unique_ptr<Strategy> split() override;
  bool waits() const override { return waits_; }
  void merge(Strategy& other) override;
  void save(ByteWriter& out, const ThreadNames& names) const override;
  bool load(ByteReader& in, ThreadNames& names) override;
  bool is_small() const override;
  bool keeps_addresses() const override { return own_->durable()->keeps_addresses(); }
  Guarantee guarantee() const override { return own_->guarantee(); }
  std::string problem() const override { return own_->reporting().problem(); }
  bool repeats() const override { return running().reporting().repeats(); }
  SearchStatistics statistics() const override { return own_->reporting().statistics(); }
  Progress progress() override;
  std::optional<double> estimate() const override { return own_->reporting().estimate(); }
  const PartialOrder* last_order() const override { return running().reporting().last_order(); }
  bool has_run_none_twice() const override { return running().reporting().has_run_none_twice(); }

 private:
  Parts(Make make, std::unique_ptr<Strategy> own, std::uint64_t id, std::uint64_t owner)
      : make_(std::move(make)), own_(std::move(own)), id_(id), owner_(owner) {}

  Strategy& running() const { return running_ != nullptr ? static_cast<Strategy&>(*running_) : *own_; }
  bool next_of_parts(Plan& plan);
  bool is_whole() const;
  Parts* find(std::uint64_t id);

  Make make_;
  std::unique_ptr<Strategy> own_;
  std::uint64_t id_;
  std::uint64_t owner_;      // the search of which this is a part
  std::uint64_t split_ = 0;  // how often it was split
  std::uint32_t given_ = 0;  // parts that other workers hold
  bool is_over_ = false;     // nothing is left, here or in parts
  bool waits_ = false;
  std::vector<std::unique_ptr<Parts>> parts_;  // that came back unfinished
  Parts* running_ = nullptr;                   // the part that gave the last plan; nullptr: own_
};

}  // namespace thrum
