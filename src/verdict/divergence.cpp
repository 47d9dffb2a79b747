// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verdict/divergence.hpp"

#include <utility>

#include "report/event_text.hpp"
#include "report/source_lines.hpp"
#include "verdict/tracing.hpp"

namespace thrum {

namespace {

DivergenceResult::Side side_of(const TraceFile& file, std::size_t event) {
  DivergenceResult::Side side;
  const bool is_there = event < file.trace.events.size();
  if (!is_there && file.trace.end == End::bug) side.thread = file.names.name(file.trace.failure.thread);
  if (!is_there) {
    side.operation = file.trace.end == End::bug ? failure_title(file.trace.failure) : "the execution ends";
    return side;
  }
  side.thread = file.names.name(file.trace.events[event].thread);
  side.operation = operation_text(file, event);
  for (const SourceLine& line : user_lines(file, places_of(file, event).stack))
    side.stack.push_back({"", side.thread, line.file, line.line, line.function});
  return side;
}

bool is_address(const Place& place) { return place.space != Place::Space::none; }

// What is most often behind such a difference.
std::string cause_of(const TraceFile& a, const TraceFile& b, std::size_t at) {
  if (at >= a.trace.events.size() || at >= b.trace.events.size())
    return "a decision between this event and the one before, by something that differs from run to run: "
           "real "
           "time (the processor's clock), memory that was never written, an address, or a file";
  const Event& first = a.trace.events[at];
  const Event& second = b.trace.events[at];
  if (first.thread != second.thread)
    return "a thread that Thrum does not run made the one go on, or a decision by real time (the processor's "
           "clock), by memory that was never written, or by an address";
  const EventPlaces& p = places_of(a, at);
  const EventPlaces& q = places_of(b, at);
  if (first.operation == second.operation && first.object != second.object)
    return "another object: it was chosen by an address, by real time (the processor's clock), or by memory "
           "that "
           "was never written";
  if (first.operation == second.operation && (first.value != second.value || first.operand != second.operand))
    return is_address(p.value) || is_address(q.value) || is_address(p.operand)
               ? "the value is an address that differs from run to "
                 "run: of memory that is not the program's heap"
               : "the value comes from real time (the processor's "
                 "clock), from memory that was never written, or "
                 "from a file or another process";
  return "a decision by something that differs from run to run: real time (the processor's clock), memory "
         "that "
         "was never written, an address, or a file";
}

}  // namespace

std::optional<DivergenceResult> describe_divergence(const Report& report, const ThreadNames& names,
                                                    const std::string& program) {
  const std::optional<Divergence>& divergence = report.result.divergence;
  if (!divergence) return std::nullopt;
  TraceFile first;
  TraceFile second;
  set_trace(first, divergence->first, names, report, program);
  set_trace(second, divergence->second, names, report, program);
  const auto event = static_cast<std::size_t>(divergence->event);
  std::optional<DivergenceResult> result(std::in_place);
  result->event = divergence->event + 1;
  result->first = side_of(first, event);
  result->second = side_of(second, event);
  result->cause = cause_of(first, second, event);
  return result;
}

}  // namespace thrum
