// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/reads_from.hpp"

#include <algorithm>

namespace thrum {

namespace {

// Whether the failure of a thread is a function of what it has read: whether all executions of a class fail.
bool is_of_class(BugKind kind) {
  switch (kind) {
    case BugKind::data_race:
    case BugKind::use_after_free:
    case BugKind::double_free:
    case BugKind::out_of_memory:
    case BugKind::hang: return false;
    default: return true;
  }
}

}  // namespace

void ReadsFrom::Cut::reach(ThreadId thread, Count count) {
  if (counts_.size() <= thread) counts_.resize(thread + std::size_t{1});
  counts_[thread] = std::max(counts_[thread], count);
}

void ReadsFrom::Cut::join(const Cut& other) {
  if (counts_.size() < other.counts_.size()) counts_.resize(other.counts_.size());
  for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] = std::max(counts_[i], other.counts_[i]);
}

void ReadsFrom::read(const Trace& trace, Locations& locations, Pasts pasts, std::size_t begin) {
  pasts_kept_ = pasts;
  steps_.clear();
  pasts_.clear();
  without_source_.clear();
  causal_.clear();
  threads_.clear();
  knows_.clear();
  last_write_.clear();
  first_updates_.clear();
  not_covered_ = {};
  depends_on_time_ = several_create_ = false;
  creator_ = kNoThread;
  // First, since a later event may show that an earlier one's location is another.
  for (std::size_t i = begin; i < trace.events.size(); ++i) {
    if (is_visible(trace.events[i].operation)) locations.learn(trace.events[i]);
  }
  for (const RecordedAccess& access : trace.accesses) locations.learn(access);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    if (!is_visible(event.operation)) {
      append_hidden(event);
    } else if (i >= begin) {
      append(event, locations);
    }
  }
  add_choices(trace);
  look_for_limits(trace);
}

ReadsFrom::Knowledge& ReadsFrom::of(ThreadId thread) {
  if (knows_.size() <= thread) {
    knows_.resize(thread + std::size_t{1});
    threads_.resize(thread + std::size_t{1});
  }
  return knows_[thread];
}

void ReadsFrom::append(const Event& event, Locations& locations) {
  of(event.thread);
  Step& step = steps_.emplace_back();
  step.event = event;
  step.events_after = event.index + 1;
  std::vector<Index>& thread = threads_[event.thread];
  step.place = static_cast<Count>(thread.size());
  step.previous = thread.empty() ? kNone : thread.back();
  step.location = locations.find(event);
  if (step.location != Locations::kNone) {
    step.reads = locations.reads(event, step.location);
    step.writes = locations.writes(event, step.location);
  }
  thread.push_back(size() - 1);
  if (pasts_kept_ == Pasts::yes) append_past(step);
}

void ReadsFrom::append_past(Step& step) {
  const Event& event = step.event;
  const Index at = size() - 1;
  Knowledge& own = of(event.thread);
  step.causes = std::move(own.news);
  own.news.clear();
  if (event.woken_by != 0 && event.woken_by <= at) {
    const Index waker = event.woken_by - 1;
    step.causes.push_back(waker);
    own.past.join(pasts_[waker]);
    own.causal.join(causal_[waker]);
  }
  own.past.reach(event.thread, step.place + 1);
  own.causal.reach(event.thread, step.place + 1);
  without_source_.push_back(own.past);
  if (step.location != Locations::kNone) {
    if (last_write_.size() <= step.location) {
      last_write_.resize(step.location + std::size_t{1}, kNone);
      first_updates_.resize(last_write_.size(), kNone);
    }
    Index& last = last_write_[step.location];
    if (step.reads) step.source = last;
    if (step.reads && step.writes)
      (last != kNone ? steps_[last].updated_by : first_updates_[step.location]) = at;
    if (step.source != kNone) own.past.join(pasts_[step.source]);
    if (step.writes) last = at;
  }
  pasts_.push_back(own.past);
  causal_.push_back(own.causal);
}

void ReadsFrom::append_hidden(const Event& event) {
  const auto other = static_cast<ThreadId>(event.argument);
  if (event.operation == Operation::thread_create) {
    teach(other, event.thread);
    if (event.object != 0 && creator_ != kNoThread && creator_ != event.thread) several_create_ = true;
    if (event.object != 0) creator_ = event.thread;
  } else if (event.operation == Operation::thread_join) {
    teach(event.thread, other);
  } else if (event.operation == Operation::others_ended) {
    for (ThreadId each = 0; each < threads(); ++each) {
      if (each != event.thread) teach(event.thread, each);
    }
  }
}

