// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bug for people: what failed, the table of operations, and who stood where at the end.
//
// Tested by text_report_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "report/columns.hpp"
#include "report/event_text.hpp"
#include "report/source_lines.hpp"
#include "report/text_report.hpp"
#include "report/trace_rows.hpp"
#include "report/wait_ends.hpp"

namespace thrum {

namespace {

constexpr std::size_t kOthersMax = 8;        // threads of which is said where they stood
constexpr std::size_t kOutputLinesMax = 20;  // of the program's output, the last ones

std::string shown_path(const SourceLine& line, const TextStyle& style) {
  if (line.file.empty()) return "?";
  std::string path = line.file;
  std::string below = style.directory + "/";
  if (!style.directory.empty() && path.starts_with(below)) path = path.substr(below.size());
  return fmt::format("{}:{}", path, line.line);
}

// What the schedule costs, and whether there is a simpler one.
std::string cost_text(const TraceFile& file) {
  std::string text = fmt::format("  {} preemption{}", file.preemptions, plural(file.preemptions));
  if (file.preemptions > 0)
    text += file.minimal ? "; no schedule with fewer fails so (proved)"
                         : "; a schedule with fewer may fail as well";
  text += "\n";
  if (!file.switches) return text;
  text += fmt::format("  {} switch{} of threads", *file.switches, *file.switches == 1 ? "" : "es");
  if (file.switches_minimal)
    return text + (file.preemptions > 0 ? "; none with as few preemptions has fewer (proved)\n"
                                        : "; no schedule has fewer (proved)\n");
  return text + "; the fewest found\n";
}

std::string lines_text(const std::vector<SourceLine>& lines, const TextStyle& style) {
  constexpr std::size_t kWidest = 40;  // of function names
  constexpr std::size_t kLinesMax = 20;
  std::size_t widest = 0;
  for (const SourceLine& line : lines) widest = std::max(widest, line.function.size());
  std::string text;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < lines.size(); ++shown) {
    if (shown == kLinesMax && !style.unfolded)
      return text + fmt::format("      ... and {} more\n", lines.size() - i);
    const SourceLine& line = lines[i];
    text += fmt::format("      {:<{}}  {}\n", line.function.empty() ? "?" : line.function,
                        std::min(widest, kWidest), shown_path(line, style));
    std::size_t same = i + 1;
    while (same < lines.size() && lines[same] == line) ++same;
    if (same - i > 2) text += fmt::format("      ... the same {} more times ...\n", same - i - 1);
    i = same - i > 2 ? same : i + 1;
  }
  return text;
}

std::string stack_text(const TraceFile& file, const std::vector<Place>& stack, const TextStyle& style) {
  std::vector<SourceLine> lines = user_lines(file, stack);
  return lines_text(lines.empty() ? all_lines(file, stack) : lines, style);
}

// The failing line with its text, and the stack that leads to it.
std::string failure_place(const TraceFile& file, const TextStyle& style) {
  std::optional<SourceLine> line = failing_line(file);
  std::vector<SourceLine> lines = failing_lines(file);
  // main has returned: there is no place, and no stack but the C library's.
  if (!line && lines.empty() && file.trace.failure.kind == BugKind::nonzero_exit) return "";
  std::string text = fmt::format("  Thread {} failed", file.names.name(file.trace.failure.thread));
  if (line) text += fmt::format(" at {}", shown_path(*line, style));
  text += line && !line->text.empty() ? fmt::format("\n      {}\n", line->text) : "\n";
  return text + "  Stack:\n" +
         lines_text(lines.empty() ? all_lines(file, failing_stack(file)) : lines, style);
}

// Where each lock is held when the execution fails, and since which event.
struct Held {
  ThreadId thread;
  std::size_t event;
};

std::map<ObjectName, Held> held_locks(const TraceFile& file) {
  std::map<ObjectName, Held> held;
  for (std::size_t i = 0; i < file.trace.events.size(); ++i) {
    const Event& event = file.trace.events[i];
    ObjectName object = object_name(places_of(file, i).object, event.object);
    ObjectName operand = object_name(places_of(file, i).operand, event.operand);
    switch (event.operation) {
      case Operation::lock: held.try_emplace(object, Held{event.thread, i}); break;
      case Operation::try_lock:
        if (event.outcome == Outcome::done) held.try_emplace(object, Held{event.thread, i});
        break;
      case Operation::wait_reacquire: held.try_emplace(operand, Held{event.thread, i}); break;
      case Operation::unlock: held.erase(object); break;
      case Operation::wait_release: held.erase(operand); break;
      default: break;
    }
  }
  return held;
}

// What a thread holds before its event of that number, in words.
std::string locks_text(const TraceFile& file, ThreadId thread, std::uint32_t events) {
  std::map<ObjectName, std::string> held;
  for (std::size_t i = 0; i < file.trace.events.size(); ++i) {
    const Event& event = file.trace.events[i];
    if (event.thread != thread || event.index >= events) continue;
    const EventPlaces& places = places_of(file, i);
    ObjectName object = object_name(places.object, event.object);
    ObjectName operand = object_name(places.operand, event.operand);
    switch (event.operation) {
      case Operation::lock:
      case Operation::try_lock:
      case Operation::shared_lock:
      case Operation::try_shared_lock:
        if (event.outcome == Outcome::done) held[object] = file.place_name(places.object);
        break;
      case Operation::wait_reacquire: held[operand] = file.place_name(places.operand); break;
      case Operation::unlock:
      case Operation::shared_unlock: held.erase(object); break;
      case Operation::wait_release: held.erase(operand); break;
      default: break;
    }
  }
  std::string text;
  for (const auto& [object, name] : held) text += (text.empty() ? ", holding " : " and ") + name;
  return text;
}

bool stands_as(AccessKind kind, Operation operation) {
  switch (kind) {
    case AccessKind::plain_read:
      return operation == Operation::plain_load || operation == Operation::racy_load;
    case AccessKind::plain_write:
      return operation == Operation::plain_store || operation == Operation::racy_store;
    case AccessKind::free: return operation == Operation::deallocate || operation == Operation::racy_free;
    case AccessKind::atomic_read:
    case AccessKind::atomic_write: return is_visible(operation);
    case AccessKind::thread_end: break;
  }
  return false;
}

// The event that an access is, or stands as, in the trace counted from 1; 0: it does not.
std::size_t event_of(const TraceFile& file, const MemoryAccess& access) {
  const std::vector<Event>& events = file.trace.events;
  for (std::size_t i = events.size(); i > 0; --i) {
    const Event& event = events[i - 1];
    if (event.thread == access.thread && event.index == access.events &&
        stands_as(access.kind, event.operation))
      return i;
  }
  return 0;
}

// Why nothing orders the two accesses of a race.
std::string disorder_text(const TraceFile& file) {
  const MemoryAccess& earlier = file.trace.failure.accesses.front();
  const MemoryAccess& later = file.trace.failure.accesses.back();
  std::string first = file.names.name(earlier.thread);
  std::string second = file.names.name(later.thread);
  std::string_view what = access_kind_name(earlier.kind);
  if (later.learned_by == 0 || later.learned_by > file.trace.events.size())
    return fmt::format("Nothing that {} has done is known to {} (no release that it acquired).", first,
                       second);
  return fmt::format("The last that {} learned of {} came by \"{}\" ({}), and does not cover the {}.", second,
                     first, operation_text(file, later.learned_by - 1), later.learned_by, what);
}

// The accesses that the failure tells of, each with its stack.
std::string accesses_text(const TraceFile& file, const TextStyle& style) {
  const Trace& trace = file.trace;
  std::string text;
  for (std::size_t i = 0; i < std::min(trace.details.access_places.size(), trace.failure.accesses.size());
       ++i) {
    const MemoryAccess& access = trace.failure.accesses[i];
    std::string title(access_kind_name(access.kind));
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    std::string object = file.place_name(trace.details.access_places[i].object);
    std::size_t event = event_of(file, access);
    text += fmt::format("  {} of {} ({} byte{}) by thread {}{}{}\n", title, object, access.size,
                        plural(access.size), file.names.name(access.thread),
                        locks_text(file, access.thread, access.events),
                        event == 0 ? "" : fmt::format(" ({})", event));
    const std::vector<Place>& stack = trace.details.access_places[i].stack;
    std::vector<SourceLine> lines = user_lines(file, stack);
    text += lines_text(lines.empty() ? all_lines(file, stack) : lines, style);
  }
  if (trace.failure.kind == BugKind::data_race) text += wrap(disorder_text(file), "  ", style.width);
  return text;
}

// The lost blocks, by the places of their allocations.
std::string lost_blocks_text(const TraceFile& file, const TextStyle& style) {
  constexpr std::size_t kPlacesMax = 10;
  const std::vector<LostBlocks>& all = file.trace.details.lost;
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == kPlacesMax && !style.unfolded)
      return text + fmt::format("  ... and {} more places\n", all.size() - i);
    const LostBlocks& lost = all[i];
    text += fmt::format("  {}: {} block{} of {} byte{}{}, allocated by thread {}\n",
                        lost.with_another ? "Lost with them" : "Lost", lost.blocks, plural(lost.blocks),
                        lost.bytes, plural(lost.bytes), lost.blocks == 1 ? "" : " in all",
                        file.names.name(lost.thread));
    text += lost.stack.empty() ? "      at a place that is not known\n" : stack_text(file, lost.stack, style);
  }
  return text;
}

