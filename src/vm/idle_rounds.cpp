// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/idle_rounds.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "objects/objects.hpp"

namespace thrum::vm {

namespace {

constexpr std::uint64_t kWord = 8;

// Calls visit(word, mask) for each aligned word of a range, with a mask of the bytes in the range.
template <typename Visit>
void each_word(std::uint64_t address, std::uint64_t size, Visit visit) {
  const std::uint64_t end = address + size;
  for (std::uint64_t word = address & ~(kWord - 1); word < end; word += kWord) {
    const std::uint64_t first = std::max(word, address) - word;
    const std::uint64_t last = std::min(word + kWord, end) - word;
    visit(word, (std::uint64_t{1} << last) - (std::uint64_t{1} << first));
  }
}

std::uint64_t lock_key(std::uint64_t object) { return ~object; }

bool is_access(Operation operation) {
  switch (operation) {
    case Operation::load:
    case Operation::store:
    case Operation::read_modify_write:
    case Operation::compare_exchange:
    case Operation::racy_load:
    case Operation::racy_store: return true;
    default: return false;
  }
}

// Whether the operation, which has changed something, took its object, without a deadline.
bool takes(const Thread& thread) {
  const bool blocks = thread.operation == Operation::lock || thread.operation == Operation::shared_lock ||
                      thread.operation == Operation::semaphore_wait;
  return thread.needs != Wait::nothing && (is_attempt(thread.operation) || (blocks && !thread.timed));
}

bool gives(Operation operation) {
  return operation == Operation::unlock || operation == Operation::shared_unlock ||
         operation == Operation::semaphore_post;
}

bool overlap(std::uint64_t one, std::uint64_t one_size, std::uint64_t other, std::uint64_t other_size) {
  return one < other + std::max<std::uint64_t>(other_size, 1) &&
         other < one + std::max<std::uint64_t>(one_size, 1);
}

}  // namespace

bool is_attempt(Operation operation) {
  return operation == Operation::try_lock || operation == Operation::try_shared_lock ||
         operation == Operation::semaphore_try_wait;
}

bool is_free(Wait wait, std::uint64_t object) {
  switch (wait) {
    case Wait::lock: return lock_is_free(object);
    case Wait::shared_lock: return shared_lock_is_free(object);
    case Wait::spin_lock: return spin_lock_is_free(object);
    case Wait::semaphore: return semaphore_count(object) != 0;
    default: return true;
  }
}

// Executions.

void IdleRounds::begin(Waiting waiting, bool again) {
  rule_ = waiting;
  if (mode_ == Mode::trial && is_trial_ && !again) end_trial();  // it ended before the limit of steps
  mode_ = waits_when_idle(waiting) ? Mode::on : is_trial_ ? Mode::trial : Mode::off;
  if (mode_ == Mode::off) return;
  forget_log();
  forgotten_ = effects_ = 0;
  changes_.clear();
  for (PerThread& one : threads_) {
    one.waits = 0;
    one.events = ~std::uint32_t{0};
    one.watches.clear();
    one.values.clear();
    one.written.clear();
    one.round_given_at = kNever;
    one.discounted = 0;
    one.depends_on_time = false;
  }
}

IdleRounds::PerThread& IdleRounds::of(const Thread& thread) {
  if (threads_.size() <= thread.slot) threads_.resize(thread.slot + std::size_t{1});
  return threads_[thread.slot];
}

void IdleRounds::forget_log() {
  forgotten_ += log_.size();
  log_.clear();
  bytes_.clear();
  for (PerThread& one : threads_) one.visit_count = 0;
}

std::uint64_t IdleRounds::steps_to_trial(std::uint64_t limit) const {
  if (mode_ == Mode::on || waiting_ != Waiting::spins) return limit;  // known by now
  return std::min(limit, is_trial_ ? trial_after_ * kTrialSteps : trial_after_);
}

bool IdleRounds::turns_at(std::uint64_t steps) {
  if (mode_ == Mode::on || waiting_ != Waiting::spins ||
      steps < (is_trial_ ? trial_after_ * kTrialSteps : trial_after_))
    return false;
  if (is_trial_) {
    end_trial();
  } else {
    is_trial_ = true;
  }
  return true;
}

void IdleRounds::end_trial() {
  is_trial_ = false;
  trial_after_ *= kNextTrial;
}

// The log.

IdleRounds::Entry& IdleRounds::add(const Thread& thread, Kind kind, std::uint64_t object,
                                   std::uint64_t size) {
  if (log_.size() == kLogMax) forget_log();
  return log_.emplace_back(
      Entry{object, static_cast<std::uint32_t>(size), 0, thread.slot, kind, Wait::nothing, false});
}

void IdleRounds::note_memory(const Thread& thread, Kind kind, std::uint64_t object, std::uint32_t size,
                             const void* value) {
  Entry& entry = add(thread, kind, object, size);
  if (kind == Kind::write) ++effects_;
  if (kind != Kind::read) return;
  entry.bytes = static_cast<std::uint32_t>(bytes_.size());
  const char* const from = static_cast<const char*>(value);
  bytes_.insert(bytes_.end(), from, from + size);
}

void IdleRounds::note_plain(const Thread& thread, bool writes, std::uint64_t address, std::uint64_t size) {
  if (size == 0) return;
  if (size > kSizeMax) return note_opaque(thread);
  note_memory(thread, writes ? Kind::write : Kind::read, address, static_cast<std::uint32_t>(size),
              &at<char>(address));
}

void IdleRounds::note_operation(const Thread& thread, bool changes, std::uint64_t value, Outcome outcome) {
  const Operation operation = thread.operation;
  if (changes) ++changes_[thread.object];
  const bool reads_word = !changes && operation == Operation::futex_wait;
  if ((is_access(operation) || reads_word) && thread.size <= kWord) {
    // Any operation but a store has read the old value.
    const bool stores = operation == Operation::store || operation == Operation::racy_store;
    if (!stores) note_memory(thread, Kind::read, thread.object, thread.size, &value);
    if (changes) note_memory(thread, Kind::write, thread.object, thread.size, nullptr);
    return;
  }
  if (is_attempt(operation) || operation == Operation::lock_queue) {
    Entry& attempt = add(thread, Kind::attempt, thread.object, 0);
    attempt.needs = thread.needs;
    attempt.succeeded = outcome != Outcome::failed;
  }
  if (!changes && !is_attempt(operation)) note_read_of(thread, thread.object);
  if (!changes) return;
  ++effects_;
  if (takes(thread)) {
    add(thread, Kind::take, thread.object, 0);
  } else if (gives(operation)) {
    add(thread, Kind::give, thread.object, 0);
  } else {
    note_opaque(thread);
  }
}

std::uint64_t IdleRounds::changes_of(std::uint64_t object) const {
  const auto found = changes_.find(object);
  return found == changes_.end() ? 0 : found->second;
}

void IdleRounds::note_read_of(const Thread& thread, std::uint64_t object) {
  add(thread, Kind::read, object, 0).bytes = static_cast<std::uint32_t>(changes_of(object));
}

void IdleRounds::note_opaque(const Thread& thread) {
  ++effects_;
  of(thread).visit_count = 0;
}

// Rounds.

// Goes through the log of a round, and decides whether anybody saw what it did.
class IdleRounds::Judge {
 public:
  Judge(IdleRounds& rounds, const Thread& thread, PerThread& mine)
      : rounds_(rounds), thread_(thread), mine_(mine) {}

