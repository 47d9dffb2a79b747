// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What events read and write, as locations, for classes by reads-from (reads_from.hpp).
//
// Memory of which all accesses touch the same bytes is a cell: loads read it, stores write it, the others do
// both, or only read where they failed or changed nothing. Everything else is an object whose operations all
// both read and write it, so that their order is part of the class: mutexes, condition variables, semaphores
// and so on; and memory whose accesses overlap in part. A load of such memory only reads, and so does
// a read of the clock. What belongs
// together, as a condition variable and its mutex do, is one object.
//
// That is coarse, and safe: what such an operation does, and whether it can be done, is a function of the
// operations before it on the object.
//
// Which locations are the same is learned from events, and never forgotten. Whoever has numbers of locations
// from before has to begin again (changes()).
//
// Tested by reads_from_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "model/event.hpp"
#include "model/trace.hpp"

namespace thrum {

class Locations {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;
  // The object of clock reads and sleeps. What a thread waits for with a deadline is one object with it: that
  // the time runs out sets the clock.
  static constexpr std::uint64_t kClock = 1;
  // That of atomic sections. What they access, but for plain accesses, is one object with it: a plain one is
  // ordered with all that it competes with, or a data race.
  static constexpr std::uint64_t kSections = 2;

  // Whether classes by reads-from are defined for the operation. Not so for what may depend on time, on a
  // signal or a cancel, or on everything at once.
  static bool handles(Operation operation);

  // The location of an event; kNone: it has none. Learns it.
  std::uint32_t learn(const Event& event);
  void learn(const RecordedAccess& access);
  // The location, as far as it is known.
  std::uint32_t find(const Event& event) const;

  // Whether all its operations but loads both read and write it.
  bool is_object(std::uint32_t location) const { return groups_[root(location)].is_object; }

  bool reads(const Event& event, std::uint32_t location) const;
  bool writes(const Event& event, std::uint32_t location) const;

  // How often a location became another than it was: it is part of another one, or became an object.
  std::uint64_t changes() const { return changes_; }

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.ranges_, self.groups_, self.changes_);
  }

 private:
  struct Range {
    std::uint64_t end = 0;
    std::uint32_t group = 0;

    template <typename Self>
    static auto members(Self& self) {
      return std::tie(self.end, self.group);
    }
  };
  struct Group {
    std::uint32_t parent = 0;
    bool is_object = false;
  };
  std::uint32_t learn(std::uint64_t begin, std::uint64_t end, bool is_object);
  std::uint32_t root(std::uint32_t group) const;
  void join(std::uint32_t a, std::uint32_t b);

  std::map<std::uint64_t, Range> ranges_;  // by where they begin; disjoint
  std::vector<Group> groups_;
  std::uint64_t changes_ = 0;
};

}  // namespace thrum
