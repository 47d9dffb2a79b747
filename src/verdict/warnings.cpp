// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by tests/endtoend/warnings_test.cpp.
#include "verdict/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "report/event_text.hpp"
#include "report/source_lines.hpp"
#include "verdict/tracing.hpp"

namespace thrum {

namespace {

Location location(const char* role, const std::string& thread, const std::optional<SourceLine>& line) {
  if (!line) return {role, thread, "", 0, ""};
  return {role, thread, line->file, line->line, line->function};
}

// " at FILE:12 (push)"
std::string at_text(const std::optional<SourceLine>& line) {
  if (!line) return "";
  std::string file = line->file.substr(line->file.rfind('/') + 1);
  std::string function = line->function.empty() ? "" : fmt::format(" ({})", line->function);
  return fmt::format(" at {}:{}{}", file, line->line, function);
}

std::string lock_name(const TraceFile& file, std::size_t event) {
  const EventPlaces& places = places_of(file, event);
  bool by_wait = file.trace.events[event].operation == Operation::wait_reacquire;
  return file.place_name(by_wait ? places.operand : places.object);
}

void add_edge(const TraceFile& file, WarningResult& warning) {
  if (file.trace.events.size() != 2 || file.trace.details.places.size() != 2) return;
  std::string thread = file.names.name(file.trace.events[0].thread);
  std::optional<SourceLine> held = shown_line(file, file.trace.details.places[0].stack);
  std::optional<SourceLine> wanted = shown_line(file, file.trace.details.places[1].stack);
  warning.lines.push_back(fmt::format("Thread {} locks {}{}, while it holds {}, locked{}", thread,
                                      lock_name(file, 1), at_text(wanted), lock_name(file, 0),
                                      held ? at_text(held) : " before"));
  warning.locations.push_back(location("holds", thread, held));
  warning.locations.push_back(location("acquires", thread, wanted));
}

std::string order_text(std::size_t locks, const TestResult& test) {
  std::string text = locks == 2 ? "two locks are taken in opposite orders"
                                : fmt::format("{} locks are taken in an order that is a circle", locks);
  if (test.verdict == Verdict::exhausted)
    return text + (test.complete ? "; every schedule was run, and none deadlocks"
                                 : "; no schedule deadlocks within what was covered");
  return text + "; no deadlock was found so far, but the search did not come to its end";
}

}  // namespace

void describe_warnings(const Report& report, const ThreadNames& names, const std::string& program,
                       TestResult& test) {
  for (const Warning& from : report.warnings) {
    WarningResult warning;
    warning.kind = from.kind;
    warning.count = from.count;
    std::size_t threads = 0;
    for (const Trace& evidence : from.evidence) {
      TraceFile file;
      set_trace(file, evidence, names, report, program);
      if (from.kind == "lock-order") add_edge(file, warning);
      for (std::size_t i = 0;
           i < std::min(evidence.details.others.size(), evidence.details.other_places.size()); ++i) {
        const EventPlaces& places = file.trace.details.other_places[i];
        std::string thread = file.names.name(evidence.details.others[i].thread);
        std::optional<SourceLine> line = shown_line(file, places.stack);
        ++threads;
        std::string at = line ? "," + at_text(line) : "";
        warning.lines.push_back(
            fmt::format("Thread {} {}{}", thread, waiter_text(file, evidence.details.others[i], places), at));
        warning.locations.push_back(location("waiter", thread, line));
      }
    }
    if (from.kind == "lock-order") {
      warning.text = order_text(from.evidence.size(), test);
    } else {
      warning.text =
          fmt::format("{} for ever when the process ends: nobody is left to wake {}",
                      threads == 1 ? "a thread waits" : "threads wait", threads == 1 ? "it" : "them");
    }
    test.warnings.push_back(std::move(warning));
  }
}

}  // namespace thrum
