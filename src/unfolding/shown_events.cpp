// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unfolding/shown_events.hpp"

#include <algorithm>
#include <utility>

namespace thrum {

void ShownEvents::clear() {
  shown_ = {};
  numbers_.clear();
  places_.clear();
  objects_.clear();
}

// The event that has put the condition there, if it is kept.
std::uint32_t ShownEvents::place_of(const Prefix& prefix, Prefix::Condition condition) const {
  const Prefix::Event event = prefix.slots().event(condition);
  const auto known = places_.find(event);
  return event == Prefix::kNone || known == places_.end() ? ShownUnfolding::kNone : known->second;
}

void ShownEvents::link(const Prefix& prefix, Prefix::Event number) {
  const Prefix::Entry& entry = prefix[number];
  ShownUnfolding::Link& link = shown_.links.emplace_back();
  // A creation and its turn in the order of creations are one step.
  const Prefix::Event last = prefix.slots().event(entry.before);
  const bool has_turn = last != Prefix::kNone && prefix.is_turn(last);
  link.previous = place_of(prefix, has_turn ? prefix[last].before : entry.before);
  const bool is_join = prefix.step(number).operation == Operation::thread_join;
  link.is_late = is_join && entry.object == Prefix::kNone;
  if (entry.object != Prefix::kNone) {
    const Prefix::Slot slot = prefix.slots().slot(entry.object);
    if (prefix.thread_of(slot) == kNoThread) {
      link.object = objects_.try_emplace(slot, static_cast<std::uint32_t>(objects_.size())).first->second;
      link.source = place_of(prefix, entry.object);
      link.consumes = entry.consumes;
    } else if (is_join) {
      link.joined = place_of(prefix, entry.object);
    }
  }
  for (const Prefix::Event read : prefix.reads(entry.behind)) {
    if (const auto known = places_.find(read); known != places_.end()) link.behind.push_back(known->second);
  }
}

// Takes over what names the place: the frame or the heap block that it lies in.
Place ShownEvents::keep(Place place, const Details& from) {
  Details& to = shown_.trace.details;
  if (place.space == Place::Space::stack && place.number != 0 && place.number <= from.frames.size()) {
    const StackFrame& frame = from.frames[place.number - 1];
    auto known = std::ranges::find(to.frames, frame);
    if (known == to.frames.end()) known = to.frames.insert(known, frame);
    place.number = static_cast<std::uint32_t>(known - to.frames.begin()) + 1;
  } else if (place.space == Place::Space::heap) {
    const auto is_it = [&](const HeapBlock& block) {
      return block.thread == place.owner && block.number == place.number;
    };
    const auto block = std::ranges::find_if(from.blocks, is_it);
    if (block != from.blocks.end() && std::ranges::none_of(to.blocks, is_it)) to.blocks.push_back(*block);
  }
  return place;
}

void ShownEvents::add(const Prefix& prefix, Prefix::Event number, const Trace& trace, std::size_t at) {
  if (!takes_more()) return;
  link(prefix, number);
  places_.emplace(number, static_cast<std::uint32_t>(numbers_.size()));
  numbers_.push_back(number);
  shown_.trace.events.push_back(trace.events[at]);
  EventPlaces places;
  if (at < trace.details.places.size()) {
    places = trace.details.places[at];
    for (Place* place : {&places.object, &places.value, &places.operand})
      *place = keep(*place, trace.details);
  }
  shown_.trace.details.places.push_back(std::move(places));
}

ShownUnfolding ShownEvents::describe(const Prefix& prefix) const {
  ShownUnfolding shown = shown_;
  shown.events = prefix.done();
  for (std::size_t i = 0; i < numbers_.size(); ++i)
    shown.links[i].fails = prefix.is_failed(prefix[numbers_[i]].after);
  return shown;
}

}  // namespace thrum
