// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/judge/race_judge.hpp"

#include <sys/mman.h>
#include <algorithm>
#include <cstring>
#include <string>

#include "runtime/base/engine.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/base/page.hpp"
#include "runtime/judge/early_memory.hpp"
#include "runtime/judge/heap_misuse.hpp"
#include "runtime/judge/recorded_footprints.hpp"
#include "runtime/judge/recorded_values.hpp"
#include "runtime/kernel/signals.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/threads/hooks.hpp"
#include "runtime/threads/places.hpp"
#include "runtime/threads/record.hpp"
#include "runtime/threads/scheduler.hpp"
#include "runtime/threads/thread_pool.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

namespace {

void* map_pages(std::size_t bytes) {
  long memory = raw_syscall(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory > 0 ? reinterpret_cast<void*>(memory) : nullptr;
}

// A second clock for the object, in the same cell of the detector. For a lock: the clocks of readers, which
// are ordered before writers only. For a barrier: what all threads had done when its last phase ended.
std::uint64_t second_clock(std::uint64_t object) { return object ^ 1; }

// Every access to that page crashes soon.

// A mark in the code address of an access that the program asks not to judge: its races are passed over.
constexpr std::uint64_t kLeftOut = std::uint64_t{1} << 63;

// Whether the address lies in the heap or in the threads' stacks, whose memory may be gone. Each of them has
// fixed parts of the address space.
constexpr bool is_in_pool(std::uint64_t address) {
  constexpr unsigned kBits = 44;
  constexpr unsigned kPartsMax = 64;  // no program has memory at addresses with larger part numbers
  constexpr std::uint64_t kOne = 1;
  constexpr std::uint64_t kParts = kOne << (ProgramHeap::kHeap >> kBits) |
                                   kOne << (ThreadPool::kStacks >> kBits) |
                                   kOne << (ThreadPool::kLargeStacks >> kBits);
  static_assert(ProgramHeap::kRegionCount * ProgramHeap::kRegionSize <= std::uint64_t{1} << kBits &&
                kThreadsMax * ThreadPool::kLargeStackMax <= std::uint64_t{1} << kBits);
  return (kParts >> (address >> kBits) % kPartsMax & 1) != 0;
}

MemoryOrder order_of(int order) {
  switch (order) {
    case __ATOMIC_RELAXED: return MemoryOrder::relaxed;
    case __ATOMIC_CONSUME:
    case __ATOMIC_ACQUIRE: return MemoryOrder::acquire;
    case __ATOMIC_RELEASE: return MemoryOrder::release;
    default: return MemoryOrder::acquire_release;
  }
}

// Not of what comes behind the execution's end: a round of a waiting loop that is tried.
bool records_footprints() { return engine.records_footprints && world.recording; }

// A race is passed over whose accesses are not all visible operations.
void note_unexplored() {
  notes().uncontrolled(
      "races-not-explored",
      "a racing access inside a call of a library, or the end of a thread, is no scheduling point");
}

}  // namespace

constexpr RaceJudge::RaceJudge() : detector_(map_pages) {}

constinit Forever<RaceJudge> the_race_judge;

void RaceJudge::begin(bool again) {
  detector_.begin_execution();
  names_.assign(1, kMainThread);
  left_out_.assign(1, {});
  foreign_.clear();
  freed_.clear();
  allowed_.resize(allowed_before_);
  at_point_ = false;
  recognising_ = again && earlier_;
  excepts_ = recognising_ || leaves_out_ || known_.count() != 0;
  attentive_ = excepts_ || tells_accesses_ || engine.records_footprints || engine.records_values;
  footprints().begin();
  recorded_values().begin();
  recognised_.reset();
  skipped_ = 0;
  if (learned_) learned_->clear();
}

void RaceJudge::set_mark(Moment& moment) {
  detector_.set_mark();
  moment.left_out = left_out_;
  moment.foreign = foreign_;
  moment.allowed = allowed_;
}

void RaceJudge::return_to(std::size_t mark, const Moment& moment) {
  detector_.return_to(mark);
  at_point_ = false;
  recognised_.reset();
  std::copy(moment.left_out.begin(), moment.left_out.end(), left_out_.begin());
  foreign_ = moment.foreign;
  allowed_ = moment.allowed;
}

bool RaceJudge::wants_again(const Trace& trace) const {
  return trace.end == End::bug && trace.failure.accesses.size() > 1 && earlier_ && !recognising_;
}

void RaceJudge::create(const Thread& parent, const Thread& child) {
  detector_.create(parent.number, child.number);
  if (names_.size() <= child.number) {
    names_.resize(child.number + std::size_t{1});
    left_out_.resize(child.number + std::size_t{1});
  }
  names_[child.number] = child.id;
  left_out_[child.number] = {};
  if (__builtin_expect(world.recording, 0)) note_learned(child);
}

// Records which threads' events this thread now knows more of.
void RaceJudge::note_learned(const Thread& me) {
  if (!scheduler().director().records_places()) return;
  if (!learned_) learned_ = new std::map<std::pair<std::uint16_t, std::uint16_t>, Learned>;
  for (std::uint16_t other = 0; other < names_.size(); ++other) {
    Learned& known = (*learned_)[{me.number, other}];
    std::uint32_t clock = detector_.clock(me.number)[other];
    if (known.clock != clock) known = {clock, static_cast<std::uint32_t>(current_trace().events.size()) + 1};
  }
}

void RaceJudge::join(const Thread& thread, const Thread& other) {
  detector_.join(thread.number, other.number);
  if (__builtin_expect(world.recording, 0)) note_learned(thread);
}

// Earlier accesses of other threads to the ended thread's stack or storage must be ordered before its end.
void RaceJudge::end(const Thread& thread) {
  if (records_footprints()) {
    const auto bottom = reinterpret_cast<std::uint64_t>(thread.stack_bottom);
    note_footprint(thread, true, bottom, reinterpret_cast<std::uint64_t>(thread.stack_top) - bottom);
  }
  if (records_values()) {
    const auto bottom = reinterpret_cast<std::uint64_t>(thread.stack_bottom);
    const auto top = reinterpret_cast<std::uint64_t>(thread.stack_top);
    recorded_values().end_memory(thread, bottom, top - bottom);
  }
  for (const Foreign& use : foreign_) {
    if (use.owner != thread.number || detector_.clock(thread.number).knows(use.access.when)) continue;
    Access end{use.access.address, use.access.size, AccessKind::thread_end, thread.code, {}};
    Race race{use.access, end, use.access.address};
    if (!is_passed_over(race)) fail_by(race);
    note_unexplored();  // no scheduling point can stand before it
  }
}

void RaceJudge::acquire(std::uint64_t object) {
  lose_name();
  detector_.acquire(scheduler().current().number, object);
}

void RaceJudge::release(std::uint64_t object) {
  lose_name();
  detector_.release(scheduler().current().number, object, true);
}

// Judged like an atomic write: to destroy the object, or to write or free its memory, without order is a
// race.
void RaceJudge::use_object(const Thread& thread) {
  constexpr std::uint32_t kPart = 4;
  judge_plainly<AccessKind::atomic_write>(thread, thread.object, kPart, thread.code);
}

void RaceJudge::synchronise(const Thread& thread, std::uint64_t value, std::uint64_t operand,
                            Outcome outcome) {
  order(thread, value, operand, outcome);
  if (__builtin_expect(world.recording, 0)) note_learned(thread);
}

void RaceJudge::order(const Thread& thread, std::uint64_t value, std::uint64_t operand, Outcome outcome) {
  const std::uint16_t me = thread.number;
  const std::uint64_t object = thread.object;
  switch (thread.operation) {
    case Operation::lock:
    case Operation::try_lock:
      use_object(thread);
      if (outcome == Outcome::failed) return;
      detector_.acquire(me, object, second_clock(object));
      return;
    case Operation::shared_lock:
    case Operation::try_shared_lock:
      use_object(thread);
      if (outcome != Outcome::failed) detector_.acquire(me, object);
      return;
    case Operation::lock_queue:  // value: the number of waiting writers; 0: it has the lock
      use_object(thread);
      if (value != 0) return;
      detector_.acquire(me, object, second_clock(object));
      return;
    case Operation::unlock:
      use_object(thread);
      detector_.release(me, object, false);
      return;
    case Operation::shared_unlock:
      use_object(thread);
      detector_.release(me, second_clock(object), true);
      return;
    case Operation::lock_destroy: judge(AccessKind::plain_write, object, sizeof(void*), thread.code); return;
    case Operation::wait_release:
      use_object(thread);
      detector_.release(me, operand, false);
      return;
    case Operation::wait_reacquire: detector_.acquire(me, operand); return;
    case Operation::signal:
    case Operation::broadcast: use_object(thread); return;
    case Operation::semaphore_post:
      use_object(thread);
      detector_.release(me, object, true);
      return;
    case Operation::semaphore_wait:
    case Operation::semaphore_try_wait:
      use_object(thread);
      if (outcome == Outcome::done) detector_.acquire(me, object);
      return;
    case Operation::barrier_wait:  // value: the number of threads that have arrived
      use_object(thread);
      detector_.release(me, object, value > 1);
      if (operand == 0) return;  // not the last thread of the phase
      detector_.acquire(me, object);
      detector_.release(me, second_clock(object), false);
      return;
    case Operation::barrier_leave: detector_.acquire(me, second_clock(object)); return;
    case Operation::once_enter: detector_.acquire(me, object); return;
    case Operation::once_leave: detector_.release(me, object, false); return;
    case Operation::atomic_section: detector_.acquire(me, object); return;
    case Operation::signal_send:
    case Operation::timer_set:
    case Operation::cancel: detector_.release(me, object, true); return;
    case Operation::signal_handle:
    case Operation::signal_accept:
    case Operation::cancel_test:
    case Operation::cancelled: detector_.acquire(me, object); return;
    default: return;
  }
}

void RaceJudge::access(AccessKind kind, const volatile void* address, std::size_t size, std::uint64_t code,
                       Point point) {
  auto begin = reinterpret_cast<std::uint64_t>(address);
  if (is_attentive()) return access_attentively(kind, begin, size, code, point);
  const Thread& me = scheduler().current();
  if (kind == AccessKind::plain_read) return judge_plainly<AccessKind::plain_read>(me, begin, size, code);
  judge_plainly<AccessKind::plain_write>(me, begin, size, code);
}

void RaceJudge::access_attentively(AccessKind kind, std::uint64_t address, std::uint64_t size,
                                   std::uint64_t code, Point point) {
  if (!world.running) return check_early(kind, reinterpret_cast<const void*>(address), size, code);
  if (tells_accesses_) scheduler().note_access(address, size);
  if (records_footprints())
    note_footprint(scheduler().current(), kind == AccessKind::plain_write, address, size);
  judge_attentively(kind, address, size, code, point);
  // Not of the access that fails: it does not happen.
  if (!engine.records_values || point == Point::done) return;
  if (kind == AccessKind::plain_write) return recorded_values().write(scheduler().current(), address, size);
  recorded_values().read_at(scheduler().current(), address, size, code);
}

void RaceJudge::judge_attentively(AccessKind kind, std::uint64_t address, std::uint64_t size,
                                  std::uint64_t code, Point point) {
  bool promoted = point != Point::done && known_.promotes(code, address, size);
  if (!promoted || point == Point::nowhere) {
    if (promoted) note_unexplored();
    return judge(kind, address, size, code);
  }
  auto bytes = static_cast<std::uint32_t>(size);
  if (kind == AccessKind::plain_write) {
    scheduler().arrive(Operation::racy_store, address, bytes, code);
    judge_at_point(kind, address, size, code);
    return scheduler().done(Scheduler::Effect::change);
  }
  scheduler().arrive_in_loop(Operation::racy_load, address, bytes, code);
  judge_at_point(kind, address, size, code);
  std::uint64_t value = 0;
  if (size <= sizeof value) std::memcpy(&value, reinterpret_cast<const void*>(address), size);
  scheduler().done(Scheduler::Effect::read, value);
}

void RaceJudge::judge_at_point(AccessKind kind, std::uint64_t address, std::uint64_t size, std::uint64_t code,
                               bool at_point) {
  at_point_ = at_point;
  judge(kind, address, size, code);
  at_point_ = false;
}

// The common case of judge(), inline; all rare outcomes are separate.
template <AccessKind kKind>
[[gnu::always_inline]] inline void RaceJudge::judge_plainly(const Thread& me, std::uint64_t address,
                                                            std::uint64_t size, std::uint64_t code) {
  const bool is_done = !is_attentive() && (is_in_pool(address) ? judge_in_pool<kKind>(me, address, size, code)
                                                               : detector_.access_plainly<kKind>(
                                                                     me.number, address, size, code));
  if (!is_done) judge(kKind, address, size, code);
}

// The same for memory that may be gone. False: judge() has to decide.
template <AccessKind kKind>
[[gnu::noinline]] bool RaceJudge::judge_in_pool(const Thread& me, std::uint64_t address, std::uint64_t size,
                                                std::uint64_t code) {
  if (detector_.repeats<kKind>(me.number, address, size)) return true;
  check_memory(me, kKind, address, size, code);
  return detector_.access_plainly<kKind>(me.number, address, size, code);
}

// Decides whether the bytes may be used, and whether the access races.
[[gnu::noinline]] void RaceJudge::judge(AccessKind kind, std::uint64_t address, std::uint64_t size,
                                        std::uint64_t code) {
  if (size == 0 || is_null_page(address)) return;
  const Thread& me = scheduler().current();
  check_memory(me, kind, address, size, code);
  if (is_attentive() && me.invariant.holds != nullptr) return;
  if (__builtin_expect(leaves_out_, 0) && is_left_out(me, kind)) code |= kLeftOut;
  if (__builtin_expect(recognising_, 0)) recognise(me, kind, address, size, code);
  if (__builtin_expect(detector_.access(me.number, kind, address, size, code), 0)) check_races(address, size);
}

bool RaceJudge::is_left_out(const Thread& me, AccessKind kind) const {
  const LeftOut& left_out = left_out_[me.number];
  return (kind == AccessKind::plain_read && left_out.reads != 0) ||
         (kind == AccessKind::plain_write && left_out.writes != 0);
}

void RaceJudge::load(const volatile void* address, std::size_t size, int order, std::uint64_t code) {
  const Thread& me = scheduler().current();
  const auto at = reinterpret_cast<std::uint64_t>(address);
  if (is_attentive() && me.invariant.holds != nullptr) return judge(AccessKind::atomic_read, at, size, code);
  detector_.load_by(me.number, at, order_of(order),
                    [&] { judge_plainly<AccessKind::atomic_read>(me, at, size, code); });
}

void RaceJudge::store(const volatile void* address, std::size_t size, int order, std::uint64_t code) {
  const Thread& me = scheduler().current();
  const auto at = reinterpret_cast<std::uint64_t>(address);
  detector_.store_by(me.number, at, order_of(order),
                     [&] { judge_plainly<AccessKind::atomic_write>(me, at, size, code); });
}

void RaceJudge::change(const volatile void* address, std::size_t size, int order, std::uint64_t code) {
  const Thread& me = scheduler().current();
  const auto at = reinterpret_cast<std::uint64_t>(address);
  detector_.change_by(me.number, at, order_of(order),
                      [&] { judge_plainly<AccessKind::atomic_write>(me, at, size, code); });
}

void RaceJudge::change_nothing(const volatile void* address, std::size_t size, int order,
                               std::uint64_t code) {
  const Thread& me = scheduler().current();
  const auto at = reinterpret_cast<std::uint64_t>(address);
  detector_.load_by(me.number, at, order_of(order),
                    [&] { judge_plainly<AccessKind::atomic_write>(me, at, size, code); });
}

void RaceJudge::fence(int order) { detector_.fence(scheduler().current().number, order_of(order)); }

void RaceJudge::free(const void* block, std::uint64_t code) {
  auto begin = reinterpret_cast<std::uint64_t>(block);
  std::uint64_t size = the_heap.live_size(begin);
  const Thread& me = scheduler().current();
  if (size == 0) return check_not_freed(block, code);
  if (records_footprints()) note_footprint(me, true, begin, size);
  if (__builtin_expect(world.recording, 0)) take_written_value();
  bool promoted = is_attentive() && known_.promotes(code, begin, size);
  if (promoted) scheduler().arrive(Operation::racy_free, begin, static_cast<std::uint32_t>(size), code);
  judge_at_point(AccessKind::free, begin, size, code, promoted);
  if (promoted) scheduler().done(Scheduler::Effect::change);
  if (records_values()) recorded_values().end_memory(me, begin, size);
  if (!scheduler().director().records_places()) return;
  Epoch now{detector_.clock(me.number)[me.number], me.number};
  freed_.push_back({begin, static_cast<std::uint32_t>(size), AccessKind::free, code, now});
}

void RaceJudge::unmap(const void* address, std::size_t size, std::uint64_t code) {
  if (!records_values()) return access(AccessKind::plain_write, address, size, code, Point::nowhere);
  const auto begin = reinterpret_cast<std::uint64_t>(address);
  if (tells_accesses_) scheduler().note_access(begin, size);
  judge_attentively(AccessKind::plain_write, begin, size, code, Point::nowhere);
  recorded_values().end_memory(scheduler().current(), begin, size);
}

void RaceJudge::check_not_freed(const void* block, std::uint64_t code) {
  auto begin = reinterpret_cast<std::uint64_t>(block);
  ProgramHeap::Use use = the_heap.use_of(begin, 1);
  BlockName name;
  const bool is_block = the_heap.find(begin, name) && name.offset == 0;
  if (use.state != ProgramHeap::State::freed || !is_block) return;  // the heap reports it
  use.size -= begin - use.begin;
  Failure failure{BugKind::double_free, "a block is freed twice", scheduler().current().id, code, {}};
  tell_freed(failure, begin, use.size);
  fail_with(std::move(failure), AccessKind::free, begin, use.size, code);
}

// Adds which thread freed the block, if that is known. An aligned block was freed by an address inside it. A
// thread may have freed the same memory by the same code more than once.
void RaceJudge::tell_freed(Failure& failure, std::uint64_t begin, std::uint64_t size) {
  auto is_it = [&](const Access& access) {
    return begin <= access.address && access.address < begin + std::max<std::uint64_t>(size, 1);
  };
  auto last = std::find_if(freed_.rbegin(), freed_.rend(), is_it);
  if (last == freed_.rend()) return;
  auto is_like_it = [&](const Access& access) {
    return access.address == last->address && access.code == last->code && access.when == last->when;
  };
  auto before = std::count_if(std::next(last), freed_.rend(), is_like_it);
  tell_earlier(failure, *last, static_cast<std::size_t>(before));
}

void RaceJudge::reused(const void* block, std::size_t size) {
  auto begin = reinterpret_cast<std::uint64_t>(block);
  detector_.forget(begin, (size + kCellBytes - 1) & ~(kCellBytes - 1));
}

void RaceJudge::allow(const volatile void* address, std::size_t size) {
  auto begin = reinterpret_cast<std::uint64_t>(address);
  allowed_.emplace_back(begin, begin + size);
  if (!world.running) allowed_before_ = allowed_.size();
}

void RaceJudge::leave_out(AccessKind kind, bool begin) {
  LeftOut& mine = left_out_[scheduler().current().number];
  std::uint16_t& count = kind == AccessKind::plain_read ? mine.reads : mine.writes;
  leaves_out_ = excepts_ = attentive_ = true;
  if (begin) {
    ++count;
  } else if (count != 0) {
    --count;
  }
}

inline void RaceJudge::check_memory(const Thread& me, AccessKind kind, std::uint64_t address,
                                    std::uint64_t size, std::uint64_t code) {
  if (ProgramHeap::is_heap(address)) {
    ProgramHeap::Use use = the_heap.use_of(address, size);
    if (__builtin_expect(use.state != ProgramHeap::State::live, 0))
      fail_by_heap(me, use, kind, address, size, code);
  } else if (ThreadPool::is_stack(address)) {
    check_stack(me, kind, address, size, code);
  }
}

[[gnu::noinline]] void RaceJudge::check_stack(const Thread& me, AccessKind kind, std::uint64_t address,
                                              std::uint64_t size, std::uint64_t code) {
  std::uint16_t slot = ThreadPool::slot_of_stack(address);
  if (slot == me.slot || slot >= scheduler().slots_used()) return;
  const Thread& owner = scheduler().thread_in_slot(slot);
  if (owner.life != Life::ended) {
    foreign_.push_back({owner.number,
                        {address,
                         static_cast<std::uint32_t>(size),
                         kind,
                         code,
                         {detector_.clock(me.number)[me.number], me.number}}});
    return;
  }
  Failure failure{BugKind::use_after_free,
                  access_text(kind, size) + " on the stack of a thread that has ended",
                  me.id,
                  code,
                  {}};
  fail_with(std::move(failure), kind, address, size, code);
}

void RaceJudge::fail_by_heap(const Thread& me, const ProgramHeap::Use& use, AccessKind kind,
                             std::uint64_t address, std::uint64_t size, std::uint64_t code) {
  Failure failure = misuse_of(use, kind, size, me.id, code);
  if (use.state == ProgramHeap::State::freed) tell_freed(failure, use.begin, use.size);
  fail_with(std::move(failure), kind, address, size, code);
}

// The access that fails is the last one that the failure names.
void RaceJudge::fail_with(Failure failure, AccessKind kind, std::uint64_t address, std::uint64_t size,
                          std::uint64_t code, std::uint32_t learned_by) {
  Thread& me = scheduler().current();
  failure.accesses.push_back(
      {me.id, kind, static_cast<std::uint32_t>(size), address, code, me.events, learned_by});
  if (scheduler().director().records_places())
    current_trace().details.access_places.push_back({described_place(address), {}, {}, running_stack()});
  write_down(me, kind, address, size, code);
  fail(std::move(failure));
}

bool RaceJudge::is_allowed(std::uint64_t address) const {
  return std::any_of(allowed_.begin(), allowed_.end(), [address](const auto& range) {
    return range.first <= address && address < range.second;
  });
}

bool RaceJudge::is_passed_over(const Race& race) const {
  return known_.holds(race.earlier.code, race.later.code);
}

void RaceJudge::check_races(std::uint64_t address, std::uint64_t size) {
  for (Race race : detector_.races()) {
    if (is_attentive() && is_passed_over(race)) continue;
    if (the_shared_block.value.holds(race.address)) continue;
    bool left_out = ((race.earlier.code | race.later.code) & kLeftOut) != 0;
    if (race.later.kind == AccessKind::free) {  // of the block; the detector has a piece of it
      race.later.address = address;
      race.later.size = static_cast<std::uint32_t>(size);
    }
    if (!left_out && !is_allowed(race.address)) fail_by(race);
    // No scheduling point stands before these accesses, so schedules may have been left out.
    notes().uncontrolled("races-allowed",
                         "a data race that the program declares to be meant was passed over");
  }
}

void RaceJudge::fail_by(const Race& race) {
  const Access& earlier = race.earlier;
  AccessKind first = std::max(earlier.kind, race.later.kind);
  AccessKind second = std::min(earlier.kind, race.later.kind);
  Failure failure{BugKind::data_race,
                  std::string(access_kind_name(first)) + " and " + std::string(access_kind_name(second)) +
                      " of the same memory, which nothing orders",
                  scheduler().current().id,
                  race.later.code,
                  {}};
  tell_earlier(failure, earlier);
  std::uint32_t learned_by = learned_ ? (*learned_)[{race.later.when.thread, earlier.when.thread}].event : 0;
  fail_with(std::move(failure), race.later.kind, race.later.address, race.later.size, race.later.code,
            learned_by);
}

// The failure names an earlier access. Its details are known if a further run has looked for it.
void RaceJudge::tell_earlier(Failure& failure, const Access& earlier, std::size_t skip) {
  if (!recognised_) {
    earlier_ = {earlier.when.thread, earlier.when.clock, earlier.address, earlier.code, skip};
    recognised_ = MemoryAccess{
        names_[earlier.when.thread], earlier.kind, earlier.size, earlier.address, earlier.code, 0, 0};
    recognised_places_ = {};
  }
  failure.accesses.push_back(*recognised_);
  if (!scheduler().director().records_places()) return;
  recognised_places_.object = described_place(earlier.address);
  current_trace().details.access_places.push_back(recognised_places_);
}

void RaceJudge::recognise(const Thread& me, AccessKind kind, std::uint64_t address, std::uint64_t size,
                          std::uint64_t code) {
  if (recognised_ || me.number != earlier_->number || code != earlier_->code ||
      detector_.clock(me.number)[me.number] != earlier_->clock || earlier_->address < address ||
      earlier_->address >= address + size)
    return;
  if (skipped_++ < earlier_->skip) return;
  recognised_ = MemoryAccess{me.id, kind, static_cast<std::uint32_t>(size), address, code, me.events, 0};
  recognised_places_ = {described_place(address), {}, {}, running_stack()};
  if (!at_point_) write_down(scheduler().current(), kind, address, size, code);
}

// Records a plain access that matters as an event of the trace that does not count.
void RaceJudge::write_down(Thread& me, AccessKind kind, std::uint64_t address, std::uint64_t size,
                           std::uint64_t code) {
  bool is_event =
      kind == AccessKind::atomic_read || kind == AccessKind::atomic_write || kind == AccessKind::thread_end;
  if (!world.recording || is_event) return;
  Standing before = me;
  me.operation = kind == AccessKind::plain_read ? Operation::plain_load
                 : kind == AccessKind::free     ? Operation::deallocate
                                                : Operation::plain_store;
  me.object = address;
  me.size = static_cast<std::uint32_t>(size);
  me.code = code;
  note_stack(me);
  record_event(me, 0, 0, Outcome::done);
  static_cast<Standing&>(me) = before;
}

bool sees_accesses_of_others() {
  if (world.job->races == Races::ignore) return false;
  race_judge().tell_accesses();
  return true;
}

void judge_operation(const Thread& thread, std::uint64_t value, std::uint64_t operand, Outcome outcome) {
  race_judge().synchronise(thread, value, operand, outcome);
}

void judge_creation(const Thread& parent, const Thread& child) { race_judge().create(parent, child); }

bool was_used_atomically(std::uint64_t object) { return race_judge().used_atomically(object); }

void judge_plain_write(std::uint64_t address, std::size_t size, std::uint64_t code) {
  race_judge().access(AccessKind::plain_write, reinterpret_cast<void*>(address), size, code,
                      RaceJudge::Point::nowhere);
}

}  // namespace thrum
