// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/liveness.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace thrum::vm {
namespace {

using Slots = std::vector<Slot>;

void add(Function& function, Opcode opcode, Instruction instruction) {
  function.code.push_back(instruction);
  function.opcodes.push_back(opcode);
}

// slot 2 = 0; do { slot 3 = slot 0 + slot 2; slot 2 = slot 3 } while (slot 3 < slot 1); return slot 2
Function loop() {
  Function function;
  function.slots = 5;
  add(function, Opcode::constant, {.d = 2});
  add(function, Opcode::add, {.d = 3, .a = 0, .b = 2});
  add(function, Opcode::move, {.d = 2, .a = 3});
  add(function, Opcode::br_slt, {.a = 3, .b = 1, .immediate = 1});
  add(function, Opcode::ret1, {.a = 2});
  return function;
}

TEST(VmLiveness, FollowsLoopsAndIgnoresWhatIsOverwritten) {
  const Function function = loop();
  Liveness liveness(function);
  EXPECT_EQ(liveness.before(0), (Slots{0, 1}));
  EXPECT_EQ(liveness.before(1), (Slots{0, 1, 2}));
  EXPECT_EQ(liveness.before(2), (Slots{0, 1, 3}));
  EXPECT_EQ(liveness.before(3), (Slots{0, 1, 2, 3}));
  EXPECT_EQ(liveness.before(4), (Slots{2}));
}

// What a call returns is dead before it, unless an exception may leave it and the slot is read there.
TEST(VmLiveness, KnowsWhereExceptionsGo) {
  Function function;
  function.slots = 6;
  CallSite site;
  site.arguments = {0};
  site.result = 1;
  site.results = 1;
  site.landing_pad = 0;
  function.calls.push_back(site);
  LandingPad pad;
  pad.target = 2;
  pad.exception = 3;
  pad.selector = 4;
  function.pads.push_back(pad);
  add(function, Opcode::call, {.immediate = 0});
  add(function, Opcode::ret1, {.a = 1});
  add(function, Opcode::add, {.d = 3, .a = 3, .b = 5});
  add(function, Opcode::ret1, {.a = 3});
  Liveness liveness(function);
  EXPECT_EQ(liveness.before(0), (Slots{0, 5}));
  EXPECT_EQ(liveness.before(2), (Slots{3, 5}));
}

TEST(VmLiveness, KnowsWhatAtomicOperationsReadAndWrite) {
  Function function;
  function.slots = 6;
  AtomicSite exchange;
  exchange.operation = Operation::compare_exchange;
  exchange.size = 8;
  exchange.address = 0;
  exchange.value = 1;
  exchange.desired = 2;
  exchange.result = 3;
  AtomicSite load;
  load.size = 16;
  load.address = 0;
  load.result = 4;
  function.atomics = {exchange, load};
  add(function, Opcode::atomic, {.immediate = 0});
  add(function, Opcode::atomic, {.immediate = 1});
  add(function, Opcode::add, {.d = 4, .a = 4, .b = 5});
  add(function, Opcode::add, {.d = 4, .a = 4, .b = 3});
  add(function, Opcode::ret1, {.a = 4});
  Liveness liveness(function);
  EXPECT_EQ(liveness.before(1), (Slots{0, 3}));
  EXPECT_EQ(liveness.before(0), (Slots{0, 1, 2}));
}

// Every operation has its roles: what reads a slot makes it live.
TEST(VmLiveness, EachOperationReadsWhatItNames) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(Opcode::count); ++i) {
    const auto opcode = static_cast<Opcode>(i);
    const std::string_view text = opcode_text(opcode);
    const bool names_a = text.starts_with("d = a ") || text.starts_with("go to # if a ");
    if (!names_a) continue;
    Function function;
    function.slots = 4;
    add(function, opcode, {.d = 3, .a = 1, .b = 2, .immediate = 1});
    add(function, Opcode::ret, {});
    Liveness liveness(function);
    const Slots& live = liveness.before(0);
    EXPECT_NE(std::find(live.begin(), live.end(), Slot{1}), live.end()) << opcode_name(opcode);
  }
}

}  // namespace
}  // namespace thrum::vm
