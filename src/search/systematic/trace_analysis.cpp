// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/systematic/trace_analysis.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "support/hash.hpp"

namespace thrum {

namespace {

std::uint64_t line_of(std::uint64_t address) { return address >> 3; }

// Whether an event can conflict with another one only by the eight bytes that its object lies in, or when the
// other is wide.
bool is_narrow(const Event& event) {
  switch (event.operation) {
    case Operation::wait_release:
    case Operation::wait_reacquire:
    case Operation::clock_read:
    case Operation::sleep:
    case Operation::timeout:
    case Operation::timer_set:
    case Operation::timer_read:
    case Operation::timer_expire:
    case Operation::cancel:
    case Operation::invariant:
    case Operation::process_exit: return false;
    default: return line_of(event.object) == line_of(event.object + std::max(event.size, 1u) - 1);
  }
}

// Whether one lets go of a lock that the other takes: they are never enabled together.
bool releases_for(const Event& release, const Event& acquire) {
  bool releases = release.operation == Operation::unlock || release.operation == Operation::shared_unlock ||
                  release.operation == Operation::wait_release;
  bool acquires = acquire.operation == Operation::lock || acquire.operation == Operation::shared_lock ||
                  acquire.operation == Operation::wait_reacquire;
  return releases && acquires;
}

// Whether a thread may have to wait while the operation is pending.
bool may_wait(Operation operation) {
  switch (operation) {
    case Operation::lock:
    case Operation::shared_lock:
    case Operation::wait_reacquire:
    case Operation::semaphore_wait:
    case Operation::barrier_leave:
    case Operation::once_enter:
    case Operation::futex_return:
    case Operation::sleep:
    case Operation::timeout:
    case Operation::signal_accept:
    case Operation::signal_wait: return true;
    default: return false;
  }
}

void join(std::vector<std::uint32_t>& clock, const std::vector<std::uint32_t>& other) {
  for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

}  // namespace

void TraceAnalysis::begin(const Plan& plan, const Trace& trace) {
  plan_ = &plan;
  trace_ = &trace;
  has_reversals_ = has_sleepers_ = false;
  for (auto& positions : events_) positions.clear();
  done_.clear();
  for (const Event& event : trace.events) {
    if (!is_visible(event.operation)) continue;
    if (events_.size() <= event.thread) events_.resize(event.thread + 1u);
    events_[event.thread].push_back(static_cast<std::uint32_t>(done_.size()));
    done_.push_back(&event);
  }
  standing_.clear();
  for (const PendingOperation& pending : trace.pending) {
    Event& event = standing_.emplace_back();
    event.thread = pending.thread;
    event.operation = pending.operation;
    event.object = pending.object;
    event.size = pending.size;
    event.operand = pending.operand;
    event.focus = pending.focus;
  }
  positions_.clear();
  choice_at_.assign(done_.size() + 1, kNone);
  for (std::uint32_t i = 0; i < trace.choices.size(); ++i) {
    const ChoicePoint& point = trace.choices[i];
    positions_.push_back(find_position(point));
    if (point.key.kind == ChoiceKind::thread) choice_at_[positions_[i]] = i;
  }
  first_new_ = 0;
  for (std::size_t i = 0, departure = 0; departure < plan.departures.size() && i < trace.choices.size();
       ++i) {
    if (trace.choices[i].key != plan.departures[departure].key) continue;
    ++departure;
    first_new_ = i + 1;
  }
}

// A thread choice comes behind the last event that its thread had done then; others are in the next one.
std::uint32_t TraceAnalysis::find_position(const ChoicePoint& point) const {
  if (point.key.thread >= events_.size()) return 0;
  const auto& own = events_[point.key.thread];
  auto next = std::partition_point(own.begin(), own.end(), [&](std::uint32_t position) {
    return done_[position]->index < point.key.index;
  });
  if (point.key.kind == ChoiceKind::thread) return next == own.begin() ? 0 : *(next - 1) + 1;
  return next == own.end() ? static_cast<std::uint32_t>(done_.size()) : *next;
}

const Event* TraceAnalysis::next_of(ThreadId thread, std::uint32_t position) const {
  if (thread < events_.size()) {
    const auto& own = events_[thread];
    auto next = std::lower_bound(own.begin(), own.end(), position);
    if (next != own.end()) return done_[*next];
  }
  auto standing = std::find_if(standing_.begin(), standing_.end(),
                               [&](const Event& event) { return event.thread == thread; });
  return standing == standing_.end() ? nullptr : &*standing;
}

std::span<const Option> TraceAnalysis::runnable(const ChoicePoint& point) const {
  if (point.key.kind != ChoiceKind::thread) return {};
  return trace_->options_of(point).first(point.enabled);
}

// A choice with one option is not recorded.
bool TraceAnalysis::enabled_at(std::uint32_t position, ThreadId thread) const {
  std::uint32_t choice = choice_at_[position];
  if (choice == kNone) return position < done_.size() && done_[position]->thread == thread;
  std::span<const Option> options = runnable(trace_->choices[choice]);
  return std::any_of(options.begin(), options.end(),
                     [&](const Option& option) { return option.value == thread; });
}

TraceAnalysis::Reversal TraceAnalysis::reversal(std::size_t choice, std::uint16_t option) {
  const ChoicePoint& point = trace_->choices[choice];
  if (point.key.kind != ChoiceKind::thread) return Reversal::exact;
  if (option >= point.enabled || trace_->options_of(point)[option].via != Via::run)
    return Reversal::conservative;
  if (!has_reversals_) find_reversals();
  return reversals_[point.options_begin + option];
}

bool TraceAnalysis::sleeps(std::size_t choice, std::uint16_t option) {
  if (!has_sleepers_) find_sleepers();
  return sleeping_[trace_->choices[choice].options_begin + option];
}

// ---- reversals

void TraceAnalysis::find_reversals() {
  has_reversals_ = true;
  reversals_.assign(trace_->options.size(), Reversal::none);
  if (first_new_ == trace_->choices.size()) return;
  begin_ = positions_[first_new_];
  number_threads(begin_);
  clocks_.resize(std::max(clocks_.size(), done_.size() - begin_));
  line_before_.assign(done_.size() - begin_, kNone);
  rank_.assign(done_.size() - begin_, 0);
  changing_before_.assign(done_.size() - begin_, kNone);
  constexpr std::size_t kHeadsMin = 256, kHeadsMax = 1 << 16;
  const std::size_t heads = std::clamp(std::bit_ceil(done_.size() - begin_), kHeadsMin, kHeadsMax);
  line_heads_.assign(heads, {kNone, kNone});
  wide_.clear();
  std::vector<std::uint32_t> own_last(known_.size(), kNone);
  for (std::uint32_t i = begin_; i < done_.size(); ++i) {
    const Event& event = *done_[i];
    std::uint32_t column = column_[event.thread];
    if (i > begin_) add_enabling_edges(i);
    look_back(event, i, own_last[column]);
    rank_[i - begin_] = ++joined_[column];
    known_[column] = joined_;
    clocks_[i - begin_] = joined_;
    own_last[column] = i;
    link(i);
  }
  for (const Event& event : standing_)
    look_back(event, static_cast<std::uint32_t>(done_.size()), own_last[column_[event.thread]]);
}

void TraceAnalysis::number_threads(std::uint32_t begin) {
  std::uint32_t count = 0;
  column_.clear();
  auto number = [&](ThreadId thread) {
    if (column_.size() <= thread) column_.resize(thread + 1u, kNone);
    if (column_[thread] == kNone) column_[thread] = count++;
  };
  for (std::size_t i = begin; i < done_.size(); ++i) number(done_[i]->thread);
  for (const Event& event : standing_) number(event.thread);
  known_.assign(count, Clock(count, 0));
}

// A thread that was not enabled before the last event, and is now, is so because of it. One whose pending
// operation is a lock, say, could also have had it before: so only a thread counts that was created, or has
// joined another, since.
void TraceAnalysis::add_enabling_edges(std::uint32_t position) {
  const Event& last = *done_[position - 1];
  auto enabled = [&](ThreadId thread) {
    if (thread == last.thread || thread >= column_.size() || column_[thread] == kNone) return;
    if (enabled_at(position - 1, thread)) return;
    const Event* next = next_of(thread, position);
    bool is_new = thread >= events_.size() || events_[thread].empty() || events_[thread].front() >= position;
    bool stood = next != nullptr && dependent(last, *next) &&
                 (may_wait(next->operation) || !(is_new || next_of(last.thread, position) == nullptr));
    if (!stood) join(known_[column_[thread]], clocks_[position - 1 - begin_]);
  };
  std::uint32_t choice = choice_at_[position];
  if (choice == kNone) return enabled(done_[position]->thread);
  for (const Option& option : runnable(trace_->choices[choice])) enabled(option.value);
}

// The events before the one that is looked at which may conflict with it, the last first.
class TraceAnalysis::Earlier {
 public:
  Earlier(const TraceAnalysis& analysis, const Event& event, std::uint32_t position)
      : analysis_(analysis),
        narrow_(is_narrow(event)),
        only_loads_(event.operation == Operation::load),
        position_(position),
        wide_(analysis.wide_.size()) {
    if (!narrow_) return;
    const LineHeads& heads = analysis.line_heads_[analysis.line_head(event.object)];
    in_line_ = only_loads_ ? heads.changing : heads.any;
  }

