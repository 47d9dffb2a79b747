// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/round_detector.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "runtime/base/engine.hpp"
#include "runtime/base/waits.hpp"
#include "runtime/base/world.hpp"
#include "runtime/memory/hooks.hpp"
#include "runtime/threads/loop_list.hpp"

namespace thrum {

constinit Forever<RoundDetector> the_round_detector;

namespace {

constexpr std::uint64_t kWord = 8;

// Calls visit(word, mask) for each aligned word of a range of bytes, with a mask of the bytes in the range.
template <typename Visit>
void for_each_word(std::uint64_t address, std::uint64_t size, Visit visit) {
  const std::uint64_t end = address + size;
  for (std::uint64_t word = address & ~(kWord - 1); word < end; word += kWord) {
    const std::uint64_t first = std::max(word, address) - word;
    const std::uint64_t last = std::min(word + kWord, end) - word;
    visit(word, (std::uint64_t{1} << last) - (std::uint64_t{1} << first));
  }
}

// Whether an operation accesses the bytes of its object and nothing else.
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

// Whether the operation took its object, without a deadline.
bool takes(const Thread& thread) {
  if (thread.operation == Operation::semaphore_wait) return thread.deadline_ns == kNoDeadline;
  const bool is_lock = thread.operation == Operation::lock || thread.operation == Operation::shared_lock;
  return (is_lock || is_attempt(thread.operation)) && thread.needs != Wait::nothing;
}

bool gives(Operation operation) {
  return operation == Operation::unlock || operation == Operation::shared_unlock ||
         operation == Operation::semaphore_post;
}

// Locks are kept among the words, under addresses that no memory has.
std::uint64_t lock_key(std::uint64_t object) { return ~object; }

}  // namespace

// ---- Recording

RoundDetector::PerThread& RoundDetector::of(const Thread& thread) {
  if (threads_.size() <= thread.slot) threads_.resize(thread.slot + std::size_t{1});
  return threads_[thread.slot];
}

void RoundDetector::begin(Waiting waiting) {
  rule_ = waiting;
  if (mode_ == Mode::trial && is_trial_) end_trial();  // it ended before the limit of steps
  mode_ = waits_when_idle(waiting) ? Mode::on : is_trial_ ? Mode::trial : Mode::off;
  world.logs_accesses = mode_ != Mode::off;
  if (mode_ == Mode::off) return;
  forget_log();
  forgotten_ = switches_ = effects_ = 0;
  changes_.clear();
  for (PerThread& thread : threads_) {
    thread.waits = 0;
    thread.events = kNoEvents;
    thread.watches.clear();
    thread.values.clear();
    thread.round_given_at = kNoRound;
    thread.discounted = 0;
  }
}

void RoundDetector::forget_log() {
  forgotten_ += log_.size();
  log_.clear();
  bytes_.clear();
  for (PerThread& thread : threads_) thread.visit_count = 0;
}

std::uint64_t RoundDetector::steps_to_trial(std::uint64_t limit) const {
  if (mode_ == Mode::on) return limit;
  const std::uint64_t steps = is_trial_ ? trial_after_ * kTrialSteps : trial_after_;
  return limit == 0 ? steps : std::min(limit, steps);
}

bool RoundDetector::turns_at(std::uint64_t steps) {
  if (mode_ == Mode::on || steps < (is_trial_ ? trial_after_ * kTrialSteps : trial_after_)) return false;
  if (is_trial_) {
    end_trial();
  } else {
    is_trial_ = true;
  }
  return true;
}

void RoundDetector::end_trial() {
  is_trial_ = false;
  trial_after_ *= kNextTrial;
}

RoundDetector::Entry& RoundDetector::add(const Thread& thread, Kind kind, std::uint64_t object,
                                         std::uint64_t size) {
  if (log_.size() == kLogMax) forget_log();
  return log_.emplace_back(
      Entry{object, static_cast<std::uint32_t>(size), 0, thread.slot, kind, Wait::nothing, false});
}

void RoundDetector::keep_bytes(Entry& entry, const void* bytes) {
  entry.bytes = static_cast<std::uint32_t>(bytes_.size());
  const char* from = static_cast<const char*>(bytes);
  bytes_.insert(bytes_.end(), from, from + entry.size);
}

void RoundDetector::note_memory(const Thread& thread, Kind kind, std::uint64_t address, std::uint64_t size) {
  if (size > kSizeMax) return note_opaque(thread);
  if (kind == Kind::write) ++effects_;
  keep_bytes(add(thread, kind, address, size), reinterpret_cast<const void*>(address));
}

void RoundDetector::note_plain_read(const Thread& thread, std::uint64_t address, std::uint64_t size) {
  if (size != 0) note_memory(thread, Kind::read, address, size);
}

void RoundDetector::note_plain_write(const Thread& thread, std::uint64_t address, std::uint64_t size) {
  if (size != 0) note_memory(thread, Kind::write, address, size);
}

void RoundDetector::note_operation(const Thread& thread, bool changes, std::uint64_t value, Outcome outcome) {
  const Operation operation = thread.operation;
  if (changes) ++changes_[thread.object];
  const bool reads_word = !changes && operation == Operation::futex_wait;
  if ((is_access(operation) || reads_word) && thread.size <= kWord) {
    if (!changes) return note_memory(thread, Kind::read, thread.object, thread.size);
    // Any operation but a store has also read the old value.
    const bool reads = operation != Operation::store && operation != Operation::racy_store;
    if (reads) keep_bytes(add(thread, Kind::read, thread.object, thread.size), &value);
    ++effects_;
    return keep_bytes(add(thread, Kind::write, thread.object, thread.size), &value);
  }
  if (is_attempt(operation) || operation == Operation::lock_queue) {
    Entry& attempt = add(thread, Kind::attempt, thread.object, 0);
    attempt.needs = thread.needs;
    attempt.flag = outcome != Outcome::failed;
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

void RoundDetector::note_read_of(const Thread& thread, std::uint64_t object) {
  add(thread, Kind::read, object, 0).bytes = static_cast<std::uint32_t>(changes_.get(object));
}

void RoundDetector::note_allocation(const Thread& thread, std::uint64_t block, std::uint64_t size,
                                    std::uint32_t size_class, bool grown) {
  Entry& entry = add(thread, Kind::allocate, block, size_class);
  entry.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(size, ~std::uint32_t{0}));
  entry.flag = grown;
}

void RoundDetector::note_release(const Thread& thread, std::uint64_t block, std::uint64_t size,
                                 std::uint32_t size_class) {
  Entry& entry = add(thread, Kind::release, block, size_class);
  entry.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(size, ~std::uint32_t{0}));
}

void RoundDetector::note_opaque(const Thread& thread) {
  ++effects_;
  of(thread).visit_count = 0;
}

// ---- Rounds

// Goes through the log of a round and decides whether the round is idle.
class RoundDetector::Judge {
 public:
  Judge(RoundDetector& rounds, const Thread& thread, PerThread& mine)
      : rounds_(rounds), thread_(thread), mine_(mine) {}