  bool is_unseen(std::size_t begin) {
    find_last_writes(begin);
    rounds_.words_.clear();
    mine_.watches.clear();
    mine_.values.clear();
    mine_.written.clear();
    for (at_ = begin; at_ < rounds_.log_.size(); ++at_) {
      const Entry& entry = rounds_.log_[at_];
      if (!(entry.slot == thread_.slot ? take_own(entry) : is_unseen_by(entry))) return false;
    }
    return held_.empty();
  }
  std::uint64_t effects() const { return effects_; }
  // Of them: those that belong to no idle round so far.
  std::uint64_t fresh_effects() const { return fresh_effects_; }

 private:
  struct Held {
    std::uint64_t lock;
    int count;
  };

  // What others do behind the round's last change of a word or lock is none of its matter: it may come in any
  // order.
  void find_last_writes(std::size_t begin) {
    rounds_.last_writes_.clear();
    for (std::size_t i = begin; i < rounds_.log_.size(); ++i) {
      const Entry& entry = rounds_.log_[i];
      if (entry.slot != thread_.slot) continue;
      if (entry.kind == Kind::take || entry.kind == Kind::give) {
        rounds_.last_writes_[lock_key(entry.object)] = i + 1;
      } else if (entry.kind == Kind::write) {
        each_word(entry.object, entry.size,
                  [&](std::uint64_t word, std::uint64_t) { rounds_.last_writes_[word] = i + 1; });
      }
    }
  }

