// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the classes of executions that a search has seen: two executions are of one class where they are the
// same but for the order of independent steps (partial_order.hpp).
//
// Only executions that ended of themselves have a class: those that finished, or in which nobody could go on.
// One that a bug or a limit cut off is a part of several.
//
// A class is kept as its fingerprint of 64 bits. Of n classes two have the same one, and count as one, with a
// chance of about n^2 / 2^65: 3 in a million for ten million classes.
//
// Tested by statistics_test.cpp and, against the oracle, classes_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/trace.hpp"
#include "order/number_set.hpp"
#include "order/partial_order.hpp"
#include "support/bytes.hpp"

namespace thrum {

class ClassCounter {
 public:
  // Beyond so many the search would pay more for counting than for anything else: 256 MB. Then the number is
  // not known.
  static constexpr std::size_t kClassesMax = std::size_t{1} << 24;
  // Where nobody asked for the number: 32 MB.
  static constexpr std::size_t kClassesMaxUnasked = std::size_t{1} << 21;

  explicit ClassCounter(std::size_t classes_max = kClassesMax) : classes_max_(classes_max) {}

  void limit(std::size_t classes_max) { classes_max_ = classes_max; }

  // Whether an execution ended of itself, and so has a class.
  static bool has_class(const Trace& trace);

  // Takes an execution with its events. Whether it is the first of its class.
  bool take(const Trace& trace);

  // The same for an execution that has a class, and whose partial order is known, in two steps: what settle()
  // looks at in a large set is on its way from memory behind expect(). settle() may come when nothing is
  // expected, and comes before the next execution, and before anything else is asked.
  void expect(const PartialOrder& order);
  bool settle();

  // Nothing: there are too many, some were forgotten, or steps that are held against every other hide what
  // they are.
  std::optional<std::uint64_t> count() const;

  // What it takes; it is written all over when others are taken.
  std::span<const std::uint64_t> memory() const { return fingerprints_.memory(); }

  // Takes over those of the other. How many of them were known.
  std::size_t merge(const ClassCounter& other);

  // Those to come cannot be compared with those that were taken: the number is not known from now on.
  void forget();

  // load() REQUIRES that nothing was taken.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  void read(const Trace& trace);
  std::size_t begin_like_the_last(const Trace& trace);

  std::size_t classes_max_;
  NumberSet fingerprints_;
  std::optional<std::uint64_t> expected_;
  bool unknown_ = false;
  PartialOrder order_;
  std::vector<Event> last_;  // the events in order_
  bool last_watched_ = false;
};

}  // namespace thrum