std::string event_place(const TraceFile& file, std::size_t event, const TextStyle& style) {
  std::optional<SourceLine> line = shown_line(file, places_of(file, event).stack);
  return line ? fmt::format(" at {} ({})", shown_path(*line, style), event + 1)
              : fmt::format(" ({})", event + 1);
}

// Threads that wait for each other in a circle; empty where there is none.
std::vector<ThreadId> circle(const std::vector<Waiter>& waiters) {
  std::map<ThreadId, ThreadId> waits_for;
  for (const Waiter& waiter : waiters) {
    if (waiter.holder != kNoThread) waits_for[waiter.thread] = waiter.holder;
  }
  for (const auto& [first, next] : waits_for) {
    std::vector<ThreadId> way = {first};
    for (ThreadId at = next; way.size() <= waits_for.size(); at = waits_for[at]) {
      if (at == first) return way;
      if (!waits_for.contains(at)) break;
      way.push_back(at);
    }
  }
  return {};
}

// Why nobody can go on, in a sentence or two.
std::string stuck_text(const TraceFile& file, const TextStyle& style) {
  const std::vector<Waiter>& waiters = file.trace.failure.waiters;
  std::vector<ThreadId> way = circle(waiters);
  auto name = [&](ThreadId thread) { return file.names.name(thread); };
  std::string text;
  if (way.size() == 1) text = fmt::format("Thread {} waits for itself.", name(way[0]));
  if (way.size() == 2)
    text = fmt::format("Threads {} and {} wait for each other.", name(way[0]), name(way[1]));
  for (std::size_t i = 0; way.size() > 2 && i < way.size(); ++i) {
    text += fmt::format("{} {}", i == 0 ? "Thread" : (i + 1 == way.size() ? " and" : ","), name(way[i]));
    text += fmt::format(" waits for {}", name(way[(i + 1) % way.size()]));
  }
  if (way.size() > 2) text += ".";
  for (std::size_t i = 0;
       way.empty() && i < std::min(waiters.size(), file.trace.details.waiter_places.size()); ++i) {
    bool sleeps =
        waiters[i].operation == Operation::wait_reacquire || waiters[i].operation == Operation::futex_return;
    if (!sleeps) continue;
    ObjectName object = object_name(file.trace.details.waiter_places[i].object, waiters[i].object);
    text +=
        fmt::format("{}Nobody is left to wake thread {}", text.empty() ? "" : " ", name(waiters[i].thread));
    for (std::size_t k = file.trace.events.size(); k-- > 0;) {
      const Event& event = file.trace.events[k];
      bool wakes = event.operation == Operation::signal || event.operation == Operation::broadcast ||
                   event.operation == Operation::futex_wake;
      if (!wakes || object_name(places_of(file, k).object, event.object) != object) continue;
      if (event.value == 0)
        text += fmt::format("; the last wake-up,{}, came when nobody waited", event_place(file, k, style));
      break;
    }
    text += ".";
  }
  return text.empty() ? "" : wrap(text, "  ", style.width);
}