  bool take_own(const Entry& entry) {
    switch (entry.kind) {
      case Kind::read: return read(entry);
      case Kind::write: write(entry); return true;
      case Kind::take: return hold(entry.object, 1);
      case Kind::give: return hold(entry.object, -1);
      case Kind::attempt: watch(entry, 0); return entry.needs != Wait::nothing;
    }
    return false;
  }

  void watch(const Entry& entry, std::uint32_t bytes) {
    mine_.watches.push_back(
        {entry.object, entry.size, bytes, entry.needs, entry.succeeded, rounds_.forgotten_ + at_});
  }

  // What the round itself has written, all of it, it need not wait for.
  bool read(const Entry& entry) {
    if (entry.size == 0) {
      watch(entry, entry.bytes);
      return true;
    }
    bool all = true;
    bool any = false;
    each_word(entry.object, entry.size, [&](std::uint64_t word, std::uint64_t mask) {
      const auto found = rounds_.words_.find(word);
      const std::uint64_t written = found == rounds_.words_.end() ? 0 : found->second & mask;
      all = all && written == mask;
      any = any || written != 0;
    });
    if (any) return all;
    watch(entry, static_cast<std::uint32_t>(mine_.values.size()));
    const char* const from = rounds_.bytes_.data() + entry.bytes;
    mine_.values.insert(mine_.values.end(), from, from + entry.size);
    return true;
  }

  void count_effect() {
    ++effects_;
    if (rounds_.forgotten_ + at_ >= mine_.discounted) ++fresh_effects_;
  }

  void write(const Entry& entry) {
    count_effect();
    mine_.written.push_back({entry.object, entry.size});
    each_word(entry.object, entry.size,
              [&](std::uint64_t word, std::uint64_t mask) { rounds_.words_[word] |= mask; });
  }

  // A thread that releases a lock which it held before and takes it again must not wait with it: others may
  // need the lock first.
  bool hold(std::uint64_t lock, int change) {
    count_effect();
    rounds_.words_[lock_key(lock)] = 1;
    if (change > 0) mine_.written.push_back({lock, 1});
    auto held =
        std::find_if(held_.begin(), held_.end(), [lock](const Held& one) { return one.lock == lock; });
    if (held == held_.end()) held = held_.insert(held, {lock, 0});
    held->count += change;
    const bool gave_what_it_had = held->count < 0;
    if (held->count == 0) held_.erase(held);
    return !gave_what_it_had;
  }

  // Of an entry of another thread. Who waited for a lock and got it has seen nothing.
  bool is_unseen_by(const Entry& entry) const {
    const auto is_behind = [this](std::uint64_t key) {
      const auto last = rounds_.last_writes_.find(key);
      return last == rounds_.last_writes_.end() || last->second <= at_;
    };
    if (entry.kind == Kind::attempt)
      return !rounds_.words_.contains(lock_key(entry.object)) || is_behind(lock_key(entry.object));
    if ((entry.kind != Kind::read && entry.kind != Kind::write) || entry.size == 0) return true;
    bool is_unseen = true;
    each_word(entry.object, entry.size, [&](std::uint64_t word, std::uint64_t mask) {
      const auto found = rounds_.words_.find(word);
      const bool is_written = found != rounds_.words_.end() && (found->second & mask) != 0;
      is_unseen = is_unseen && (!is_written || is_behind(word));
    });
    return is_unseen;
  }

