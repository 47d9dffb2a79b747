// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arrivals of a thread at its visible instructions, and which of its rounds came to nothing.
//
// A round leads from an arrival to a later one with the same local state. It comes to nothing if nothing was
// written in it (it is pure), or if each byte that was written has, by the thread's own last write, the value
// from before its first write, and nobody saw the difference: between the two no other thread wrote the byte,
// or read it while the value was not the old one. What others do behind the last write does not matter: the
// order of that and of the round's end may be open, and a round has to be the same in all executions of a
// class.
#pragma once

#include <span>
#include <vector>

#include "oracle/waiting_machine.hpp"

namespace thrum {

// Mistakes that the tests have to find.
struct WaitingMutations {
  bool ignores_effects = false;  // every round comes to nothing
  bool ignores_seen = false;     // what others saw of a round does not matter
  bool sees_behind = false;      // what they write behind a round's last write counts as seen
};

class WaitingVisits {
 public:
  struct Visit {
    struct Write {
      std::uint64_t object = 0;
      std::uint8_t before = 0;  // the first one
      std::uint8_t last = 0;    // what the last one wrote
      bool is_overrun = false;  // another thread wrote behind the last one
      bool was_seen = false;
    };
    WaitingLocal local;
    std::vector<Write> writes;  // of its thread since then, an object each
  };
  enum class Round : std::uint8_t { none, pure, nil_effect };

  void clear() { visits_.clear(); }
  void arrive(const WaitingLocal& local);
  void note_own(const WaitingAccess& access);
  void note_of_other(const WaitingAccess& access);

  // Of the round that ends with an arrival now.
  Round round_to(const WaitingLocal& local, const WaitingMutations& mutations) const;

  // The arrivals since the last write, the present one included.
  std::span<const Visit> since_effect() const;
  // Whether one of them was in that local state.
  bool comes_back(const WaitingLocal& local) const;

 private:
  std::vector<Visit> visits_;
};

}  // namespace thrum
