// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by text_report_test.cpp.
#include "report/trace_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "report/event_text.hpp"
#include "report/source_lines.hpp"
#include "report/wait_ends.hpp"

namespace thrum {

namespace {

std::string source_of(const std::optional<SourceLine>& line) {
  if (!line) return "";
  return fmt::format("{}:{}", line->file.substr(line->file.rfind('/') + 1), line->line);
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
      if (!trace_.lasso.empty() && i == trace_.lasso.begin)
        add(Row::Kind::mark, event.thread, "from here on the same comes again and again:");
      std::string text = operation_text(file_, i);
      if (comes_before_wait(i)) text += " (before it waits)";
      rows_.push_back({Row::Kind::operation, event.thread, std::move(text),
                       source_of(shown_line(file_, places_of(file_, i).stack)), i + 1});
      follow_locks(i);
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
    // What a new thread does before its first operation belongs to its creation.
    if (point && point->running_enabled && taken(*point).value != event.thread) {
      if (point->yielded) return;
      add(Row::Kind::preemption, event.thread, preempted_text(event.thread, goes_on ? next : kNone));
      return;
    }
    if (event.operation == Operation::thread_end || event.operation == Operation::process_exit) return;
    // A new thread runs at once up to its first operation.
    if (event.operation == Operation::thread_create && !is_visible(trace_.events[last + 1].operation)) return;
    if (!goes_on) return add_stand(event.thread);
    if (!may_block(trace_.events[next].operation)) return;
    if (comes_before_wait(next)) return add(Row::Kind::wait, event.thread, "is about to wait");
    std::string text = wait_text(file_, next) + holder_text(next);
    if (auto end = wait_ended_by(file_, last, next)) text += fmt::format(" (until {})", *end + 1);
    add(Row::Kind::wait, event.thread, std::move(text));
  }

  // What a thread stands before that does no more in this trace.
  void add_stand(ThreadId thread) {
    const std::vector<Waiter>& waiters = trace_.failure.waiters;
    for (std::size_t i = 0; i < waiters.size() && i < trace_.details.waiter_places.size(); ++i) {
      if (waiters[i].thread != thread) continue;
      return add(Row::Kind::wait, thread, waiter_text(file_, waiters[i], trace_.details.waiter_places[i]));
    }
    for (std::size_t i = 0; i < trace_.details.others.size() && i < trace_.details.other_places.size(); ++i) {
      if (trace_.details.others[i].thread != thread) continue;
      return add(Row::Kind::wait, thread,
                 waiter_text(file_, trace_.details.others[i], trace_.details.other_places[i]));
    }
    if (trace_.failure.thread != thread) add(Row::Kind::wait, thread, "does no more");
  }

  void add(Row::Kind kind, ThreadId thread, std::string text) {
    rows_.push_back({kind, thread, std::move(text), "", 0});
    if (kind == Row::Kind::wait) last_wait_[thread] = rows_.size();
  }

  std::string preempted_text(ThreadId thread, std::size_t next) const {
    if (next != kNone) return "preempted before: " + operation_text(file_, next) + holder_text(next);
    for (std::size_t i = 0; i < trace_.failure.waiters.size() && i < trace_.details.waiter_places.size();
         ++i) {
      const Waiter& waiter = trace_.failure.waiters[i];
      if (waiter.thread == thread)
        return preempted_before(waiter_text(file_, waiter, trace_.details.waiter_places[i]));
    }
    for (std::size_t i = 0; i < trace_.details.others.size() && i < trace_.details.other_places.size(); ++i) {
      if (trace_.details.others[i].thread == thread)
        return preempted_before(waiter_text(file_, trace_.details.others[i], trace_.details.other_places[i]));
    }
    return "preempted";
  }

  // stand: a waiter_text().
  static std::string preempted_before(const std::string& stand) {
    for (std::string_view beginning : {"was about to: ", "waits: "}) {
      if (stand.starts_with(beginning)) return "preempted before: " + stand.substr(beginning.size());
    }
    return "preempted; then " + stand;
  }

  const Option& taken(const ChoicePoint& point) const { return trace_.options_of(point)[point.taken]; }