  // kNone: no more.
  std::uint32_t next() {
    if (!narrow_) return position_ > analysis_.begin_ ? --position_ : kNone;
    std::uint32_t wide = wide_ > 0 ? analysis_.wide_[wide_ - 1] : kNone;
    if (in_line_ == kNone || (wide != kNone && wide > in_line_)) {
      if (wide != kNone) --wide_;
      return wide;
    }
    const auto& before = only_loads_ ? analysis_.changing_before_ : analysis_.line_before_;
    return std::exchange(in_line_, before[in_line_ - analysis_.begin_]);
  }

 private:
  const TraceAnalysis& analysis_;
  bool narrow_;
  bool only_loads_;  // and so conflicts with no load
  std::uint32_t position_;
  std::size_t wide_;
  std::uint32_t in_line_ = kNone;
};

// Marks what the event is to be reversed with, and leaves in joined_ what happens before it.
void TraceAnalysis::look_back(const Event& event, std::uint32_t position, std::uint32_t own_last) {
  const Clock& known = known_[column_[event.thread]];
  joined_ = known;
  bool open = true;  // the last conflict before the operation was pending was not met yet
  Earlier candidates(*this, event, position);
  for (std::uint32_t i = candidates.next(); i != kNone; i = candidates.next()) {
    const Event& earlier = *done_[i];
    if (earlier.thread == event.thread) {
      if (covers(earlier, event)) break;
      continue;
    }
    if (!dependent(earlier, event)) continue;
    bool is_known = known[column_[earlier.thread]] >= rank_[i - begin_];
    if (!is_known && open) {
      bool release = releases_for(earlier, event);
      mark(i, event.thread, release ? Reversal::conservative : Reversal::exact);
      if (!release && own_last != kNone && i < own_last) open = false;
    }
    join(joined_, clocks_[i - begin_]);
    if ((is_known || !open) && covers(earlier, event)) break;
  }
}

void TraceAnalysis::mark(std::uint32_t position, ThreadId thread, Reversal reversal) {
  std::uint32_t choice = choice_at_[position];
  if (choice == kNone || choice < first_new_) return;
  const ChoicePoint& point = trace_->choices[choice];
  std::span<const Option> options = runnable(point);
  auto raise = [&](std::size_t option, Reversal to) {
    Reversal& now = reversals_[point.options_begin + option];
    now = std::max(now, to);
  };
  bool found = false;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i].value != thread || options[i].via != Via::run) continue;
    raise(i, reversal);
    found = true;
  }
  if (found && reversal == Reversal::exact) return;
  for (std::size_t i = 0; i < options.size(); ++i) raise(i, Reversal::conservative);
}