  bool is_idle(std::size_t begin) {
    find_own_blocks(begin);
    find_last_writes(begin);
    rounds_.words_.clear();
    mine_.watches.clear();
    mine_.values.clear();
    mine_.written.clear();
    for (std::size_t i = begin; i < rounds_.log_.size(); ++i) {
      const Entry& entry = rounds_.log_[i];
      at_ = i;
      time_ = rounds_.forgotten_ + i;
      if (!(entry.slot == thread_.slot ? take_own(entry) : is_unseen(entry))) return false;
    }
    return held_.empty() && free_lists_are_as_before();
  }
  std::uint64_t effects() const { return effects_; }
  // Of them: those that belong to no idle round so far.
  std::uint64_t fresh_effects() const { return fresh_effects_; }

 private:
  struct Count {
    std::uint64_t object;
    int count;
  };
  struct FreeList {  // the changes of one of the heap's lists of free blocks
    std::uint32_t size_class;
    std::vector<std::uint64_t> taken;  // blocks taken off the initial list; the last one last
    std::vector<std::uint64_t> put;    // blocks put on top of the initial list
  };

  void find_own_blocks(std::size_t begin) {
    for (std::size_t i = begin; i < rounds_.log_.size(); ++i) {
      const Entry& entry = rounds_.log_[i];
      if (entry.slot == thread_.slot && entry.kind == Kind::allocate)
        own_blocks_.push_back({entry.object, entry.bytes});
    }
  }

