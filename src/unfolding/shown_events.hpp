// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps what a picture of an unfolding needs: the first events that executions have shown, with the names of
// their objects. Whatever their number, they are a prefix of the unfolding: what comes before an event was
// shown before it.
//
// Tested by shown_events_test.cpp.
#pragma once

#include <unordered_map>
#include <vector>

#include "model/shown_unfolding.hpp"
#include "unfolding/prefix.hpp"

namespace thrum {

class ShownEvents {
 public:
  // most: 0: none are kept.
  explicit ShownEvents(std::size_t most) : most_(most) {}

  bool is_on() const { return most_ != 0; }
  // Whether the next event is kept. Then its execution has to be recorded with places.
  bool takes_more() const { return shown_.links.size() < most_; }

  // An execution has shown the prefix's event for the first time: as that event of its trace.
  void add(const Prefix& prefix, Prefix::Event number, const Trace& trace, std::size_t at);
  // The search begins again.
  void clear();

  ShownUnfolding describe(const Prefix& prefix) const;

 private:
  std::uint32_t place_of(const Prefix& prefix, Prefix::Condition condition) const;
  void link(const Prefix& prefix, Prefix::Event number);
  Place keep(Place place, const Details& from);

  std::size_t most_;
  ShownUnfolding shown_;
  std::vector<Prefix::Event> numbers_;                       // of the events that are kept
  std::unordered_map<Prefix::Event, std::uint32_t> places_;  // their places, by number
  std::unordered_map<Prefix::Slot, std::uint32_t> objects_;  // the numbers of objects
};

}  // namespace thrum
