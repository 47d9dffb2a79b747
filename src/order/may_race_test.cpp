// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/may_race.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

PendingOperation pending(ThreadId thread, Operation operation, std::uint64_t object = 0,
                         std::uint32_t size = 0) {
  return {thread, operation, true, size, object};
}

TEST(MayRace, GoesByTheTableOfDependence) {
  PendingOperation load = pending(1, Operation::load, 64, 4);
  PendingOperation store = pending(2, Operation::store, 66, 4);
  EXPECT_TRUE(may_race(load, store));
  EXPECT_TRUE(may_race(store, load));
  EXPECT_FALSE(may_race(load, pending(2, Operation::load, 64, 4)));
  EXPECT_FALSE(may_race(load, pending(2, Operation::store, 68, 4)));
  EXPECT_FALSE(may_race(load, pending(1, Operation::store, 64, 4))) << "of one thread";
  EXPECT_TRUE(may_race(pending(1, Operation::lock, 8), pending(2, Operation::lock, 8)));
  EXPECT_FALSE(may_race(pending(1, Operation::lock, 8), pending(2, Operation::lock, 16)));
  EXPECT_FALSE(may_race(pending(1, Operation::semaphore_post, 8), pending(2, Operation::semaphore_post, 8)));
  EXPECT_FALSE(may_race(pending(1, Operation::yield), pending(2, Operation::fence)));
  EXPECT_TRUE(may_race(pending(1, Operation::process_exit), pending(2, Operation::load, 8, 1)));
}

// If the operation accesses more than its object.
TEST(MayRace, SaysYesWhereItCannotTell) {
  EXPECT_TRUE(may_race(pending(1, Operation::wait_release, 8), pending(2, Operation::lock, 16)));
  EXPECT_TRUE(may_race(pending(2, Operation::unlock, 16), pending(1, Operation::wait_reacquire, 8)));
  EXPECT_TRUE(may_race(pending(1, Operation::cancel), pending(2, Operation::sleep)));
  EXPECT_TRUE(may_race(pending(1, Operation::signal_send, 8), pending(2, Operation::signal_handle)));
  EXPECT_FALSE(may_race(pending(1, Operation::wait_release, 8), pending(2, Operation::load, 16, 4)));
}

}  // namespace
}  // namespace thrum