  IdleRounds& rounds_;
  const Thread& thread_;
  PerThread& mine_;
  std::vector<Held> held_;  // takes minus releases
  std::uint64_t effects_ = 0;
  std::uint64_t fresh_effects_ = 0;
  std::size_t at_ = 0;  // the present entry's place in the log
};

void IdleRounds::take(const Thread& thread, PerThread& mine, Visit& visit) {
  visit.begin = now();
  visit.switches = states_.switches();
  visit.waits = mine.waits;
  visit.events = thread.events;
  visit.moment = states_.now();
  visit.has_state = states_.take(thread, visit.registers);
}

bool IdleRounds::is_idle(const Thread& thread, PerThread& mine, const Visit& visit) {
  if (!visit.has_state || now() - visit.begin > kEntriesMax) return false;
  if (!states_.are_those_of(thread, visit.registers)) return false;
  Judge judge(*this, thread, mine);
  if (!judge.is_unseen(visit.begin - forgotten_)) return false;
  if (states_.has_changed_memory(thread, visit.moment)) return false;
  // A trial looks for rounds that write, and for those that read plain memory. Those that only read by
  // operations are spins.
  const bool does_operations = visit.events != thread.events;
  if (mode_ == Mode::trial && judge.effects() == 0 && does_operations) return false;
  // What it wrote without being announced counts as well, such as variables of its own that others know.
  states_.each_own_word([&mine](std::uint64_t address) { mine.written.push_back({address, kWord}); });
  mine.stack_looked_at = visit.begin;
  mine.stack_was_written = false;
  effects_ -= judge.fresh_effects();
  mine.discounted = now();
  mine.depends_on_time = visit.waits != mine.waits || reads_clock(thread);
  mine.looked_at = visit.begin;
  mine.was_released = false;
  if (visit.switches == states_.switches() && visit.waits == mine.waits) mine.see_present_values();
  return true;
}

// Nobody else ran in the round. If a value that was read has changed, code of the round that is not
// instrumented wrote it for a moment.
void IdleRounds::PerThread::see_present_values() {
  for (const Watch& watch : watches) {
    if (watch.size != 0) std::memcpy(values.data() + watch.bytes, &at<char>(watch.object), watch.size);
  }
}

bool IdleRounds::is_due_at_plain_read(const Thread& thread) {
  PerThread& mine = of(thread);
  if (mine.events != thread.events) mine.plain_reads = 0;
  mine.events = thread.events;
  return ++mine.plain_reads > kPlainReads;
}

IdleRounds::Arrival IdleRounds::arrive(const Thread& thread) {
  PerThread& mine = of(thread);
  const auto end = mine.visits.begin() + static_cast<std::ptrdiff_t>(mine.visit_count);
  auto visit = std::find_if(mine.visits.begin(), end, [&thread](const Visit& one) {
    return one.code == thread.code && one.frame == thread.top;
  });
  const bool is_new = visit == end;
  if (is_new) {
    if (mine.visit_count == kVisitsMax) return Arrival::ordinary;
    if (mine.visits.size() == mine.visit_count) mine.visits.emplace_back();
    visit = mine.visits.begin() + static_cast<std::ptrdiff_t>(mine.visit_count++);
    visit->code = thread.code;
    visit->frame = thread.top;
    visit->count = 0;
  }
  const bool idle = !is_new && is_idle(thread, mine, *visit);
  ++visit->count;
  if (idle && mode_ == Mode::trial) {
    is_trial_ = false;
    waiting_ = Waiting::changed;
    return Arrival::found;
  }
  if (idle || std::has_single_bit(visit->count) || now() - visit->begin > kEntriesMax)
    take(thread, mine, *visit);
  return idle ? Arrival::waits : Arrival::ordinary;
}

// Waiting threads.

bool IdleRounds::has_other_value(const Watch& watch, const PerThread& mine) const {
  if (watch.size != 0)
    return std::memcmp(mine.values.data() + watch.bytes, &at<char>(watch.object), watch.size) != 0;
  if (watch.needs == Wait::nothing) return changes_of(watch.object) != watch.bytes;
  return is_free(watch.needs, watch.object) != watch.succeeded;
}

// Whether another thread has written something since the round read it. Forgotten entries of the log count as
// such writes.
bool IdleRounds::was_written(const Thread& thread, const PerThread& mine) const {
  if (mine.looked_at < forgotten_) return true;
  for (; mine.looked_at < now(); ++mine.looked_at) {
    const Entry& entry = log_[mine.looked_at - forgotten_];
    const bool writes = entry.kind == Kind::write || entry.kind == Kind::take || entry.kind == Kind::give;
    if (!writes || entry.slot == thread.slot) continue;
    const bool hits = std::any_of(mine.watches.begin(), mine.watches.end(), [&](const Watch& watch) {
      return watch.time < mine.looked_at && overlap(watch.object, watch.size, entry.object, entry.size);
    });
    if (hits) return true;
  }
  return std::any_of(mine.watches.begin(), mine.watches.end(), [&](const Watch& watch) {
    return watch.size == 0 && watch.needs == Wait::nothing && has_other_value(watch, mine);
  });
}

// Its reads of its own stack are not all announced: a write by another thread there may be what it waits for.
bool IdleRounds::stack_was_written(const Thread& thread, const PerThread& mine) const {
  if (mine.stack_looked_at < forgotten_) mine.stack_was_written = true;
  while (!mine.stack_was_written && mine.stack_looked_at < now()) {
    const Entry& entry = log_[mine.stack_looked_at++ - forgotten_];
    mine.stack_was_written = entry.kind == Kind::write && entry.slot != thread.slot &&
                             entry.object - thread.stack_limit() < thread.stack_size;
  }
  return mine.stack_was_written;
}

bool IdleRounds::released(const Thread& thread) const {
  const PerThread& mine = of(thread);
  if (stack_was_written(thread, mine)) return true;
  if (rule_ == Waiting::written) {
    mine.was_released = mine.was_released || was_written(thread, mine);
    return mine.was_released;
  }
  return std::any_of(mine.watches.begin(), mine.watches.end(),
                     [&](const Watch& watch) { return has_other_value(watch, mine); });
}

bool IdleRounds::reads_clock(const Thread& thread) const {
  const std::vector<Watch>& watches = of(thread).watches;
  return std::any_of(watches.begin(), watches.end(),
                     [](const Watch& watch) { return watch.object == kClockObject; });
}

void IdleRounds::add_watched(const Thread& thread, std::uint32_t event, std::vector<Watched>& watches) const {
  for (const Watch& watch : of(thread).watches)
    watches.push_back({event, std::max<std::uint32_t>(watch.size, 1), watch.object});
}

bool IdleRounds::give_another_round(const Thread& thread) {
  PerThread& mine = of(thread);
  if (mine.round_given_at == effects_) return false;
  mine.round_given_at = effects_;
  return true;
}

bool IdleRounds::interfere(const Thread& one, const Thread& other) const {
  const auto touches = [](const PerThread& writer, const PerThread& reader) {
    return std::any_of(writer.written.begin(), writer.written.end(), [&](const Span& span) {
      return std::any_of(reader.watches.begin(), reader.watches.end(), [&](const Watch& watch) {
        return overlap(span.object, span.size, watch.object, watch.size);
      });
    });
  };
  return touches(of(one), of(other)) || touches(of(other), of(one));
}

}  // namespace thrum::vm