std::string waiters_text(const TraceFile& file, const TextStyle& style) {
  const Trace& trace = file.trace;
  const std::map<ObjectName, Held> held = held_locks(file);
  std::string text;
  for (std::size_t i = 0; i < trace.failure.waiters.size(); ++i) {
    const Waiter& waiter = trace.failure.waiters[i];
    const EventPlaces places =
        i < trace.details.waiter_places.size() ? trace.details.waiter_places[i] : EventPlaces{};
    text +=
        fmt::format("  Thread {} {}\n", file.names.name(waiter.thread), waiter_text(file, waiter, places));
    text += stack_text(file, places.stack, style);
    for (const auto& [object, lock] : held) {
      if (lock.thread != waiter.thread) continue;
      const EventPlaces& its = places_of(file, lock.event);
      bool by_wait = file.trace.events[lock.event].operation == Operation::wait_reacquire;
      text += fmt::format("    and holds {}, locked{}\n", file.place_name(by_wait ? its.operand : its.object),
                          event_place(file, lock.event, style));
    }
  }
  return text;
}

// The threads that lived on beside the one that failed, a line each.
std::string others_text(const TraceFile& file, const TextStyle& style) {
  const Trace& trace = file.trace;
  std::string text;
  for (std::size_t i = 0; i < std::min(trace.details.others.size(), trace.details.other_places.size()); ++i) {
    if (i == kOthersMax) {
      text += fmt::format("  ... and {} more threads\n", trace.details.others.size() - i);
      break;
    }
    text += fmt::format("  Thread {} {}", file.names.name(trace.details.others[i].thread),
                        waiter_text(file, trace.details.others[i], trace.details.other_places[i]));
    if (std::optional<SourceLine> line = shown_line(file, trace.details.other_places[i].stack))
      text += fmt::format(", at {}", shown_path(*line, style));
    text += "\n";
  }
  return text;
}

