// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an execution did, as far as data races go: all that a detector of races is told of it. The detector of
// the product and the one of the tests have nothing else in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "oracle/toy_code.hpp"

namespace thrum {

struct RaceStep {
  enum class What : std::uint8_t {
    plain_read,
    plain_write,
    load,
    store,
    read_modify_write,
    read_modify_nothing,  // that leaves the value as it was: it passes nothing on
    fence,
    acquire,       // of a synchronization object: learns what was released there
    release,       // only what this thread knows can be learned there from now on
    release_more,  // that, beside what was released there before
    create,
    join,
  };

  What what = What::plain_read;
  std::uint16_t thread = 0;
  std::uint64_t address = 0;  // create, join: the other thread
  std::uint32_t size = 0;     // of an access, in bytes
  Order order = Order::seq_cst;

  friend bool operator==(const RaceStep&, const RaceStep&) = default;
  bool is_access() const { return what <= What::read_modify_nothing; }
  bool is_plain() const { return what <= What::plain_write; }
  bool writes() const {
    return what == What::plain_write || what == What::store || what == What::read_modify_write ||
           what == What::read_modify_nothing;
  }
  bool touches(std::uint64_t byte) const { return is_access() && byte - address < size; }
};
using RaceTrace = std::vector<RaceStep>;

// A line for each step, for people.
std::string print(const RaceTrace& trace);

// A race of two accesses, by their places in the trace.
struct RacingPair {
  std::size_t earlier = 0;
  std::size_t later = 0;

  friend auto operator<=>(const RacingPair&, const RacingPair&) = default;
};

}  // namespace thrum