  // Of each word and lock that the round changes: the place of its last change in the log, plus 1. What
  // others do behind it is none of the round's matter: it may come in any order.
  void find_last_writes(std::size_t begin) {
    rounds_.last_writes_.clear();
    for (std::size_t i = begin; i < rounds_.log_.size(); ++i) {
      const Entry& entry = rounds_.log_[i];
      if (entry.slot != thread_.slot) continue;
      if (entry.kind == Kind::take || entry.kind == Kind::give) {
        rounds_.last_writes_[lock_key(entry.object)] = i + 1;
      } else if (entry.kind == Kind::write) {
        for_each_word(entry.object, entry.size,
                      [&](std::uint64_t word, std::uint64_t) { rounds_.last_writes_[word] = i + 1; });
      }
    }
  }

  // The byte behind the round's last write of its word.
  char byte_after(std::uint64_t word, std::uint64_t address) const {
    for (std::size_t i = rounds_.last_writes_.get(word); i < rounds_.log_.size(); ++i) {
      const Entry& entry = rounds_.log_[i];
      if (entry.kind == Kind::write && address - entry.object < entry.size)
        return rounds_.bytes_[entry.bytes + (address - entry.object)];
    }
    return *reinterpret_cast<const char*>(address);
  }

  bool take_own(const Entry& entry) {
    switch (entry.kind) {
      case Kind::read: return read(entry);
      case Kind::write: return write(entry);
      case Kind::take: return count(entry.object, 1);
      case Kind::give: return count(entry.object, -1);
      case Kind::attempt:
        mine_.watches.push_back({entry.object, 0, 0, 0, entry.needs, entry.flag, time_});
        return entry.needs != Wait::nothing;
      case Kind::allocate: return allocate(entry);
      case Kind::release: return release(entry);
    }
    return false;
  }

  bool is_in_own_block(const Entry& entry) const {
    return std::any_of(own_blocks_.begin(), own_blocks_.end(), [&](const Span& block) {
      return block.object <= entry.object && entry.object + entry.size <= block.object + block.size;
    });
  }

  bool read(const Entry& entry) {
    if (entry.size == 0) {
      mine_.watches.push_back({entry.object, 0, 0, entry.bytes, Wait::nothing, false, time_});
      return true;
    }
    if (is_in_own_block(entry)) return true;
    bool all = true;
    bool any = false;
    for_each_word(entry.object, entry.size, [&](std::uint64_t word, std::uint64_t mask) {
      const std::uint64_t written = rounds_.words_.get(word) & mask;
      all = all && written == mask;
      any = any || written != 0;
    });
    if (any) return all;
    mine_.watches.push_back({entry.object, entry.size, static_cast<std::uint32_t>(mine_.values.size()), 0,
                             Wait::nothing, false, time_});
    const char* from = rounds_.bytes_.data() + entry.bytes;
    mine_.values.insert(mine_.values.end(), from, from + entry.size);
    return true;
  }

  void count_effect() {
    ++effects_;
    if (time_ >= mine_.discounted) ++fresh_effects_;
  }