// What the blocks of the heap are that the rows speak of.
std::string blocks_text(const TraceFile& file, const std::vector<Row>& rows, const TextStyle& style) {
  std::string text;
  for (std::size_t i = 0; i < file.trace.details.blocks.size(); ++i) {
    const HeapBlock& block = file.trace.details.blocks[i];
    std::string name = fmt::format("block {}", i + 1);
    auto speaks = [&](const Row& row) {
      std::size_t at = row.text.find(name);
      return at != std::string::npos &&
             (at + name.size() == row.text.size() ||
              std::string_view("0123456789").find(row.text[at + name.size()]) == std::string_view::npos);
    };
    if (std::none_of(rows.begin(), rows.end(), speaks)) continue;
    text += fmt::format("  {}: ", name);
    text +=
        block.size == 0 ? std::string("memory") : fmt::format("{} byte{}", block.size, plural(block.size));
    text += fmt::format(" allocated by {}", file.names.name(block.thread));
    if (std::optional<SourceLine> line = shown_line(file, block.allocated))
      text += fmt::format(" at {} ({})", shown_path(*line, style), line->function);
    text += "\n";
  }
  return text.empty() ? "" : "\n" + text;
}

std::string place_text(const TraceFile& file, const TextStyle& style) {
  if (!file.trace.details.lost.empty()) return lost_blocks_text(file, style);
  return file.trace.details.access_places.empty() ? failure_place(file, style) : accesses_text(file, style);
}

std::string indented(const std::string& lines) {
  std::string text;
  for (std::size_t at = 0; at < lines.size();) {
    std::size_t end = std::min(lines.find('\n', at), lines.size());
    text += "  " + lines.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return text;
}

std::string output_text(const std::string& output) {
  if (output.empty()) return "";
  std::size_t begin = output.size();
  for (std::size_t lines = 0; begin > 0; --begin) {
    if (output[begin - 1] == '\n' && begin != output.size() && ++lines == kOutputLinesMax) break;
  }
  std::string text = begin > 0 ? "  Output of the program (its end; all of it is in the trace file):\n"
                               : "  Output of the program:\n";
  for (std::size_t at = begin; at < output.size();) {
    std::size_t end = std::min(output.find('\n', at), output.size());
    text += "    > " + output.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return text;
}

}  // namespace

std::string text_trace(const TraceFile& file, const TextStyle& style) {
  const Failure& failure = file.trace.failure;
  std::string text = coloured(wrap(failure_title(failure), "", style.width), kRed, style.colours);
  if (!failure.waiters.empty()) text += stuck_text(file, style);
  text += cost_text(file) + "\n";
  std::vector<Row> rows = trace_rows(file);
  if (!style.unfolded) rows = fold(rows);
  text += draw_columns(file, rows, style) + blocks_text(file, rows, style);
  if (failure.message.find('\n') != std::string::npos) text += "\n" + indented(failure.message);
  text += "\n" + (failure.waiters.empty() ? place_text(file, style) : waiters_text(file, style));
  return text + others_text(file, style) + output_text(file.trace.details.output);
}

}  // namespace thrum
