// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the classes of executions that a search has seen. Two executions are of one class if they differ
// only in the order of independent steps (partial_order.hpp).
//
// Only executions that ended by themselves have a class: they finished, or no thread was enabled. An
// execution that a bug or a limit ended early is the beginning of executions of several classes.
//
// A class is kept as its fingerprint of 64 bits. Two of n classes have the same fingerprint, and count as
// one, with a probability of about n^2 / 2^65: 3 in a million for ten million classes.
//
// A search that runs no class twice needs no fingerprints: its executions are its classes. It has them only
// up to the limit, in case another worker joins it.
//
// Tested by statistics_test.cpp and, against the oracle, classes_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/trace.hpp"
#include "order/partial_order.hpp"
#include "support/bytes.hpp"
#include "support/number_set.hpp"

namespace thrum {

class ClassCounter {
 public:
  // With more classes the search would spend more on counting than on anything else (256 MB). Then the number
  // is not known.
  static constexpr std::size_t kClassesMax = std::size_t{1} << 24;
  // The limit if nobody asked for the number: 2 MB.
  static constexpr std::size_t kClassesMaxUnasked = std::size_t{1} << 16;

  explicit ClassCounter(std::size_t classes_max = kClassesMax) : classes_max_(classes_max) {}

  void limit(std::size_t classes_max) { classes_max_ = classes_max; }

  // Whether an execution ended by itself, and so has a class.
  static bool has_class(const Trace& trace);

  // Takes an execution with its events. Returns whether it is the first of its class.
  bool take(const Trace& trace);

  // The same in two steps, for an execution that has a class and whose partial order is known. expect() makes
  // the processor fetch the memory that settle() needs. settle() may be called when nothing is expected. It
  // must be called before the next execution, and before any other function. none_twice: all executions that
  // were taken, and this one, are of different classes.
  void expect(const PartialOrder& order, bool none_twice = false);
  bool settle();

  // Nothing if there are too many classes that may come twice, if some were forgotten, or if steps that
  // depend on every step (by_chance) make the fingerprints finer than classes.
  std::optional<std::uint64_t> count() const;

  // The memory in use. Taking further executions writes all over it.
  std::span<const std::uint64_t> memory() const { return fingerprints_.memory(); }

  // Adds the other counter's classes. Returns how many of them were known. Nothing is known from then on
  // where one of the two has no fingerprints.
  std::size_t merge(const ClassCounter& other);

  // The classes of later executions alone are counted.
  void begin_again();

  // Later executions cannot be compared with earlier ones: from now on the number is not known.
  void forget();

  // load() REQUIRES: no execution was taken.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  void read(const Trace& trace);
  std::size_t begin_like_the_last(const Trace& trace);

  std::size_t classes_max_;
  NumberSet fingerprints_;
  std::optional<std::uint64_t> expected_;
  std::uint64_t without_ = 0;  // classes, once there are no fingerprints any more
  bool none_twice_ = false;    // of what is expected
  bool unknown_ = false;
  PartialOrder order_;
  std::vector<Event> last_;  // the events in order_
  bool last_watched_ = false;
};

}  // namespace thrum
