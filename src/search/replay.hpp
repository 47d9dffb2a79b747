// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replay: one given plan, once.
#pragma once

#include <utility>

#include "search/strategy.hpp"

namespace thrum {

class Replay final : public Strategy {
 public:
  explicit Replay(Plan plan) : plan_(std::move(plan)) {}

  bool next(Plan& plan) override {
    plan = plan_;
    return !std::exchange(done_, true);
  }
  Recording recording() const override { return Recording::fringe; }
  void learn(const Plan&, const Trace&) override {}
  std::unique_ptr<Strategy> split() override { return nullptr; }
  void merge(Strategy&) override {}
  void save(ByteWriter& out, const ThreadNames& names) const override {
    out.put(done_);
    write_plan(out, plan_, names);
  }
  bool load(ByteReader& in, ThreadNames& names) override {
    done_ = in.get<bool>();
    plan_ = read_plan(in, names);
    return in.ok();
  }
  Guarantee guarantee() const override { return {}; }

 private:
  Plan plan_;
  bool done_ = false;
};

}  // namespace thrum
