// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/same_execution.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/source_lines.hpp"

namespace thrum {

namespace {

constexpr std::uint64_t kFirstAddress = std::uint64_t{1} << 32;  // of what programs have at run time

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

// Two engines place code, variables and stacks elsewhere, and one of them sees the blocks that libc allocates
// for itself. What has a name is the same by that.
bool same_named_place(const TraceFile& a, const Place& x, const TraceFile& b, const Place& y) {
  // One engine may have a name for an address that the other knows nothing of.
  if (x.space == Place::Space::other || y.space == Place::Space::other) return true;
  if (x.space != y.space) return false;
  switch (x.space) {
    case Place::Space::module: {
      // Constants without a name of their own: one engine names them, the other says where they lie. So it is
      // with what a library keeps for itself.
      const std::string name = a.place_name(x), other = b.place_name(y);
      const auto is_nameless = [](const std::string& text) {
        return text.find(")+0x") != std::string::npos || text.find(".so.6+0x") != std::string::npos;
      };
      return name == other || is_nameless(name) || is_nameless(other);
    }
    case Place::Space::heap: return a.place_name(x) == b.place_name(y);
    case Place::Space::stack: return a.names.name(x.owner) == b.names.name(y.owner);
    case Place::Space::none:
    case Place::Space::other: break;
  }
  return true;
}

// The lines of the program's own code, which were inlined or not. Of a thread that has left its functions one
// engine may still have the outer ones.
bool same_lines(const TraceFile& a, const std::vector<Place>& s, const TraceFile& b,
                const std::vector<Place>& t) {
  const std::vector<SourceLine> lines = user_lines(a, s), others = user_lines(b, t);
  const auto [one, other] =
      std::ranges::mismatch(lines, others, [](const SourceLine& x, const SourceLine& y) {
        return x.function == y.function && x.file == y.file && x.line == y.line;
      });
  return (one == lines.end() || other == others.end()) && lines.empty() == others.empty();
}

bool same_value(const TraceFile& a, std::uint64_t u, const Place& x, const TraceFile& b, std::uint64_t v,
                const Place& y) {
  if (a.engine == b.engine) return same_place(a, x, b, y) && (x.space != Place::Space::none || u == v);
  // One engine may have no name for an address, such as that of a thread-local variable.
  const bool is_nameless = (x.space == Place::Space::none) != (y.space == Place::Space::none);
  if (is_nameless && std::min(u, v) >= kFirstAddress) return true;
  return same_named_place(a, x, b, y) && (x.space != Place::Space::none || u == v);
}

bool same_stack(const TraceFile& a, const std::vector<Place>& s, const TraceFile& b,
                const std::vector<Place>& t) {
  if (a.engine != b.engine) return same_lines(a, s, b, t);
  return std::ranges::equal(
      s, t, [&](const Place& one, const Place& other) { return same_place(a, one, b, other); });
}

EventPlaces lookup_places(const TraceFile& file, std::size_t i) {
  return i < file.trace.details.places.size() ? file.trace.details.places[i] : EventPlaces{};
}

bool is_store(Operation operation) {
  return operation == Operation::store || operation == Operation::racy_store;
}

bool same_event(const TraceFile& a, const TraceFile& b, std::size_t i) {
  const Event& x = a.trace.events[i];
  const Event& y = b.trace.events[i];
  EventPlaces p = lookup_places(a, i);
  EventPlaces q = lookup_places(b, i);
  // Between engines: a variable of a function may have held anything before its first store, and a thread
  // that ends may have left all of its functions.
  const bool is_other = a.engine != b.engine;
  const bool has_value = !(is_other && is_store(x.operation));
  const bool is_end = x.operation == Operation::thread_end || x.operation == Operation::others_ended ||
                      x.operation == Operation::process_exit;
  const bool has_stack = !(is_other && is_end);
  return a.names.name(x.thread) == b.names.name(y.thread) && x.index == y.index &&
         x.operation == y.operation && x.outcome == y.outcome && x.size == y.size &&
         same_value(a, x.object, p.object, b, y.object, q.object) &&
         (!has_value || same_value(a, x.value, p.value, b, y.value, q.value)) &&
         same_value(a, x.operand, p.operand, b, y.operand, q.operand) &&
         (!has_stack || same_stack(a, p.stack, b, q.stack));
}

std::string describe(const TraceFile& file, std::size_t i) {
  if (i >= file.trace.events.size()) return "the end of the execution";
  const Event& event = file.trace.events[i];
  EventPlaces places = lookup_places(file, i);
  std::string text =
      fmt::format("thread {} {}", file.names.name(event.thread), operation_name(event.operation));
  if (std::string object = file.place_name(places.object); !object.empty()) text += " of " + object;
  text += fmt::format(" (its event {}", event.index + 1);
  const auto add = [&](const char* what, std::uint64_t value, const Place& place) {
    if (value == 0) return;
    std::string name = file.place_name(place);
    if (name.empty() && place.space != Place::Space::none) return;
    text += fmt::format(", {} {}", what, name.empty() ? std::to_string(value) : name);
  };
  add("value", event.value, places.value);
  add("operand", event.operand, places.operand);
  text += ")";
  const char* word = " at";
  for (const SourceLine& line : user_lines(file, places.stack)) {
    text += fmt::format("{} {}:{}", word, line.file, line.line);
    word = ",";
  }
  return text;
}

}  // namespace

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
