// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random programs with loops, from a seed: the same on every machine. Two or three threads over two cells and
// a lock; a thread is one to three idioms.
#pragma once

#include <cstdint>
#include <functional>

#include "oracle/waiting_code.hpp"

namespace thrum {

enum class WaitingFamily : std::uint8_t {
  reads,      // rounds that come to nothing only read
  transient,  // they may write in between
  kept,       // the same, and what rounds leave behind may decide what comes next
};

struct WaitingIdiom {
  enum class Kind : std::uint8_t {
    store,
    load,
    count,         // fetch-and-add, and a store where it reads 2
    wait,          // for a value
    wait_while,    // for another value
    wait_for_two,  // cells
    tas_section,
    cas_reload,  // a compare-exchange that is retried with what is loaded again
    cas_load,    // and with what the failed one has loaded
    read_twice,  // again and again, until both reads of a cell are equal
    transient_add,
    poll,      // under the lock
    try_poll,  // the same with a try-lock
    ttas_section,
    comes_back,     // waits, and counts rounds modulo four
    last,           // waits, and keeps what the last failed round read
    tries,          // gives up behind three failed rounds
    checks_inside,  // waits, and asserts what failed rounds read of the other cell
  };
  Kind kind = Kind::store;
  int cell = 0;
  int other_cell = 0;
  int value = 0;
  int other_value = 0;
  bool clears = false;  // what is dead at the loop's head
  bool keeps = false;   // what was read, behind the loop
  int checks = -1;      // an assertion behind it: that r3 is this; negative: none
};

struct WaitingIdioms {
  struct Thread {
    std::vector<WaitingIdiom> idioms;
    bool clears = false;  // r0 to r2 at its end
  };
  std::vector<Thread> threads;
};

WaitingIdioms random_waiting(std::uint64_t seed, WaitingFamily family);

WaitingCode assemble(const WaitingIdioms& idioms, std::string name);

// Without what is not needed for that it fails.
WaitingIdioms shrink_waiting(WaitingIdioms idioms, const std::function<bool(const WaitingIdioms&)>& fails);

}  // namespace thrum
