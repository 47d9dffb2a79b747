// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by text_report_test.cpp.
#include "report/trace_rows.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "model/signal_name.hpp"
#include "report/source_lines.hpp"

namespace thrum {

namespace {

constexpr std::size_t kStretchRowsMax = 14;  // a longer stretch of one thread is folded
constexpr std::size_t kStretchHead = 5;
constexpr std::size_t kStretchTail = 5;
constexpr std::size_t kTableRowsMax = 300;
constexpr std::size_t kTableHead = 60;
constexpr std::size_t kTableTail = 200;

std::ptrdiff_t index(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }

const EventPlaces& places_of(const TraceFile& file, std::size_t event) {
  static const EventPlaces kNone;
  return event < file.trace.places.size() ? file.trace.places[event] : kNone;
}

// Small negative numbers come as large ones of their size.
std::string number_text(std::uint64_t value, std::uint32_t size) {
  constexpr std::uint64_t kSmall = 1 << 16;
  constexpr std::uint64_t kDecimalMax = std::uint64_t{1} << 40;
  std::uint64_t mask = size == 0 || size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * size)) - 1;
  std::uint64_t negated = (~value + 1) & mask;
  if (size > 1 && negated != 0 && negated < kSmall && (value & mask) > mask / 2)
    return fmt::format("-{}", negated);
  return value < kDecimalMax ? fmt::format("{}", value) : fmt::format("{:#x}", value);
}

std::string value_text(const TraceFile& file, std::uint64_t value, const Place& place, std::uint32_t size) {
  switch (place.space) {
    case Place::Space::none: return number_text(value, size);
    case Place::Space::heap:
    case Place::Space::other: return file.place_name(place);
    case Place::Space::module:
    case Place::Space::stack: break;
  }
  return "&" + file.place_name(place);
}

std::string object_text(const TraceFile& file, const Place& place, std::uint64_t number) {
  if (place.space != Place::Space::none) return file.place_name(place);
  return number == 0 ? "" : fmt::format("object {}", number);
}

std::string source_of(const std::optional<SourceLine>& line) {
  if (!line) return "";
  return fmt::format("{}:{}", line->file.substr(line->file.rfind('/') + 1), line->line);
}

// The thread that an event speaks of: its stack is the event's object.
std::string thread_text(const TraceFile& file, const Place& stack) {
  return stack.space == Place::Space::stack ? file.names.name(stack.owner) : "a thread";
}

// Their object is the state of all signals, which no name helps with.
bool is_about_signals(Operation operation) {
  switch (operation) {
    case Operation::signal_send:
    case Operation::signal_handle:
    case Operation::signal_accept:
    case Operation::signal_wait:
    case Operation::signal_pending:
    case Operation::signal_mask:
    case Operation::signal_action:
    case Operation::timer_set:
    case Operation::timer_read:
    case Operation::timer_expire: return true;
    default: return false;
  }
}

// What keeps a thread from its next event, in words.
std::string waits_for(Operation operation, const std::string& object) {
  switch (operation) {
    case Operation::thread_join: return "waits for a thread to end";
    case Operation::wait_reacquire:
    case Operation::futex_return:
    case Operation::barrier_leave: return "waits to be woken on " + object;
    case Operation::sleep: return "sleeps";
    case Operation::signal_handle:
    case Operation::signal_accept:
    case Operation::signal_wait: return "waits for a signal";
    default: break;
  }
  return fmt::format("waits: {} {}", operation_name(operation), object);
}

class Rows {
 public:
  explicit Rows(const TraceFile& file) : file_(file), trace_(file.trace) {
    for (std::size_t i = 0; i < trace_.choices.size(); ++i) {
      const ChoiceKey& key = trace_.choices[i].key;
      if (key.kind == ChoiceKind::thread) choices_[{key.thread, key.index}].push_back(i);
    }
    std::map<ThreadId, std::size_t> next;
    next_event_.resize(trace_.events.size());
    for (std::size_t i = trace_.events.size(); i > 0; --i) {
      auto [entry, is_new] = next.try_emplace(trace_.events[i - 1].thread, trace_.events.size());
      next_event_[i - 1] = entry->second;
      entry->second = i - 1;
    }
  }

