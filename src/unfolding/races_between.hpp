// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data races, found in the prefix of an unfolding: two conditions of threads that some configuration holds at
// once, behind which the threads access one byte, one of them plainly, and one of them writes. There an
// execution can do the two accesses one right after the other.
//
// Races of accesses of which one lies in the other's past, where only relaxed operations order them, are not
// looked for here. Each execution that shows the later one has both, and the race detector finds them.
//
// Why it is needed: a search by unfolding shows each event of a thread in one execution, and not each pair of
// events of two threads.
//
// Tested by tests/oracle/unfolding_test.cpp.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "unfolding/footprint_sets.hpp"
#include "unfolding/prefix.hpp"

namespace thrum {

class RacesBetween {
 public:
  using Condition = Prefix::Condition;
  using Slot = Prefix::Slot;
  using Number = FootprintSets::Number;
  struct Pair {
    Condition first;
    Condition second;  // its thread's last event comes last
  };

  RacesBetween(Prefix& prefix, FootprintSets& footprints) : prefix_(prefix), footprints_(footprints) {}

  // behind: what a thread does behind its condition; all: that, and the event that led there. Finds the races
  // with what is known of other threads.
  void add(Condition condition, Number behind, Number all);
  bool has(Condition condition) const {
    return condition < known_.size() && known_[condition].all != kUnknown;
  }

  // A pair that was found, in one of the orders to be tried, and that no other one with the same two
  // footprints has shown to be a race. False: there is none.
  bool take(Pair& pair);
  // An execution has shown that the last pair taken is a race.
  void confirm();
  // An execution has not come to the last pair taken.
  void give_up() { is_in_doubt_ = true; }
  // That was so, or pairs were left out, of footprints of which many pairs have not been confirmed.
  bool has_given_up() const;

  // But for what it is about.
  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.known_, self.below_, self.partners_, self.partner_bits_, self.tries_, self.found_,
                    self.taken_, self.is_in_doubt_);
  }

 private:
  static constexpr Number kUnknown = 0xffffffff;
  static constexpr std::uint32_t kTriesMax = 64;  // pairs with the same two footprints
  struct Footprints {
    Number behind = kUnknown;
    Number all = kUnknown;
  };
  struct Found {
    Pair pair;
    std::uint64_t footprints;
  };
  struct Tries {
    std::uint32_t found = 0;
    bool is_confirmed = false;

    template <typename Self>
    static auto members(Self& self) {
      return std::tie(self.found, self.is_confirmed);
    }
  };
  void learn(Number footprint);
  void look_in(Slot thread, Condition own);
  bool conflict(Condition own, Condition other) const;
  void found(Condition own, Condition other);
  bool passes_round(const Pair& pair) const;
  bool excludes(Condition condition, Slot thread) const;
  static std::uint64_t bit_of(Number number) { return std::uint64_t{1} << number % 64; }

  Prefix& prefix_;
  FootprintSets& footprints_;
  std::vector<Footprints> known_;                   // by condition
  std::vector<std::uint64_t> below_;                // by condition: numbers there or below it, as bits
  std::vector<std::vector<Number>> partners_;       // by number: those that conflict with it
  std::vector<std::uint64_t> partner_bits_;         // the same as bits
  std::unordered_map<std::uint64_t, Tries> tries_;  // by two footprints
  std::vector<Found> found_;
  std::uint64_t taken_ = 0;  // footprints of the last pair taken
  std::vector<Condition> rest_;
  bool is_in_doubt_ = false;
};

}  // namespace thrum
