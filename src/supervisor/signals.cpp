// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "supervisor/signals.hpp"

#include <atomic>

#include "protocol/channel.hpp"

namespace thrum {

namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
std::atomic<int> g_count = 0;

void count_signal(int) { ++g_count; }

}  // namespace

InterruptHandler::InterruptHandler() {
  struct sigaction action {};
  action.sa_handler = count_signal;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (i == 0 && before_[i].sa_handler != count_signal) g_count = 0;
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptHandler::~InterruptHandler() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

int interrupt_count() { return g_count; }

BellListener::BellListener() {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  sigaction(bell_signal(), &action, &before_);
  sigset_t bell;
  sigemptyset(&bell);
  sigaddset(&bell, bell_signal());
  sigprocmask(SIG_BLOCK, &bell, &mask_before_);
  sigdelset(&mask_before_, bell_signal());
}

BellListener::~BellListener() {
  sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  sigaction(bell_signal(), &before_, nullptr);
}

}  // namespace thrum