  std::vector<Row> run() {
    for (std::size_t i = 0; i < trace_.events.size(); ++i) {
      const Event& event = trace_.events[i];
      if (i > 0 && trace_.events[i - 1].thread != event.thread) add_switch(i - 1);
      rows_.push_back({Row::Kind::operation, event.thread, operation_text(file_, i),
                       source_of(shown_line(file_, places_of(file_, i).stack)), i + 1});
      follow_locks(event);
    }
    add_failure();
    return std::move(rows_);
  }

 private:
  // Between an event and one of another thread: why the first thread did not go on.
  void add_switch(std::size_t last) {
    const Event& event = trace_.events[last];
    const ChoicePoint* point = take_choice(event);
    // A timer only interrupts.
    bool to_timer =
        last + 1 < trace_.events.size() && trace_.events[last + 1].operation == Operation::timer_expire;
    if (to_timer || event.operation == Operation::timer_expire) return;
    std::size_t next = next_event_[last];
    bool goes_on = next < trace_.events.size();
    if (point && point->running_enabled) {
      if (point->yielded) return;
      std::string before = goes_on ? operation_text(file_, next) : waiter_of(event.thread);
      rows_.push_back({Row::Kind::preemption, event.thread,
                       before.empty() ? "preempted" : "preempted before: " + before, "", 0});
      return;
    }
    if (event.operation == Operation::thread_end) return;
    if (goes_on) {
      rows_.push_back({Row::Kind::wait, event.thread, wait_text(next), "", 0});
      return;
    }
    if (std::string waits = waiter_of(event.thread); !waits.empty()) {
      rows_.push_back({Row::Kind::wait, event.thread, "waits: " + waits, "", 0});
      return;
    }
    // What it waits for had not come when the trace ended.
    rows_.push_back({Row::Kind::wait, event.thread, "goes no further", "", 0});
  }

  // What the failure says of a thread that could not go on; empty for the others.
  std::string waiter_of(ThreadId thread) const {
    for (std::size_t i = 0; i < trace_.failure.waiters.size(); ++i) {
      if (trace_.failure.waiters[i].thread == thread) return waiter_text(file_, i);
    }
    return "";
  }

  // The choice that stood behind an event; where there were several, each is given once.
  const ChoicePoint* take_choice(const Event& event) {
    auto found = choices_.find({event.thread, event.index + 1});
    if (found == choices_.end() || found->second.empty()) return nullptr;
    const ChoicePoint& point = trace_.choices[found->second.front()];
    found->second.erase(found->second.begin());
    return &point;
  }

  std::string wait_text(std::size_t next) const {
    const Event& event = trace_.events[next];
    if (event.operation == Operation::thread_join) {
      return "waits for " + thread_text(file_, places_of(file_, next).object) + " to end";
    }
    bool told = event.operation == Operation::cancel || event.operation == Operation::signal_send;
    if (told) return "waits: " + operation_text(file_, next);
    std::string text =
        waits_for(event.operation, object_text(file_, places_of(file_, next).object, event.object));
    auto holder = holders_.find(event.object);
    bool locks = event.operation == Operation::lock || event.operation == Operation::shared_lock;
    if (locks && holder != holders_.end()) text += ", held by " + file_.names.name(holder->second);
    return text;
  }

  void follow_locks(const Event& event) {
    bool takes = event.operation == Operation::lock ||
                 (event.operation == Operation::try_lock && event.outcome == Outcome::done);
    if (takes) holders_[event.object] = event.thread;
    if (event.operation == Operation::unlock) holders_.erase(event.object);
  }