void ReadsFrom::teach(ThreadId to, ThreadId from) {
  if (pasts_kept_ == Pasts::no) return;
  of(std::max(to, from));
  Knowledge& learner = knows_[to];
  learner.past.join(knows_[from].past);
  learner.causal.join(knows_[from].causal);
  if (!threads_[from].empty()) learner.news.push_back(threads_[from].back());
  // What that one has learned and not passed on to a step of its own.
  const std::vector<Index> news = knows_[from].news;
  learner.news.insert(learner.news.end(), news.begin(), news.end());
}

ReadsFrom::Cut ReadsFrom::causal_of_next(ThreadId thread) const {
  return thread < knows_.size() ? knows_[thread].causal : Cut();
}

void ReadsFrom::add_choices(const Trace& trace) {
  // Main's: before its own first step, wherever that is.
  first_key_ = {kMainThread, ChoiceKind::thread, 0};
  if (steps_of(kMainThread) != 0) {
    first_key_.index = steps_[step_of(kMainThread, 0)].event.index;
  } else if (!trace.choices.empty() && trace.choices[0].key.thread == kMainThread) {
    first_key_.index = trace.choices[0].key.index;
  }
  for (const ChoicePoint& point : trace.choices) {
    if (point.key.kind == ChoiceKind::thread || point.key.thread >= threads()) continue;
    const std::vector<Index>& own = threads_[point.key.thread];
    auto step = std::find_if(own.begin(), own.end(),
                             [&](Index i) { return steps_[i].event.index == point.key.index; });
    if (step == own.end()) continue;  // the execution ended in its middle
    const std::span<const Option> options = trace.options_of(point);
    steps_[*step].choices.push_back(
        {{point.key, options[point.taken]}, std::vector<Option>(options.begin(), options.end())});
  }
}

void ReadsFrom::look_for_limits(const Trace& trace) {
  const bool blocks = trace.rounds == Rounds::block;  // loops whose rounds only read are covered
  bool loops = !trace.watches.empty() || !trace.awaits.empty() || !trace.refusals.empty() ||
               (trace.end == End::waiting && !blocks) || trace.end == End::goes_round ||
               trace.waiting != Waiting::spins || trace.rounds > Rounds::block;
  for (const PendingOperation& pending : trace.pending) {
    if (is_visible(pending.operation) && !Locations::handles(pending.operation))
      not_covered_ = operation_name(pending.operation);
    loops = loops || pending.condition != 0 ||
            (!pending.enabled && !blocks && !may_have_to_wait(pending.operation));
  }
  for (Index i = 0; i < size(); ++i) {
    const Event& event = steps_[i].event;
    loops = loops || event.forced;
    depends_on_time_ = depends_on_time_ || event.timed || event.has_deadline ||
                       event.operation == Operation::timeout || event.operation == Operation::sleep;
    if (!Locations::handles(event.operation)) not_covered_ = operation_name(event.operation);
    if (event.operation == Operation::process_exit && i + 1 != size())
      not_covered_ = "threads that go on while the process exits";
  }
  for (const RecordedAccess& access : trace.accesses) {
    const bool is_covered = Locations::handles(access.operation) && access.operation != Operation::choose &&
                            access.operation != Operation::process_exit;
    if (access.in_section && !is_covered)
      not_covered_ = "atomic sections that choose, join threads or end the process";
  }
  for (const Option& option : trace.options) {
    depends_on_time_ = depends_on_time_ || option.via == Via::timeout;
    if (option.via != Via::run && option.via != Via::timeout) not_covered_ = "signals and spurious wake-ups";
  }
  if (trace.end == End::bug && trace.failure.kind == BugKind::livelock && !blocks) loops = true;
  if (trace.end == End::bug && !is_of_class(trace.failure.kind))
    not_covered_ = "what comes behind a data race, misuse of the heap or a hang";
  if (trace.reveals_threads) not_covered_ = "calls that tell whether a thread was joined or detached";
  if (loops) not_covered_ = "loops that wait for a time, or whose rounds write";
}

}  // namespace thrum
