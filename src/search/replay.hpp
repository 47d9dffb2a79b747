// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replay: one given plan, once.
#pragma once

#include <utility>

#include "search/strategy.hpp"

namespace thrum {

class Replay final : public Strategy, public Durable {
 public:
  explicit Replay(Plan plan) : plan_(std::move(plan)) {}

  bool next(Plan& plan) override {
    plan = plan_;
    return !std::exchange(done_, true);
  }
  void learn(const Plan&, const Trace&) override {}
  Durable* durable() override { return this; }
  void save(ByteWriter& out, const ThreadNames& names) const override {
    out.put(done_);
    write_plan(out, plan_, names);
  }
  bool load(ByteReader& in, ThreadNames& names) override {
    done_ = in.get<bool>();
    plan_ = read_plan(in, names);
    return in.ok();
  }

 private:
  Plan plan_;
  bool done_ = false;
};

}  // namespace thrum