  void add_failure() {
    const Failure& failure = trace_.failure;
    if (failure.empty() || !failure.waiters.empty()) return;
    if (!trace_.events.empty() && trace_.events.back().thread != failure.thread)
      add_switch(trace_.events.size() - 1);
    rows_.push_back(
        {Row::Kind::failure, failure.thread, failure_title(failure), source_of(failing_line(file_)), 0});
  }

  const TraceFile& file_;
  const Trace& trace_;
  std::vector<Row> rows_;
  std::map<std::pair<ThreadId, std::uint32_t>, std::vector<std::size_t>> choices_;
  std::vector<std::size_t> next_event_;  // of the same thread; events.size(): none
  std::map<std::uint64_t, ThreadId> holders_;
};

void append(std::vector<Row>& out, const std::vector<Row>& rows, std::size_t begin, std::size_t end) {
  out.insert(out.end(), rows.begin() + index(begin), rows.begin() + index(end));
}

Row fold_row(ThreadId thread, std::string text) { return {Row::Kind::fold, thread, std::move(text), "", 0}; }

// Leaves out all but the head and the tail of a range.
void fold_range(std::vector<Row>& out, const std::vector<Row>& rows, std::size_t begin, std::size_t end,
                std::size_t head, std::size_t tail, const char* what) {
  append(out, rows, begin, begin + head);
  out.push_back(
      fold_row(rows[begin + head].thread, fmt::format("... {} {} ...", end - begin - head - tail, what)));
  append(out, rows, end - tail, end);
}

bool same_row(const Row& a, const Row& b) {
  return a.kind == Row::Kind::operation && b.kind == a.kind && a.thread == b.thread && a.text == b.text &&
         a.source == b.source;
}

// How often the `period` rows at begin stand there in a row.
std::size_t repetitions(const std::vector<Row>& rows, std::size_t begin, std::size_t period) {
  std::size_t end = begin + period;
  while (end < rows.size() && same_row(rows[end], rows[end - period])) ++end;
  return (end - begin) / period;
}

// A loop that only looks again and again is shown once.
std::vector<Row> fold_repetitions(const std::vector<Row>& rows) {
  constexpr std::size_t kPeriodMax = 4;
  constexpr std::size_t kRepetitionsMax = 2;  // more are folded
  std::vector<Row> folded;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t period = 1;
    while (period < kPeriodMax && repetitions(rows, i, period) <= kRepetitionsMax) ++period;
    std::size_t times = i + period <= rows.size() ? repetitions(rows, i, period) : 0;
    if (times <= kRepetitionsMax) {
      folded.push_back(rows[i++]);
      continue;
    }
    append(folded, rows, i, i + period);
    folded.push_back(fold_row(rows[i].thread, fmt::format("... the same {} more times ...", times - 1)));
    i += times * period;
  }
  return folded;
}

// Operations whose name alone says what they did to their object.
std::string plain_text(const Event& event, const std::string& object) {
  std::string text(operation_name(event.operation));
  if (!object.empty()) text += " " + object;
  if (event.outcome == Outcome::failed) text += " fails";
  if (event.outcome == Outcome::timed_out) text += " times out";
  return text;
}

std::string signal_text(const TraceFile& file, const Event& event, const EventPlaces& places) {
  std::string signal = signal_name(static_cast<int>(event.value));
  switch (event.operation) {
    case Operation::signal_send:
      return fmt::format("sends {} to {}", signal,
                         event.operand == 0 ? "the process" : thread_text(file, places.operand));
    case Operation::signal_handle: return fmt::format("handles {}", signal);
    case Operation::signal_accept:
      return event.outcome == Outcome::failed ? "finds no signal" : fmt::format("accepts {}", signal);
    case Operation::signal_action: return fmt::format("sets what {} does", signal);
    case Operation::timer_expire:
      return event.value == 0 ? "timer expires" : fmt::format("timer expires: {}", signal);
    default: return std::string(operation_name(event.operation));
  }
}

}  // namespace