  // The old content of bytes that the round overwrites for the first time must be what it leaves there.
  bool write(const Entry& entry) {
    count_effect();
    if (is_in_own_block(entry)) return true;
    mine_.written.push_back({entry.object, entry.size});
    const char* before = rounds_.bytes_.data() + entry.bytes;
    bool same = true;
    for_each_word(entry.object, entry.size, [&](std::uint64_t word, std::uint64_t mask) {
      std::uint64_t& written = rounds_.words_[word];
      for (std::uint64_t fresh = mask & ~written; fresh != 0; fresh &= fresh - 1) {
        const std::uint64_t at = word + static_cast<std::uint64_t>(std::countr_zero(fresh)) - entry.object;
        same = same && before[at] == byte_after(word, entry.object + at);
      }
      written |= mask;
    });
    return same;
  }

  bool count(std::uint64_t lock, int change) {
    count_effect();
    rounds_.words_[lock_key(lock)] = 1;
    if (change > 0) mine_.written.push_back({lock, 1});
    return hold(lock, change);
  }

  // A thread that releases a lock which it held before and takes it again must not wait with it: others may
  // need the lock first.
  bool hold(std::uint64_t object, int change) {
    auto held = std::find_if(held_.begin(), held_.end(), [&](const Count& c) { return c.object == object; });
    if (held == held_.end()) held = held_.insert(held, {object, 0});
    held->count += change;
    const bool gave_what_it_had = held->count < 0;
    if (held->count == 0) held_.erase(held);
    return !gave_what_it_had;
  }

  FreeList& list_of(const Entry& entry) {
    auto list = std::find_if(lists_.begin(), lists_.end(),
                             [&](const FreeList& other) { return other.size_class == entry.size; });
    if (list == lists_.end()) list = lists_.insert(list, {entry.size, {}, {}});
    return *list;
  }

  bool allocate(const Entry& entry) {
    if (world.job->heap == Heap::fresh) return hold(entry.object, 1);
    if (entry.flag) return false;
    FreeList& list = list_of(entry);
    if (list.put.empty()) {
      list.taken.push_back(entry.object);
    } else {
      list.put.pop_back();
    }
    return true;
  }

  bool release(const Entry& entry) {
    if (world.job->heap == Heap::fresh) return hold(entry.object, -1);
    FreeList& list = list_of(entry);
    if (list.put.empty() && !list.taken.empty() && list.taken.back() == entry.object) {
      list.taken.pop_back();
    } else {
      list.put.push_back(entry.object);
    }
    return true;
  }

  bool free_lists_are_as_before() const {
    return std::all_of(lists_.begin(), lists_.end(),
                       [](const FreeList& list) { return list.taken.empty() && list.put.empty(); });
  }

  // For an entry of another thread in between. If a thread waited for a lock and got it, there is only one
  // outcome.
  bool is_unseen(const Entry& entry) const {
    if (entry.kind == Kind::attempt) {
      const std::uint64_t lock = lock_key(entry.object);
      return rounds_.words_.get(lock) == 0 || rounds_.last_writes_.get(lock) <= at_;
    }
    if ((entry.kind != Kind::read && entry.kind != Kind::write) || entry.size == 0) return true;
    bool unseen = true;
    for_each_word(entry.object, entry.size, [&](std::uint64_t word, std::uint64_t mask) {
      const bool is_behind = rounds_.last_writes_.get(word) <= at_;
      unseen = unseen && (is_behind || (rounds_.words_.get(word) & mask) == 0);
    });
    return unseen;
  }

