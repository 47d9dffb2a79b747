// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verdict/waiting_loops.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

WaitingLoop loop(std::uint64_t offset, WaitingLoop::Kind kind, std::uint8_t differences = 0) {
  return {{Place::Space::module, 0, 0, offset}, kind, differences};
}

TEST(WaitingLoops, AreDescribed) {
  Report report;
  report.modules = {{"/no/such/program", true}};
  report.loops = {loop(1, WaitingLoop::Kind::await), loop(2, WaitingLoop::Kind::spin)};
  const std::vector<LoopResult> results = waiting_loops(report);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].kind, "await");
  EXPECT_EQ(results[1].kind, "spin");
}

TEST(WaitingLoops, SayWhatDiffers) {
  Report report;
  report.loops = {loop(1, WaitingLoop::Kind::differs, 1 | 4 | WaitingLoop::kStackDiffers)};
  EXPECT_EQ(waiting_loops(report).at(0).text, "its rounds differ in rbx, r12 and the stack");
  report.loops = {loop(1, WaitingLoop::Kind::differs, WaitingLoop::kArgumentsDiffer)};
  EXPECT_EQ(waiting_loops(report).at(0).text, "its rounds differ in the operation's arguments");
}

TEST(WaitingLoops, OfOneLineAreOne) {
  Report report;
  report.loops = {loop(1, WaitingLoop::Kind::merge), loop(2, WaitingLoop::Kind::merge)};
  EXPECT_EQ(waiting_loops(report).size(), 1u) << "neither has a known place";
}

}  // namespace
}  // namespace thrum
