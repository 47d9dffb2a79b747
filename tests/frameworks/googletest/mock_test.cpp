// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mocks that threads call.
#include <gmock/gmock.h>

#include "bank.hpp"

namespace {

class Sink {
 public:
  virtual ~Sink() = default;
  virtual int put(int value) = 0;
};

class MockSink : public Sink {
 public:
  MOCK_METHOD(int, put, (int value), (override));
};

using testing::_;
using testing::Return;

TEST(Mock, IsCalledByTwoThreads) {
  MockSink sink;
  EXPECT_CALL(sink, put(_)).Times(2).WillRepeatedly(Return(1));
  int sum = 0;
  std::mutex mutex;
  auto call = [&] {
    int answer = sink.put(3);
    std::lock_guard<std::mutex> guard(mutex);
    sum += answer;
  };
  together(call, call);
  EXPECT_EQ(sum, 2);
}

TEST(Mock, IsToldApart) {
  MockSink sink;
  EXPECT_CALL(sink, put(1)).WillOnce(Return(10));
  EXPECT_CALL(sink, put(2)).WillOnce(Return(20));
  together([&] { EXPECT_EQ(sink.put(1), 10); }, [&] { EXPECT_EQ(sink.put(2), 20); });
}

class Environment : public testing::Environment {
 public:
  void SetUp() override { account().add(1); }
  static Account& account() {
    static Account the_account(0);
    return the_account;
  }
};

const testing::Environment* const environment = testing::AddGlobalTestEnvironment(new Environment);

TEST(Environment, IsSetUpOnce) {
  together([] { Environment::account().add(1); });
  EXPECT_EQ(Environment::account().balance(), 2);
}

}  // namespace