  RoundDetector& rounds_;
  const Thread& thread_;
  PerThread& mine_;
  std::vector<Span> own_blocks_;
  std::vector<Count> held_;  // locks and new blocks: takes minus releases
  std::vector<FreeList> lists_;
  std::uint64_t effects_ = 0;
  std::uint64_t fresh_effects_ = 0;
  std::size_t at_ = 0;      // the present entry's place in the log
  std::uint64_t time_ = 0;  // of the present entry
};

bool RoundDetector::ends_idle_round(Place place, const Thread& thread, Visit& visit) {
  if (now() - visit.begin > kEntriesMax) return false;
  if (place == Place::plain_read && visit.events != thread.events) return false;
  PerThread& mine = of(thread);
  Judge judge(*this, thread, mine);
  if (!judge.is_idle(visit.begin - forgotten_)) return false;
  effects_ -= judge.fresh_effects();
  mine.discounted = now();
  mine.depends_on_time = visit.waits != mine.waits || reads_clock(thread);
  mine.alone = visit.switches == switches_ && visit.waits == mine.waits;
  mine.was_released = false;
  mine.looked_at = visit.begin;
  if (mine.alone) mine.see_present_values();
  mine.only_reads = judge.effects() == 0;
  return true;
}

bool RoundDetector::arrive(const Thread& thread, std::uint64_t code, const CallerState& caller) {
  return arrive(Place::operation, thread, code, caller);
}

bool RoundDetector::arrive_at_plain_read(const Thread& thread, std::uint64_t code,
                                         const CallerState& caller) {
  PerThread& mine = of(thread);
  if (mine.events != thread.events) {
    mine.events = thread.events;
    mine.plain_reads = 0;
  }
  return ++mine.plain_reads > kPlainReads && arrive(Place::plain_read, thread, code, caller);
}

bool RoundDetector::arrive(Place place, const Thread& thread, std::uint64_t code, const CallerState& caller) {
  PerThread& mine = of(thread);
  const auto is_here = [&](const Visit& visit) {
    return visit.code == code && visit.stack_pointer == caller.stack_pointer;
  };
  const auto end = mine.visits.begin() + static_cast<std::ptrdiff_t>(mine.visit_count);
  auto visit = std::find_if(mine.visits.begin(), end, is_here);
  const bool is_new = visit == end;
  if (is_new) {
    const std::uint64_t depth = reinterpret_cast<std::uint64_t>(thread.stack_top) - caller.stack_pointer;
    if (mine.visit_count == kVisitsMax || depth > kStackMax) return false;
    if (mine.visits.size() == mine.visit_count) mine.visits.emplace_back();
    visit = mine.visits.begin() + static_cast<std::ptrdiff_t>(mine.visit_count++);
    visit->code = code;
    visit->stack_pointer = caller.stack_pointer;
    visit->count = 0;
  }
  const int error = errno;
  const bool idle = !is_new && visit->error == error && visit->modes == floating_point_modes() &&
                    visit->state.is_that_of(thread, caller) && ends_idle_round(place, thread, *visit);
  ++visit->count;
  // A trial looks for rounds that write. Rounds that only read by operations are left to the spin detector.
  const bool is_others = mode_ == Mode::trial && mine.only_reads && place == Place::operation;
  if (idle && mode_ == Mode::trial && !is_others) found();
  if (!idle && !std::has_single_bit(visit->count) && now() - visit->begin <= kEntriesMax) return false;
  visit->begin = now();
  visit->switches = switches_;
  visit->waits = mine.waits;
  visit->events = thread.events;
  visit->error = error;
  visit->modes = floating_point_modes();
  visit->state.take(thread, caller);
  if (idle && !is_others) idle_.insert(code);
  return idle && !is_others;
}

// If a value that was read has changed, code of the round that is not instrumented wrote it for a moment
// (code of std::list, say).
void RoundDetector::PerThread::see_present_values() {
  for (const Watch& watch : watches)
    std::memcpy(values.data() + watch.bytes, reinterpret_cast<const void*>(watch.object), watch.size);
}

// The search begins again, and from then on its executions are watched.
void RoundDetector::found() {
  is_trial_ = false;
  waiting_ = Waiting::changed;
  restart_search();
}

void RoundDetector::add_loops(LoopList& loops) const {
  idle_.for_each([&](std::uint64_t code) { loops.add(code, WaitingLoop::Kind::idle_round); });
}

bool RoundDetector::unproved(const Thread& thread, std::uint64_t code) const {
  return !proved_.has(code) && of(thread).alone;
}

// ---- Waiting

bool RoundDetector::has_other_value(const Watch& watch, const PerThread& mine) const {
  if (watch.size != 0) {
    return std::memcmp(mine.values.data() + watch.bytes, reinterpret_cast<const void*>(watch.object),
                       watch.size) != 0;
  }
  if (watch.needs == Wait::nothing) return changes_.get(watch.object) != watch.changes;
  return object_is_free(watch.needs, watch.object) != watch.succeeded;
}

// Whether another thread has written something since the round read it. Forgotten entries of the log count as
// such writes.
bool RoundDetector::was_written(const Thread& thread, PerThread& mine) const {
  if (mine.looked_at < forgotten_) return true;
  for (; mine.looked_at < now(); ++mine.looked_at) {
    const Entry& entry = log_[mine.looked_at - forgotten_];
    const bool writes = entry.kind == Kind::write || entry.kind == Kind::take || entry.kind == Kind::give;
    if (!writes || entry.slot == thread.slot) continue;
    const std::uint32_t size = std::max(entry.size, 1u);
    const bool touches = std::any_of(mine.watches.begin(), mine.watches.end(), [&](const Watch& watch) {
      return watch.time < mine.looked_at && watch.object < entry.object + size &&
             entry.object < watch.object + std::max(watch.size, 1u);
    });
    if (touches) return true;
  }
  return std::any_of(mine.watches.begin(), mine.watches.end(), [&](const Watch& watch) {
    return watch.size == 0 && watch.needs == Wait::nothing && has_other_value(watch, mine);
  });
}

bool RoundDetector::released(const Thread& thread) {
  PerThread& mine = of(thread);
  if (rule_ == Waiting::written) {
    mine.was_released = mine.was_released || was_written(thread, mine);
    return mine.was_released;
  }
  return std::any_of(mine.watches.begin(), mine.watches.end(),
                     [&](const Watch& watch) { return has_other_value(watch, mine); });
}

bool RoundDetector::reads_clock(const Thread& thread) const {
  const std::vector<Watch>& watches = of(thread).watches;
  return std::any_of(watches.begin(), watches.end(),
                     [](const Watch& watch) { return watch.object == SpinDetector::kClock; });
}

bool RoundDetector::give_another_round(const Thread& thread) {
  PerThread& mine = of(thread);
  if (mine.round_given_at == effects_) return false;
  mine.round_given_at = effects_;
  return true;
}

void RoundDetector::add_watched(const Thread& thread, std::uint32_t event,
                                std::vector<Watched>& watches) const {
  for (const Watch& watch : of(thread).watches)
    watches.push_back({event, std::max(watch.size, 1u), watch.object});
}

bool RoundDetector::interferes(const Thread& one, const Thread& other) const {
  const auto touches = [&](const PerThread& writer, const PerThread& reader) {
    return std::any_of(writer.written.begin(), writer.written.end(), [&](const Span& span) {
      return std::any_of(reader.watches.begin(), reader.watches.end(), [&](const Watch& watch) {
        return span.object < watch.object + std::max(watch.size, 1u) &&
               watch.object < span.object + span.size;
      });
    });
  };
  return touches(of(one), of(other)) || touches(of(other), of(one));
}

void note_allocation(const void* memory, std::size_t size, std::uint32_t size_class, bool grown) {
  round_detector().note_allocation(running_thread(), reinterpret_cast<std::uint64_t>(memory), size,
                                   size_class, grown);
}

void note_release(const void* memory, std::size_t size, std::uint32_t size_class) {
  round_detector().note_release(running_thread(), reinterpret_cast<std::uint64_t>(memory), size, size_class);
}

}  // namespace thrum
