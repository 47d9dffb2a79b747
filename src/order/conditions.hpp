// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values enable an await (Await in model/trace.hpp). This is not foreseen but learned, from executions.
//
// Example: while (flag.load() == 0) {} has one condition, "before the load". The value 0 is refused: with it
// the thread comes back to the load and has done nothing. An execution has shown that 1 enables the load.
//
// The answers only grow, and hold for all executions of a program: a condition stands for the whole state on
// which they depend.
#pragma once

#include <cstdint>
#include <vector>

#include "model/trace.hpp"
#include "support/bytes.hpp"
#include "support/slots.hpp"

namespace thrum {

class Conditions {
 public:
  enum class Answer : std::uint8_t { unknown, refused, enabled };

  bool empty() const { return known_.empty(); }
  Answer ask(std::uint64_t condition, std::uint64_t value) const;
  // What is known of a value stays.
  void learn(std::uint64_t condition, std::uint64_t value, Answer answer);
  // Takes over what another search has learned.
  void merge(const Conditions& other);

  void save(ByteWriter& out) const { out.put_all(known_); }
  void load(ByteReader& in);

 private:
  struct Known {
    Refusal what;
    std::uint64_t answer;  // an Answer, without padding behind it
  };
  void add(const Known& known);

  std::vector<Known> known_;     // in the order in which they were learned
  Slots<std::uint32_t> places_;  // in known_, from 1
};

}  // namespace thrum
