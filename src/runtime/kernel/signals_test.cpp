// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernel/signals.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace thrum {
namespace {

constexpr int kRealTime = 40;

siginfo_t info_of(int signal, int value = 0) {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_value.sival_int = value;
  return info;
}

SignalAction with_handler() {
  SignalAction action;
  action.handler = [](int, siginfo_t*, void*) {};
  return action;
}

SignalAction ignoring() {
  SignalAction action;
  action.handler = reinterpret_cast<decltype(action.handler)>(reinterpret_cast<void*>(SIG_IGN));
  return action;
}

TEST(SignalQueue, StandardSignalsAreNotQueuedTwice) {
  SignalQueue queue;
  EXPECT_TRUE(queue.add(info_of(SIGUSR1, 1)));
  EXPECT_FALSE(queue.add(info_of(SIGUSR1, 2)));
  EXPECT_EQ(queue.take(SIGUSR1).si_value.sival_int, 1);
  EXPECT_EQ(queue.set(), 0u);
}

TEST(SignalQueue, RealTimeSignalsKeepTheirOrder) {
  SignalQueue queue;
  for (int value = 0; value < 3; ++value) EXPECT_TRUE(queue.add(info_of(kRealTime, value)));
  for (int value = 0; value < 3; ++value) {
    EXPECT_EQ(queue.set(), signal_bit(kRealTime));
    EXPECT_EQ(queue.take(kRealTime).si_value.sival_int, value);
  }
  EXPECT_EQ(queue.set(), 0u);
}

TEST(SignalQueue, KnowsTheTimerThatSent) {
  SignalQueue queue;
  siginfo_t info = info_of(kRealTime);
  info.si_code = SI_TIMER;
  info.si_timerid = 7;
  queue.add(info);
  EXPECT_TRUE(queue.holds_timer(7));
  EXPECT_FALSE(queue.holds_timer(8));
}

TEST(Signals, SomeAreNeverBlocked) {
  Signals signals;
  signals.block(0, ~SignalSet{0});
  for (int signal : {SIGKILL, SIGSTOP, kCancelSignal, 33})
    EXPECT_EQ(signals.blocked(0) & signal_bit(signal), 0u);
  EXPECT_NE(signals.blocked(0) & signal_bit(SIGUSR1), 0u);
  signals.block_all(1);
  EXPECT_EQ(~signals.blocked(1), 0u);
}

TEST(Signals, AThreadInheritsTheMaskAndNothingPending) {
  Signals signals;
  signals.block(0, signal_bit(SIGUSR1));
  signals.send_to_thread(0, info_of(SIGUSR1));
  signals.add_thread(1, 0);
  EXPECT_EQ(signals.blocked(1), signal_bit(SIGUSR1));
  EXPECT_EQ(signals.pending(1), 0u);
}

TEST(Signals, AProcessesSignalIsForWhoDoesNotBlockIt) {
  Signals signals;
  signals.set_action(SIGUSR1, with_handler());
  signals.block(0, signal_bit(SIGUSR1));
  signals.send_to_process(info_of(SIGUSR1));
  EXPECT_EQ(signals.deliverable(0), 0u);
  EXPECT_EQ(signals.deliverable(1), signal_bit(SIGUSR1));
  signals.take(1, signals.deliverable(1));
  EXPECT_FALSE(signals.any_pending());
}

TEST(Signals, TheLowestComesFirstTheOwnBeforeTheProcesses) {
  Signals signals;
  signals.send_to_thread(0, info_of(SIGTERM));
  signals.send_to_process(info_of(SIGUSR1, 1));
  signals.send_to_thread(0, info_of(SIGUSR1, 2));
  SignalSet all = ~SignalSet{0};
  EXPECT_EQ(signals.take(0, all).si_value.sival_int, 2);
  EXPECT_EQ(signals.take(0, all).si_value.sival_int, 1);
  EXPECT_EQ(signals.take(0, all).si_signo, SIGTERM);
  EXPECT_FALSE(signals.any_pending());
}

TEST(Signals, WhatIsIgnoredIsNoLongerPending) {
  Signals signals;
  signals.send_to_process(info_of(SIGUSR1));
  signals.send_to_thread(2, info_of(SIGUSR1));
  signals.set_action(SIGUSR1, ignoring());
  EXPECT_FALSE(signals.any_pending());
  EXPECT_TRUE(signals.ignored(SIGUSR1));
  EXPECT_TRUE(signals.ignored(SIGCHLD));
  signals.set_action(SIGCHLD, with_handler());
  EXPECT_FALSE(signals.ignored(SIGCHLD));
  signals.set_action(SIGCHLD, {});
  EXPECT_TRUE(signals.ignored(SIGCHLD));
}

TEST(Signals, AThreadTakesItsSignalsWithIt) {
  Signals signals;
  signals.send_to_thread(1, info_of(SIGUSR1));
  signals.send_to_thread(1, info_of(kRealTime));
  signals.send_to_process(info_of(SIGUSR2));
  signals.end_thread(1);
  EXPECT_EQ(signals.pending(1), signal_bit(SIGUSR2));
}

TEST(Signals, AreAsTheyWereAtTheSnapshot) {
  Signals signals;
  signals.block(0, signal_bit(SIGUSR1));
  signals.send_to_thread(0, info_of(SIGUSR1));
  signals.save();
  signals.take(0, ~SignalSet{0});
  signals.block(0, 0);
  signals.set_action(SIGTERM, with_handler());
  signals.send_to_process(info_of(SIGUSR2));
  signals.restore();
  EXPECT_EQ(signals.pending(0), signal_bit(SIGUSR1));
  EXPECT_EQ(signals.blocked(0), signal_bit(SIGUSR1));
  EXPECT_TRUE(signals.action(SIGTERM).is_default());
  EXPECT_TRUE(signals.any_pending());
}

// Compared with a naive version: a counter for each thread (or the process) and signal.
TEST(Signals, PendingIsWhatWasSentAndNotTaken) {
  std::mt19937 random(1);
  Signals signals;
  std::map<std::pair<int, int>, int> counts;  // (thread or -1, signal)
  for (int step = 0; step < 5000; ++step) {
    auto thread = static_cast<int>(random() % 4) - 1;
    int signal = random() % 2 == 0 ? SIGUSR1 : kRealTime;
    if (random() % 3 != 0) {
      if (thread < 0) {
        signals.send_to_process(info_of(signal));
      } else {
        signals.send_to_thread(static_cast<std::uint32_t>(thread), info_of(signal));
      }
      int& count = counts[{thread, signal}];
      count = signal == kRealTime ? count + 1 : 1;
    } else if (thread >= 0 &&
               (signals.pending(static_cast<std::uint32_t>(thread)) & signal_bit(signal)) != 0) {
      signals.take(static_cast<std::uint32_t>(thread), signal_bit(signal));
      int& own = counts[{thread, signal}];
      --(own > 0 ? own : counts[{-1, signal}]);
    }
    bool any = false;
    for (int i = 0; i < 3; ++i) {
      for (int s : {SIGUSR1, kRealTime}) {
        bool expected = counts[{i, s}] > 0 || counts[{-1, s}] > 0;
        any = any || expected;
        ASSERT_EQ((signals.pending(static_cast<std::uint32_t>(i)) & signal_bit(s)) != 0, expected);
      }
    }
    ASSERT_EQ(signals.any_pending(), any);
  }
}

TEST(DefaultAction, IsAsInThePage) {
  EXPECT_EQ(default_action(SIGTERM), DefaultAction::terminate);
  EXPECT_EQ(default_action(SIGALRM), DefaultAction::terminate);
  EXPECT_EQ(default_action(kRealTime), DefaultAction::terminate);
  EXPECT_EQ(default_action(SIGCHLD), DefaultAction::ignore);
  EXPECT_EQ(default_action(SIGTSTP), DefaultAction::stop);
}

}  // namespace
}  // namespace thrum