std::string operation_text(const TraceFile& file, std::size_t i) {
  const Event& event = file.trace.events[i];
  const EventPlaces& places = places_of(file, i);
  if (is_about_signals(event.operation)) return signal_text(file, event, places);
  std::string object = object_text(file, places.object, event.object);
  std::string read = value_text(file, event.value, places.value, event.size);
  std::string wrote = value_text(file, event.operand, places.operand, event.size);
  switch (event.operation) {
    case Operation::load: return fmt::format("{} -> {}", object, read);
    case Operation::plain_load: return fmt::format("{} -> {} (plain)", object, read);
    case Operation::store: return fmt::format("{} = {}", object, wrote);
    case Operation::plain_store: return fmt::format("{} = {} (plain)", object, wrote);
    case Operation::read_modify_write: return fmt::format("{}: {} -> {}", object, read, wrote);
    case Operation::compare_exchange:
      if (event.outcome == Outcome::failed)
        return fmt::format("{} -> {}, so it does not become {}", object, read, wrote);
      return fmt::format("{}: {} -> {} (compare-exchange)", object, read, wrote);
    case Operation::cancel: return "cancels " + thread_text(file, places.object);
    case Operation::cancel_setting:
    case Operation::cancel_test:
    case Operation::cancelled: return std::string(operation_name(event.operation));
    case Operation::thread_create: return "creates " + thread_text(file, places.object);
    case Operation::thread_join: return "joins " + thread_text(file, places.object);
    case Operation::thread_end: return "ends";
    case Operation::choose:
    case Operation::clock_read: return fmt::format("{} -> {}", operation_name(event.operation), read);
    default: return plain_text(event, object);
  }
}

std::string waiter_text(const TraceFile& file, std::size_t i) {
  const Waiter& waiter = file.trace.failure.waiters[i];
  const Place object = i < file.trace.waiter_places.size() ? file.trace.waiter_places[i].object : Place{};
  std::string holder = waiter.holder == kNoThread ? "" : file.names.name(waiter.holder);
  if (waiter.operation == Operation::thread_join)
    return holder.empty() ? "join a thread" : fmt::format("join {}", holder);
  if (is_about_signals(waiter.operation)) return std::string(operation_name(waiter.operation));
  std::string text =
      fmt::format("{} {}", operation_name(waiter.operation), object_text(file, object, waiter.object));
  if (!holder.empty()) text += ", held by " + holder;
  if (waiter.spinning) text += ", in a loop that nothing ends";
  return text;
}

std::string failure_title(const Failure& failure) {
  std::string_view kind = bug_kind_name(failure.kind);
  std::string message;
  for (char c : failure.message) {
    bool space = c == ' ' || c == '\n' || c == '\t';
    if (!space) message += c;
    if (space && !message.empty() && message.back() != ' ') message += ' ';
  }
  return message.starts_with(kind) ? message : fmt::format("{}: {}", kind, message);
}

std::vector<Row> trace_rows(const TraceFile& file) { return Rows(file).run(); }

std::vector<Row> fold(const std::vector<Row>& all_rows) {
  std::vector<Row> rows = fold_repetitions(all_rows);
  std::vector<Row> folded;
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin;
    while (end < rows.size() && rows[end].thread == rows[begin].thread) ++end;
    if (end - begin > kStretchRowsMax) {
      fold_range(folded, rows, begin, end, kStretchHead, kStretchTail, "more operations");
    } else {
      append(folded, rows, begin, end);
    }
    begin = end;
  }
  if (folded.size() <= kTableRowsMax) return folded;
  std::vector<Row> shortened;
  fold_range(shortened, folded, 0, folded.size(), kTableHead, kTableTail, "more lines (thrum show --all)");
  return shortened;
}

}  // namespace thrum
