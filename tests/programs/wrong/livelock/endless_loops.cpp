// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// args: --bound preemptions=1 --steps 2000
// Loops without an end: the cycle is found however few or many steps an execution may do.
// case flags: bug livelock            each raises its flag, and waits for the other's to fall
// case three: bug livelock            three threads in a ring do the same
// case after_a_while: bug livelock    the loops end only if one of the two is faster
#include "../../together.hpp"

static std::atomic<bool> wants[3];

static void compete(int me, int other) {
  for (;;) {
    wants[me] = true;
    while (wants[other]) {
    }
    wants[me] = false;
  }
}

static void run_flags() {
  together([] { compete(0, 1); }, [] { compete(1, 0); });
}
static void run_three() {
  together([] { compete(0, 1); }, [] { compete(1, 2); }, [] { compete(2, 0); });
}
static void run_after_a_while() {
  auto once = [](int me, int other) {
    wants[me] = true;
    while (wants[other]) {
    }
    wants[me] = false;
  };
  together([=] { once(0, 1); }, [=] { once(1, 0); });
}

MAIN(CASE(flags), CASE(three), CASE(after_a_while))
