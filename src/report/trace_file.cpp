// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace thrum {

namespace {

std::string module_of(const TraceFile& file, const Place& place) {
  return place.owner < file.modules.size() ? file.modules[place.owner] : std::string();
}

// Two places in two processes. An address that nothing lasting is known of is the same as any other such.
bool same_place(const TraceFile& a, const Place& x, const TraceFile& b, const Place& y) {
  if (x.space != y.space) return false;
  switch (x.space) {
    case Place::Space::none:
    case Place::Space::other: return true;
    case Place::Space::module: return x.offset == y.offset && module_of(a, x) == module_of(b, y);
    case Place::Space::stack: return x.offset == y.offset && a.names.name(x.owner) == b.names.name(y.owner);
    case Place::Space::heap: break;
  }
  return x.offset == y.offset && x.number == y.number && a.names.name(x.owner) == b.names.name(y.owner);
}

bool same_value(const TraceFile& a, std::uint64_t u, const Place& x, const TraceFile& b, std::uint64_t v,
                const Place& y) {
  return same_place(a, x, b, y) && (x.space != Place::Space::none || u == v);
}

EventPlaces lookup_places(const TraceFile& file, std::size_t i) {
  return i < file.trace.details.places.size() ? file.trace.details.places[i] : EventPlaces{};
}

bool same_event(const TraceFile& a, const TraceFile& b, std::size_t i) {
  const Event& x = a.trace.events[i];
  const Event& y = b.trace.events[i];
  EventPlaces p = lookup_places(a, i);
  EventPlaces q = lookup_places(b, i);
  return a.names.name(x.thread) == b.names.name(y.thread) && x.index == y.index &&
         x.operation == y.operation && x.outcome == y.outcome && x.size == y.size &&
         same_value(a, x.object, p.object, b, y.object, q.object) &&
         same_value(a, x.value, p.value, b, y.value, q.value) &&
         same_value(a, x.operand, p.operand, b, y.operand, q.operand) &&
         std::equal(p.stack.begin(), p.stack.end(), q.stack.begin(), q.stack.end(),
                    [&](const Place& s, const Place& t) { return same_place(a, s, b, t); });
}

std::string describe(const TraceFile& file, std::size_t i) {
  if (i >= file.trace.events.size()) return "the end of the execution";
  const Event& event = file.trace.events[i];
  EventPlaces places = lookup_places(file, i);
  std::string text =
      fmt::format("thread {} {}", file.names.name(event.thread), operation_name(event.operation));
  if (std::string object = file.place_name(places.object); !object.empty()) text += " of " + object;
  text += fmt::format(" (its event {}", event.index + 1);
  if (event.value != 0 && places.value.space == Place::Space::none)
    text += fmt::format(", value {}", event.value);
  text += ")";
  if (!places.stack.empty()) {
    for (const SourceLine& line : file.lines(places.stack[0])) {
      text += fmt::format(" at {}:{}", line.file, line.line);
      break;
    }
  }
  return text;
}

}  // namespace

const std::vector<SourceLine>& TraceFile::lines(const Place& place) const {
  static const std::vector<SourceLine> kNone;
  if (place.space != Place::Space::module) return kNone;
  auto found = symbols.code.find({place.owner, place.offset});
  return found == symbols.code.end() ? kNone : found->second;
}

std::string TraceFile::place_name(const Place& place) const {
  switch (place.space) {
    case Place::Space::none: return "";
    case Place::Space::other: return fmt::format("{:#x}", place.offset);
    case Place::Space::stack:
      if (auto local = symbols.locals.find(place); local != symbols.locals.end()) return local->second;
      return fmt::format("stack of {} - {}", names.name(place.owner), place.offset);
    case Place::Space::heap: {
      auto known =
          std::find_if(trace.details.blocks.begin(), trace.details.blocks.end(), [&](const HeapBlock& block) {
            return block.thread == place.owner && block.number == place.number;
          });
      std::string block = known == trace.details.blocks.end()
                              ? fmt::format("block {} of {}", place.number, names.name(place.owner))
                              : fmt::format("block {}", known - trace.details.blocks.begin() + 1);
      return place.offset == 0 ? block : fmt::format("{}+{}", block, place.offset);
    }
    case Place::Space::module: break;
  }
  auto found = symbols.data.find({place.owner, place.offset});
  if (found != symbols.data.end()) return found->second;
  std::string path = place.owner < modules.size() ? modules[place.owner] : "?";
  return fmt::format("{}+{:#x}", path.substr(path.rfind('/') + 1), place.offset);
}

std::string TraceFile::pointee_name(const Place& place) const {
  auto known = symbols.pointers.find(place);
  return known == symbols.pointers.end() ? place_name(place) : known->second;
}

bool same_execution(const TraceFile& a, const TraceFile& b, std::string& first_difference) {
  std::size_t count = std::min(a.trace.events.size(), b.trace.events.size());
  std::size_t i = 0;
  while (i < count && same_event(a, b, i)) ++i;
  if (i < count || a.trace.events.size() != b.trace.events.size()) {
    first_difference = fmt::format("event {} was {}, now {}", i + 1, describe(a, i), describe(b, i));
    return false;
  }
  const Failure& x = a.trace.failure;
  const Failure& y = b.trace.failure;
  if (a.trace.end == b.trace.end && x.kind == y.kind && x.message == y.message) return true;
  first_difference = fmt::format("after the same {} events it ended with \"{}\", now with \"{}\"",
                                 a.trace.events.size(), x.message, y.message);
  return false;
}

}  // namespace thrum