void TraceAnalysis::link(std::uint32_t position) {
  const Event& event = *done_[position];
  if (!is_narrow(event)) return wide_.push_back(position);
  LineHeads& heads = line_heads_[line_head(event.object)];
  line_before_[position - begin_] = std::exchange(heads.any, position);
  changing_before_[position - begin_] = heads.changing;
  if (event.operation != Operation::load) heads.changing = position;
}

std::size_t TraceAnalysis::line_head(std::uint64_t object) const {
  return mixed(line_of(object), 0) & (line_heads_.size() - 1);
}

// ---- sleep sets

void TraceAnalysis::find_sleepers() {
  has_sleepers_ = true;
  redundant_ = false;
  sleepers_.clear();
  sleeping_.assign(trace_->options.size(), false);
  std::uint32_t done = 0;  // events
  std::size_t departure = 0;
  for (std::size_t i = 0; i < trace_->choices.size(); ++i) {
    const ChoicePoint& point = trace_->choices[i];
    while (done < positions_[i]) run_past(*done_[done++]);
    std::span<const Option> options = trace_->options_of(point);
    for (std::size_t option = 0; option < options.size(); ++option) {
      bool runs = option < point.enabled && options[option].via == Via::run;
      sleeping_[point.options_begin + option] =
          redundant_ || (runs && std::any_of(sleepers_.begin(), sleepers_.end(), [&](const Sleeper& sleeper) {
                           return sleeper.thread == options[option].value;
                         }));
    }
    if (departure == plan_->departures.size() || plan_->departures[departure].key != point.key) continue;
    ++departure;
    put_to_sleep(point, positions_[i]);
  }
}

void TraceAnalysis::run_past(const Event& event) {
  std::erase_if(sleepers_, [&](const Sleeper& sleeper) {
    if (sleeper.thread == event.thread) redundant_ = true;
    return dependent(*sleeper.next, event);
  });
}

// What was run at this choice before the option that the plan departs by.
void TraceAnalysis::put_to_sleep(const ChoicePoint& point, std::uint32_t position) {
  std::span<const Option> options = runnable(point);
  if (options.empty()) return;
  std::uint16_t first = default_option(point, trace_->options_of(point), plan_->policy.base);
  for (std::uint16_t i = 0; i < options.size(); ++i) {
    ThreadId thread = options[i].value;
    bool ran = i != point.taken && (i == first || i < point.taken) && options[i].via == Via::run;
    const Event* next = ran ? next_of(thread, position) : nullptr;
    bool known = std::any_of(sleepers_.begin(), sleepers_.end(),
                             [&](const Sleeper& sleeper) { return sleeper.thread == thread; });
    if (next != nullptr && !known) sleepers_.push_back({thread, next});
  }
}

}  // namespace thrum
