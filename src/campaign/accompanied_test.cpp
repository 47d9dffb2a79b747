// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "campaign/accompanied.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "model/thread_names.hpp"
#include "support/bytes.hpp"

namespace thrum {
namespace {

// Gives a number of plans.
class FewPlans final : public Strategy, public Durable {
 public:
  explicit FewPlans(std::uint64_t plans) : left_(plans) {}

  bool next(Plan&) override { return left_ > 0 && left_-- > 0; }
  void learn(const Plan&, const Trace&) override {}
  Durable* durable() override { return this; }
  Guarantee guarantee() const override { return {.exhausted = left_ == 0, .bounds = {}, .chance = {}}; }
  void save(ByteWriter& out, const ThreadNames&) const override { out.put(left_); }
  bool load(ByteReader& in, ThreadNames&) override {
    left_ = in.get<std::uint64_t>();
    return in.ok();
  }

 private:
  std::uint64_t left_;
};

Accompanied counted(std::uint64_t plans) { return {"counted", std::make_unique<FewPlans>(plans), 1}; }

bool run(Strategy& strategy, std::uint64_t executions) {
  Plan plan;
  for (; executions > 0 && strategy.next(plan); --executions) strategy.learn(plan, {});
  return executions == 0;
}

TEST(Accompanied, OthersBeginInALongSearch) {
  Accompanied search = counted(2 * Accompanied::kAlone);
  EXPECT_TRUE(run(search, Accompanied::kAlone - 1));
  EXPECT_EQ(search.split(), nullptr);
  EXPECT_TRUE(run(search, 1));
  const std::unique_ptr<Strategy> first = search.split();
  const std::unique_ptr<Strategy> second = search.split();
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(search.member(), "counted");
  EXPECT_EQ(first->reporting().member(), "pos");
  EXPECT_EQ(second->reporting().member(), "surw");
  EXPECT_EQ(first->divisible()->split(), nullptr);
  EXPECT_EQ(first->reporting().progress().share, 0);
}

TEST(Accompanied, TheSearchEndsWithItsOwnGuarantee) {
  Accompanied search = counted(Accompanied::kAlone + 1);
  EXPECT_TRUE(run(search, Accompanied::kAlone));
  const std::unique_ptr<Strategy> sample = search.split();
  EXPECT_TRUE(run(*sample, 3 * Accompanied::kAlone)) << "it never ends by itself";
  EXPECT_FALSE(sample->guarantee().exhausted);
  EXPECT_FALSE(search.needs_no_parts());
  EXPECT_FALSE(run(search, 2));
  EXPECT_TRUE(search.needs_no_parts());
  search.merge(*sample);
  EXPECT_TRUE(search.guarantee().exhausted);
}

// Each draws what it would have drawn.
TEST(Accompanied, AreSavedAndLoaded) {
  Accompanied search = counted(3 * Accompanied::kAlone);
  EXPECT_TRUE(run(search, Accompanied::kAlone));
  std::unique_ptr<Strategy> sample = search.split();
  EXPECT_TRUE(run(*sample, 10));
  ThreadNames names;
  for (Strategy* one : {static_cast<Strategy*>(&search), sample.get()}) {
    ByteWriter out;
    one->durable()->save(out, names);
    Accompanied other = counted(0);
    ByteReader in(out.bytes());
    ASSERT_TRUE(other.load(in, names));
    EXPECT_EQ(other.member(), one->reporting().member());
    EXPECT_EQ(other.is_small(), one->durable()->is_small());
    Plan plan, again;
    ASSERT_TRUE(one->next(plan));
    ASSERT_TRUE(other.next(again));
    EXPECT_EQ(plan.policy.seed, again.policy.seed);
  }
}

}  // namespace
}  // namespace thrum
