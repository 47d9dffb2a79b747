// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SIGINT, SIGTERM and SIGHUP to this process, counted rather than obeyed; and the bell that workers ring.
#pragma once

#include <array>
#include <csignal>

namespace thrum {

// Counts the signals while it lives; those that were ignored stay ignored. One inside another goes on with
// the outer one's count.
class InterruptHandler {
 public:
  InterruptHandler();
  ~InterruptHandler();
  InterruptHandler(const InterruptHandler&) = delete;
  InterruptHandler& operator=(const InterruptHandler&) = delete;

 private:
  std::array<struct sigaction, 3> before_{};
};

// How many have arrived since the outermost handler was made.
int interrupt_count();

// While it lives, the bell (protocol/channel.hpp) is heard in waits with mask(), and only there.
class BellListener {
 public:
  BellListener();
  ~BellListener();
  BellListener(const BellListener&) = delete;
  BellListener& operator=(const BellListener&) = delete;

  // For ppoll().
  const sigset_t* mask() const { return &mask_before_; }

 private:
  sigset_t mask_before_{};
  struct sigaction before_ {};
};

}  // namespace thrum
