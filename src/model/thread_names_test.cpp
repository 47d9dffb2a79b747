// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/thread_names.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "support/random.hpp"

namespace thrum {
namespace {

TEST(ThreadNames, NamesByAncestry) {
  ThreadNames names;
  ThreadId second = names.child(kMainThread, 2);
  ThreadId nested = names.child(second, 1);
  EXPECT_EQ(names.name(kMainThread), "0");
  EXPECT_EQ(names.name(second), "0.2");
  EXPECT_EQ(names.name(nested), "0.2.1");
  EXPECT_EQ(names.child(kMainThread, 2), second);
  EXPECT_EQ(names.parse("0.2.1"), nested);
  EXPECT_EQ(names.size(), 3u);
}

// Component by component, numerically, parent first: 0, 0.1, 0.1.2, 0.2, 0.10.
TEST(ThreadNames, OrdersNumericallyAndParentFirst) {
  ThreadNames names;
  std::vector<std::string> expected = {"0", "0.1", "0.1.2", "0.2", "0.2.1", "0.2.1.1", "0.10"};
  std::vector<ThreadId> ids;
  for (const char* name : {"0.10", "0.2.1.1", "0.1.2", "0"}) names.parse(name);
  for (const std::string& name : expected) ids.push_back(names.parse(name).value());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    for (std::size_t j = 0; j < ids.size(); ++j) EXPECT_EQ(names.before(ids[i], ids[j]), i < j);
  }
}

// Against a map from paths, which std::vector orders as docs/semantics.md does.
TEST(ThreadNames, AgreesWithAMapFromPaths) {
  Random random(5);
  ThreadNames names;
  std::map<std::vector<std::uint32_t>, ThreadId> known = {{{}, kMainThread}};
  for (int i = 0; i < 300; ++i) {
    auto parent = std::next(known.begin(), static_cast<std::ptrdiff_t>(random.below(known.size())));
    std::vector<std::uint32_t> path = parent->first;
    path.push_back(static_cast<std::uint32_t>(1 + random.below(12)));
    ThreadId id = names.child(parent->second, path.back());
    auto [entry, added] = known.emplace(path, id);
    EXPECT_EQ(entry->second, id);
  }
  EXPECT_EQ(names.size(), known.size());
  std::vector<ThreadId> in_order;
  for (const auto& [path, id] : known) in_order.push_back(id);
  EXPECT_TRUE(std::is_sorted(in_order.begin(), in_order.end(),
                             [&](ThreadId a, ThreadId b) { return names.before(a, b); }));
  for (const auto& [path, id] : known) EXPECT_EQ(names.parse(names.name(id)), id);
}

TEST(ThreadNames, RefusesWhatIsNoName) {
  ThreadNames names;
  for (const char* text : {"", "1", "x", "0.", "0.0", "0.-1", "0.+1", "0. 1", "0.1.", "0.1x", "00", "0..1",
                           ".1", "0.01", "0.99999999999", "0.4000000"}) {
    EXPECT_FALSE(names.parse(text)) << text;
  }
}

// A trace file may hold anything: it is refused at once, and no ids are assigned.
TEST(ThreadNames, RefusesToGoDeeperThanAnyExecution) {
  ThreadNames names;
  std::string deep = "0";
  for (int i = 0; i < 5'000; ++i) deep += ".1";
  EXPECT_FALSE(names.parse(deep));
  EXPECT_FALSE(names.parse("0.1.2.x"));
  EXPECT_EQ(names.size(), 1u);
}

TEST(ThreadNames, SharesWhatIsKnown) {
  auto ids = std::make_unique<SharedThreadIds>();
  ThreadNames one;
  const ThreadId third = one.child(kMainThread, 3);
  ASSERT_TRUE(one.share(*ids));
  ThreadNames other;
  ASSERT_TRUE(other.share(*ids));
  EXPECT_EQ(other.name(third), "0.3");
  const ThreadId nested = other.child(third, 1);
  EXPECT_EQ(one.child(kMainThread, 1), nested + 1) << "what the other has named is known first";
  EXPECT_EQ(one.name(nested), "0.3.1");
  ThreadNames apart;
  apart.child(kMainThread, 7);
  EXPECT_FALSE(apart.share(*ids));
}

TEST(ThreadNames, GivesEachIdOnceWhereManyShareThem) {
  constexpr int kWorkers = 4;
  constexpr int kNames = 400;
  auto ids = std::make_unique<SharedThreadIds>();
  std::vector<ThreadNames> names(kWorkers);
  std::vector<std::thread> workers;
  for (int i = 0; i < kWorkers; ++i) {
    workers.emplace_back([&, i] {
      ThreadNames& mine = names[static_cast<std::size_t>(i)];
      Random random(static_cast<std::uint64_t>(i) + 1);
      EXPECT_TRUE(mine.share(*ids));
      for (int n = 0; n < kNames; ++n)
        mine.child(static_cast<ThreadId>(random.below(mine.size())),
                   1 + static_cast<std::uint32_t>(random.below(3)));
    });
  }
  for (std::thread& worker : workers) worker.join();
  for (ThreadNames& one : names) EXPECT_TRUE(one.share(*ids));
  std::set<std::string> all;
  for (std::size_t id = 0; id < names[0].size(); ++id) {
    const std::string name = names[0].name(static_cast<ThreadId>(id));
    EXPECT_TRUE(all.insert(name).second) << name << " twice";
    for (ThreadNames& one : names) EXPECT_EQ(one.name(static_cast<ThreadId>(id)), name);
  }
  EXPECT_GT(all.size(), static_cast<std::size_t>(kNames));
}

}  // namespace
}  // namespace thrum
