// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/linearize.hpp"

#include <gtest/gtest.h>

#include <string>

namespace thrum {
namespace {

// A step is its thread's digit and its variable's letter: "1x 2y" stores to x, then y.
Trace trace_of(const std::string& steps, BugKind kind, ThreadId failed) {
  Trace trace;
  std::uint32_t indices[10] = {};
  for (std::size_t i = 0; i < steps.size(); i += 3) {
    Event event;
    event.thread = static_cast<ThreadId>(steps[i] - '0');
    event.index = indices[event.thread]++;
    event.operation = Operation::store;
    event.object = static_cast<std::uint64_t>(steps[i + 1]);
    event.size = 1;
    trace.events.push_back(event);
  }
  trace.end = End::bug;
  trace.failure.kind = kind;
  trace.failure.thread = failed;
  return trace;
}

std::string order_of(const std::string& steps, BugKind kind, ThreadId failed) {
  std::string text;
  for (const Event& event : cheapest_order(trace_of(steps, kind, failed)))
    text += std::to_string(event.thread);
  return text;
}

TEST(Linearize, IndependentStepsComeTogether) {
  std::string order = order_of("1x 2y 1x 2y 1x 2y", BugKind::deadlock, 0);
  EXPECT_TRUE(order == "111222" || order == "222111") << order;
}

TEST(Linearize, DependentStepsStayInTheirOrder) {
  EXPECT_EQ(order_of("1a 2b 1x 2x 1c 2d", BugKind::deadlock, 0), "111222");
  EXPECT_EQ(order_of("1a 2b 2x 1x 1c 2d", BugKind::deadlock, 0), "222111");
  EXPECT_EQ(order_of("1x 2x 1x 2x", BugKind::deadlock, 0), "1212");
}

TEST(Linearize, WhatAFailureDoesNotNeedIsLeftOut) {
  EXPECT_EQ(order_of("1x 3z 2x 3z 1a", BugKind::assertion, 2), "12");
  EXPECT_EQ(order_of("1x 3z 2x 3z 1a", BugKind::deadlock, 0).size(), 5u);
}

TEST(Linearize, WhatIsTooLongIsLeftAlone) {
  std::string steps;
  for (int i = 0; i < 200'000; ++i) steps += "1x ";
  EXPECT_EQ(order_of(steps, BugKind::deadlock, 0), "");
}

TEST(Linearize, NothingIsMadeOfNothing) { EXPECT_TRUE(cheapest_order({}).empty()); }

}  // namespace
}  // namespace thrum
