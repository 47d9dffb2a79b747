// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/random.hpp"

namespace thrum {
namespace {

Plan random_plan(Random& random, ThreadNames& names) {
  auto thread = [&] {
    ThreadId id = kMainThread;
    for (auto depth = random.below(3); depth > 0; --depth) {
      id = names.child(id, static_cast<std::uint32_t>(1 + random.below(4)));
    }
    return id;
  };
  Plan plan;
  plan.policy = {static_cast<Policy::Kind>(random.below(5)), static_cast<Base>(random.below(2)),
                 random.next()};
  const PolicyRow& row = row_of(plan.policy.kind);
  for (const PolicyParameter& parameter : row.parameters)
    plan.policy.parameters.push_back(std::min(random.next(), parameter.max));
  for (auto n = row.has_counts ? random.below(4) : 0; n > 0; --n)
    plan.policy.counts.push_back({thread(), static_cast<std::uint32_t>(random.next())});
  for (auto n = random.below(3); n > 0; --n) {
    const auto bytes = 1 + random.below(12);
    plan.inputs.push_back({thread(), static_cast<std::uint32_t>(random.below(9)),
                           static_cast<std::uint32_t>(8 * bytes - random.below(8)),
                           std::string(bytes, static_cast<char>(random.below(256)))});
  }
  for (auto n = random.below(6); n > 0; --n) {
    Departure departure;
    departure.key = {thread(), static_cast<ChoiceKind>(random.below(3)),
                     static_cast<std::uint32_t>(random.below(100))};
    if (departure.key.kind == ChoiceKind::value) {
      departure.option.value = static_cast<std::uint16_t>(random.below(1000));
    } else {
      departure.option = {thread(), static_cast<Via>(random.below(2))};
    }
    plan.departures.push_back(departure);
  }
  return plan;
}

TEST(Plan, ReadsWhatWasWritten) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    ThreadNames names;
    Plan plan = random_plan(random, names);
    ByteWriter out;
    write_plan(out, plan, names);
    ByteReader in(out.bytes());
    EXPECT_EQ(read_plan(in, names), plan);
    EXPECT_TRUE(in.ok() && in.at_end());
  }
}

// Read with other ids, the plan is the same.
TEST(Plan, MeansTheSameToAnotherTableOfNames) {
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    ThreadNames names;
    Plan plan = random_plan(random, names);
    ByteWriter out;
    write_plan(out, plan, names);
    ThreadNames others;
    for (std::uint32_t ordinal : {4u, 2u, 3u}) others.child(others.child(kMainThread, ordinal), 1);
    ByteReader in(out.bytes());
    Plan read = read_plan(in, others);
    EXPECT_TRUE(in.ok());
    EXPECT_EQ(to_string(read, others), to_string(plan, names));
    ByteWriter again;
    write_plan(again, read, others);
    EXPECT_EQ(again.bytes(), out.bytes());
  }
}

TEST(Plan, PrintsOnOneLine) {
  ThreadNames names;
  ThreadId first = names.child(kMainThread, 1);
  ThreadId second = names.child(kMainThread, 2);
  Plan plan;
  EXPECT_EQ(to_string(plan, names), "base");
  plan.departures = {{{first, ChoiceKind::thread, 3}, {second, Via::run}},
                     {{second, ChoiceKind::thread, 5}, {first, Via::timeout}},
                     {{second, ChoiceKind::waiter, 6}, {first, Via::run}},
                     {{first, ChoiceKind::value, 4}, {7, Via::run}}};
  EXPECT_EQ(to_string(plan, names),
            "base; 0.1@3 thread=0.2; 0.2@5 timeout=0.1; 0.2@6 waiter=0.1; 0.1@4 value=7");
}

TEST(Plan, PrintsItsPolicy) {
  ThreadNames names;
  ThreadId first = names.child(kMainThread, 1);
  Plan plan;
  plan.policy = {.kind = Policy::Kind::pct, .seed = 7, .parameters = {3, 120}};
  EXPECT_EQ(to_string(plan, names), "pct seed 7 depth 3 steps 120");
  plan.policy = {.kind = Policy::Kind::pos, .seed = 7};
  EXPECT_EQ(to_string(plan, names), "pos seed 7");
  plan.policy = {
      .kind = Policy::Kind::surw, .seed = 7, .parameters = {64}, .counts = {{kMainThread, 2}, {first, 5}}};
  EXPECT_EQ(to_string(plan, names), "surw seed 7 object 64 0:2 0.1:5");
  plan.policy = {};
  plan.inputs = {{first, 0, 32, std::string("\x07\x01\0\0", 4)},
                 {kMainThread, 2, 128, std::string(16, '\0')}};
  EXPECT_EQ(to_string(plan, names), "base; 0.1 input 0=263; 0 input 2=128 bits");
}

// From any bytes comes a plan, or ok() is false; nothing worse. A plan can be written again.
TEST(Plan, SurvivesGarbage) {
  Random random(3);
  int accepted = 0;
  for (int i = 0; i < 5'000; ++i) {
    ThreadNames names;
    ByteWriter out;
    write_plan(out, random_plan(random, names), names);
    std::string bytes = out.take();
    if (random.below(2) == 0) bytes.resize(random.below(bytes.size()));
    for (auto n = random.below(4); n > 0 && !bytes.empty(); --n) {
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    }
    ByteReader in(bytes);
    Plan plan = read_plan(in, names);
    if (!in.ok()) continue;
    ++accepted;
    ByteWriter again;
    write_plan(again, plan, names);
    ByteReader second(again.bytes());
    EXPECT_EQ(read_plan(second, names), plan);
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace thrum