  // Whether an event begins a handler for a signal that came before its thread waited, and ends no wait.
  bool comes_before_wait(std::size_t i) const {
    if (i == 0 || trace_.events[i].operation != Operation::signal_handle) return false;
    auto found = choices_.find(place_behind(trace_.events[i - 1]));
    return found != choices_.end() &&
           std::any_of(found->second.begin(), found->second.end(), [&](std::size_t choice) {
             const Option& option = taken(trace_.choices[choice]);
             return option.via == Via::signal_first && option.value == trace_.events[i].thread;
           });
  }

  // Who stands behind an event, and how far it has come there: what is no visible operation is not counted.
  static std::pair<ThreadId, std::uint32_t> place_behind(const Event& event) {
    return {event.thread, event.index + (is_visible(event.operation) ? 1 : 0)};
  }

  // The choice that stood behind an event; where there were several, each is given once.
  const ChoicePoint* take_choice(const Event& event) {
    auto found = choices_.find(place_behind(event));
    if (found == choices_.end() || found->second.size() == used_[found->first]) return nullptr;
    return &trace_.choices[found->second[used_[found->first]++]];
  }

  ObjectName object_of(std::size_t event) const {
    return object_name(places_of(file_, event).object, trace_.events[event].object);
  }

  // ", held by 0.2", where the event is to take a lock that another thread has.
  std::string holder_text(std::size_t next) const {
    const Event& event = trace_.events[next];
    if (event.operation != Operation::lock && event.operation != Operation::shared_lock) return "";
    auto holder = holders_.find(object_of(next));
    if (holder == holders_.end() || holder->second == event.thread) return "";
    return ", held by " + file_.names.name(holder->second);
  }

  void follow_locks(std::size_t i) {
    const Event& event = trace_.events[i];
    const EventPlaces& places = places_of(file_, i);
    ObjectName operand = object_name(places.operand, event.operand);
    bool takes = event.operation == Operation::lock ||
                 (event.operation == Operation::try_lock && event.outcome == Outcome::done);
    if (takes) holders_[object_of(i)] = event.thread;
    if (event.operation == Operation::wait_reacquire) holders_[operand] = event.thread;
    if (event.operation == Operation::unlock) holders_.erase(object_of(i));
    if (event.operation == Operation::wait_release) holders_.erase(operand);
  }

  // Last stands what could not go on, or what failed.
  void add_failure() {
    const Failure& failure = trace_.failure;
    if (failure.empty()) return;
    if (failure.waiters.empty()) {
      if (!trace_.events.empty() && trace_.events.back().thread != failure.thread)
        add_switch(trace_.events.size() - 1);
      rows_.push_back(
          {Row::Kind::failure, failure.thread, failure_title(failure), source_of(failing_line(file_)), 0});
      return;
    }
    for (const Waiter& waiter : failure.waiters) {
      auto last = last_wait_.find(waiter.thread);
      bool said = last != last_wait_.end() && is_last_of(waiter.thread, last->second);
      if (!said) add_stand(waiter.thread);
    }
  }

  // Whether a thread has no row behind the first `count`.
  bool is_last_of(ThreadId thread, std::size_t count) const {
    return std::none_of(rows_.begin() + static_cast<std::ptrdiff_t>(count), rows_.end(),
                        [&](const Row& row) { return row.thread == thread; });
  }

  static constexpr std::size_t kNone = ~std::size_t{0};

  const TraceFile& file_;
  const Trace& trace_;
  std::vector<Row> rows_;
  std::map<std::pair<ThreadId, std::uint32_t>, std::vector<std::size_t>> choices_;
  std::map<std::pair<ThreadId, std::uint32_t>, std::size_t> used_;  // how many of those take_choice() gave
  std::vector<std::size_t> next_event_;                             // of the same thread; events.size(): none
  std::map<ObjectName, ThreadId> holders_;
  std::map<ThreadId, std::size_t> last_wait_;  // how many rows there were with a thread's last wait
};

}  // namespace

std::vector<Row> trace_rows(const TraceFile& file) { return Rows(file).run(); }

}  // namespace thrum
