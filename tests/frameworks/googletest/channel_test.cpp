// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters, types, state of a suite, tests that do not run. Wrong: Sizes/ChannelOf.LosesNone/2.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

#include "bank.hpp"

TEST(Channel, PassesOneValue) {
  Channel<int> channel;
  int received = 0;
  together([&] { channel.send(7); }, [&] { received = channel.receive().value_or(-1); });
  EXPECT_EQ(received, 7);
}

TEST(Channel, IsClosed) {
  Channel<int> channel;
  bool empty = false;
  together([&] { channel.close(); }, [&] { empty = !channel.receive(); });
  EXPECT_TRUE(empty);
}

TEST(Channel, KeepsTheOrder) {
  Channel<int> channel;
  together(
      [&] {
        channel.send(1);
        channel.send(2);
      },
      [&] {
        EXPECT_EQ(channel.receive(), 1);
        EXPECT_EQ(channel.receive(), 2);
      });
}

TEST(Channel, Skipped) { GTEST_SKIP() << "needs a network"; }

TEST(Channel, DISABLED_NotRun) { FAIL() << "a disabled test ran"; }

TEST(ChannelDeathTest, Aborts) { EXPECT_DEATH(std::abort(), ""); }

TEST(Channel, Records) {
  Channel<int> channel;
  RecordProperty("values", 1);
  together([&] { channel.send(1); }, [&] { RecordProperty("received", *channel.receive()); });
}

// As many senders as the parameter says; one of the values of a third is lost.
class ChannelOf : public testing::TestWithParam<int> {};

TEST_P(ChannelOf, LosesNone) {
  std::atomic<int> sent{0};
  auto send = [&] { sent.store(sent.load() + 1); };
  auto send_well = [&] { sent.fetch_add(1); };
  if (GetParam() == 1) together(send);
  if (GetParam() == 2) together(send_well, send_well);
  if (GetParam() == 3) together(send_well, send, send_well);
  EXPECT_EQ(sent.load(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Sizes, ChannelOf, testing::Values(1, 2, 3));

template <typename T>
class ChannelOfType : public testing::Test {};
using Types = testing::Types<int, std::string, std::uint64_t>;
TYPED_TEST_SUITE(ChannelOfType, Types);

TYPED_TEST(ChannelOfType, PassesAValue) {
  Channel<TypeParam> channel;
  together([&] { channel.send(TypeParam{}); }, [&] { EXPECT_EQ(channel.receive(), TypeParam{}); });
}

// A table that is made once for all tests of the suite, before the threads of any.
class WithTable : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    table_ = new std::map<int, int>;
    for (int i = 0; i < 20'000; ++i) table_->emplace(i, i * i);
  }
  static void TearDownTestSuite() { delete table_; }
  static int look_up(int key) { return table_ ? table_->at(key) : key * key; }
  static void look_up_together() {
    std::atomic<int> sum{0};
    auto look = [&] {
      sum.fetch_add(look_up(2));
      sum.fetch_add(look_up(3));
    };
    together(look, look, look);
    EXPECT_EQ(sum.load(), 39);
  }

  static std::map<int, int>* table_;
};
std::map<int, int>* WithTable::table_ = nullptr;

TEST_F(WithTable, IsRead) { look_up_together(); }

class WithoutTable : public WithTable {
 protected:
  static void SetUpTestSuite() {}
  static void TearDownTestSuite() {}
};

TEST_F(WithoutTable, IsReckoned) { look_up_together(); }
