// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "campaign/claims.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace thrum {
namespace {

Trace trace(End end, std::uint32_t cost) {
  Trace trace;
  trace.end = end;
  trace.cost = cost;
  return trace;
}

Guarantee whole(std::uint32_t completed) {
  Guarantee guarantee;
  guarantee.complete = guarantee.exhausted = true;
  guarantee.bounds = {{Base::nonpreemptive, std::nullopt, completed},
                      {Base::round_robin, std::nullopt, completed}};
  return guarantee;
}

TEST(Claims, RestOnWhatRanToItsEnd) {
  Claims claims;
  for (const End end : {End::finished, End::bug, End::stopped, End::yields})
    claims.take(Base::nonpreemptive, trace(end, 0));
  const Guarantee guarantee = claims.weigh(whole(4));
  EXPECT_TRUE(guarantee.complete);
  EXPECT_EQ(guarantee.bounds[0].completed, 4u);
  EXPECT_EQ(claims.passed, 4u);
  EXPECT_EQ(claims.beyond_yields, 1u);
  EXPECT_EQ(claims.cut(), 0u);
}

TEST(Claims, EachCutOpensTheBoundsFromItsCostOn) {
  for (const End end : {End::steps, End::memory, End::threads, End::refused, End::time, End::goes_round,
                        End::diverged, End::uncontrolled}) {
    Claims claims;
    claims.take(Base::nonpreemptive, trace(End::finished, 0));
    claims.take(Base::nonpreemptive, trace(end, 3));
    claims.take(Base::nonpreemptive, trace(end, 2));
    Guarantee guarantee = claims.weigh(whole(4));
    EXPECT_FALSE(guarantee.complete);
    EXPECT_FALSE(guarantee.exhausted);
    EXPECT_EQ(guarantee.bounds[0].completed, 1u);
    EXPECT_EQ(guarantee.bounds[1].completed, 4u) << "what it costs in delays is not known, and was run there";
    EXPECT_EQ(claims.weigh(whole(1)).bounds[0].completed, 1u);
    EXPECT_EQ(claims.cut(), 2u);
    claims.take(Base::nonpreemptive, trace(end, 0));
    EXPECT_FALSE(claims.weigh(whole(4)).bounds[0].completed);
    EXPECT_FALSE(claims.none_passed());
  }
}

TEST(Claims, WhatRestsOnACallThatIsNotUnderControlIsCutThere) {
  Claims claims;
  claims.take(Base::nonpreemptive, trace(End::finished, 0));
  Trace left = trace(End::finished, 2);
  left.counts.left_control = true;
  claims.take(Base::nonpreemptive, left);
  EXPECT_FALSE(claims.weigh(whole(4)).complete);
  EXPECT_EQ(claims.weigh(whole(4)).bounds[0].completed, 1u);
  EXPECT_EQ(claims.count(Cut::uncontrolled_call), 1u);
  left.end = End::refused;
  claims.take(Base::nonpreemptive, left);
  EXPECT_EQ(claims.count(Cut::uncontrolled_call), 1u);
  EXPECT_EQ(claims.count(Cut::refused_call), 1u);
}

TEST(Claims, AReductionWithACutHasCompletedNoBound) {
  Claims claims;
  claims.take(Base::nonpreemptive, trace(End::finished, 0));
  claims.take(Base::nonpreemptive, trace(End::steps, 3));
  Guarantee guarantee = whole(1);
  guarantee.bounds[0].covers = Covers::local_states;
  EXPECT_FALSE(claims.weigh(guarantee).bounds[0].completed);
}

TEST(Claims, OfWhatIsLostNothingIsKnown) {
  Claims claims;
  claims.lose(Cut::time);
  const Guarantee guarantee = claims.weigh(whole(4));
  EXPECT_FALSE(guarantee.complete);
  for (const Bound& bound : guarantee.bounds) EXPECT_FALSE(bound.completed);
  EXPECT_EQ(claims.count(Cut::time), 1u);
}

TEST(Claims, WhereNothingPassedTheAssumptionsNothingIsProved) {
  Claims claims;
  EXPECT_FALSE(claims.none_passed());
  claims.take(Base::nonpreemptive, trace(End::assumption, 1));
  EXPECT_TRUE(claims.none_passed());
  EXPECT_FALSE(claims.weigh(whole(4)).complete);
  EXPECT_FALSE(claims.weigh(whole(4)).bounds[1].completed);
  claims.take(Base::nonpreemptive, trace(End::finished, 0));
  EXPECT_TRUE(claims.weigh(whole(4)).complete) << "a false assumption weakens nothing";
  EXPECT_EQ(claims.assumed_away, 1u);
}

TEST(Claims, OfPartsAreThoseOfTheWhole) {
  Claims one;
  one.take(Base::nonpreemptive, trace(End::steps, 2));
  one.take(Base::nonpreemptive, trace(End::assumption, 2));
  Claims other;
  other.take(Base::nonpreemptive, trace(End::refused, 1));
  other.take(Base::round_robin, trace(End::memory, 3));
  one.merge(other);
  EXPECT_EQ(one.cut(), 3u);
  EXPECT_EQ(one.assumed_away, 1u);
  EXPECT_EQ(one.weigh(whole(4)).bounds[0].completed, 0u);
  EXPECT_EQ(one.weigh(whole(4)).bounds[1].completed, 2u);
}

TEST(Claims, CutsHaveNames) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < kCutCount; ++i) EXPECT_TRUE(names.insert(cut_name(static_cast<Cut>(i))).second);
}

}  // namespace
}  // namespace thrum
