// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/state_keys.hpp"

#include <utility>

#include "support/hash.hpp"

namespace thrum::vm {

namespace {

constexpr std::uint64_t kPartSize = std::uint64_t{1} << 32;  // of the machine's own state

// Of them, those before and one more are the course and the records of threads, which are looked at one by
// one, and what is counted besides.
constexpr std::uint64_t kFirstCounted = 5, kTaken = 9, kYields = 10;

bool is_heap(std::uint64_t address) { return address - kHeap < std::uint64_t{kHeapRegions} * kHeapRegion; }

// All ones in each byte that may be accessed, or keeps its value until it may be again.
std::uint64_t bytes_in_use(std::uint64_t shadow) {
  static_assert(kAddressable == 1 && kDefined == 2);
  return ((shadow | shadow >> 1) & repeated<std::uint64_t>(1)) * 0xff;
}

void add_to(WideDigest& sum, const WideDigest& one) {
  sum.low += one.low;
  sum.high += one.high;
}
void take_from(WideDigest& sum, const WideDigest& one) {
  sum.low -= one.low;
  sum.high -= one.high;
}

}  // namespace

WideDigest StateKeys::hash_of(std::uint64_t address, const Word& word) {
  return {mixed(mixed(address, word.data), word.shadow), mixed(mixed(~address, word.data + 1), ~word.shadow)};
}

StateKey StateKeys::key() {
  numbers_.clear();
  add_course();
  for (std::uint16_t slot = 0; slot < Machine::course().slots_used; ++slot) add_thread(Machine::thread(slot));
  catch_up();
  add(sum_.low);
  add(sum_.high);
  return wide_digest(
      {reinterpret_cast<const char*>(numbers_.data()), numbers_.size() * sizeof(std::uint64_t)});
}

void StateKeys::add_course() {
  const Course& all = Machine::course();
  for (const std::uint64_t number :
       {std::uint64_t{all.slots_used}, std::uint64_t{all.startup}, std::uint64_t{all.keys},
        std::uint64_t{all.destroyed}, std::uint64_t{all.exit_handlers}, std::uint64_t{all.quick_handlers},
        static_cast<std::uint64_t>(all.exit_status), all.clock_jump_ns, std::uint64_t{all.input_stage},
        std::uint64_t{all.input_vector}, std::uint64_t{all.invariants}, std::uint64_t{all.in_test},
        std::uint64_t{all.passes_over}, std::uint64_t{all.tests_called}, std::uint64_t{all.leak_requests},
        all.live_before_part, machine_.clock_counts ? all.now_ns : 0})
    add(number);
}

void StateKeys::add_thread(const Thread& one) {
  add(static_cast<std::uint64_t>(one.life));
  add(one.random_draws);
  add(one.released);
  if (one.life == Life::unused || (one.life == Life::ended && one.released)) return;
  for (const std::uint64_t number : {std::uint64_t{one.id}, std::uint64_t{one.detached},
                                     std::uint64_t{one.joined_by_someone}, one.result, one.exit_result})
    add(number);
  if (one.life == Life::ended) return;
  const bool is_timed = one.timed && !one.woken;
  const bool waits_for_thread = one.wait == Wait::join || one.wait == Wait::ended;
  for (const std::uint64_t number : {static_cast<std::uint64_t>(one.operation),
                                     static_cast<std::uint64_t>(one.wait),
                                     static_cast<std::uint64_t>(one.needs),
                                     std::uint64_t{one.woken},
                                     std::uint64_t{one.timed},
                                     std::uint64_t{one.timed_out},
                                     std::uint64_t{one.woken_spuriously},
                                     std::uint64_t{one.forced},
                                     std::uint64_t{one.interrupted},
                                     std::uint64_t{one.signal_first},
                                     std::uint64_t{one.in_kernel},
                                     std::uint64_t{one.at_cancellation_point},
                                     std::uint64_t{one.cancelled},
                                     std::uint64_t{one.size},
                                     one.object,
                                     one.lock,
                                     waits_for_thread ? std::uint64_t{one.joined} : 0,
                                     one.wait == Wait::signal ? one.signals : 0,
                                     std::uint64_t{one.returns_int},
                                     std::uint64_t{one.is_timer},
                                     std::uint64_t{one.is_checker},
                                     std::uint64_t{one.fault},
                                     one.fault_address,
                                     std::uint64_t{one.handlers},
                                     std::uint64_t{one.atomic_depth},
                                     std::uint64_t{one.destructors},
                                     std::uint64_t{one.keys_used},
                                     std::uint64_t{one.key_round},
                                     std::uint64_t{one.next_key},
                                     std::uint64_t{one.cancellation.pending},
                                     std::uint64_t{one.cancellation.disabled},
                                     std::uint64_t{one.cancellation.asynchronous},
                                     one.cancellation.cleanup,
                                     one.stack_size,
                                     one.own_stack_end,
                                     one.alternate_begin,
                                     one.guard_size,
                                     one.affinity,
                                     std::uint64_t{one.in_call}})
    add(number);
  if (is_timed) {
    add(machine_.clock_counts ? one.deadline_ns : one.deadline_ns - Machine::course().now_ns);
    add(one.length_ns > machine_.settings.early_timeouts_ns);
  }
  if (machine_.settings.spurious) add(one.others_when_spurious == machine_.events_of_others(one));
  // They are woken in the order in which they began to wait.
  if (one.wait == Wait::wakeup && one.operation == Operation::futex_wait) add(one.wait_order);
  machine_.states_.take(one, registers_);
  add(registers_.size());
  numbers_.insert(numbers_.end(), registers_.begin(), registers_.end());
}

// What the word counts for. Frames and records of threads have their own place in the key.
std::optional<StateKeys::Word> StateKeys::word(std::uint64_t address, std::uint64_t data,
                                               std::uint64_t shadow) const {
  if (address >= kFrames && !is_mapping(address)) return std::nullopt;
  if (address >= kMachine && address < kFrames) {
    const std::uint64_t part = (address - kMachine) / kPartSize;
    const bool is_counted = part == 0 ? !machine_.heap.is_counter(address)
                                      : part >= kFirstCounted && part != kTaken && part != kYields;
    return is_counted ? std::optional(Word{data, 0}) : std::nullopt;
  }
  if ((shadow & repeated<std::uint64_t>(kHeader)) != 0 && is_heap(address))
    return Word{Heap::without_names(address, data), shadow};
  if (is_heap(address) && (shadow & repeated<std::uint64_t>(kFreed)) != 0 && machine_.heap.is_link(address))
    return Word{data, shadow};
  return Word{data & bytes_in_use(shadow), shadow};
}

void StateKeys::begin() {
  seen_ = machine_.memory.mark();
  sum_ = {};
  replaced_.clear();
  for (Entry& one : entries_) one.share = {};
}

StateKeys::Moment StateKeys::mark() {
  catch_up();
  return {seen_, sum_, replaced_.size()};
}

void StateKeys::undo(const Moment& moment) {
  while (replaced_.size() > moment.replaced) {
    entry(replaced_.back().address).share = replaced_.back().share;
    replaced_.pop_back();
  }
  sum_ = moment.sum;
  seen_ = moment.seen;
}

// The entry of the word; a new one if there is none.
StateKeys::Entry& StateKeys::entry(std::uint64_t address) {
  if (used_ * 2 >= entries_.size()) grow();
  const std::size_t last = entries_.size() - 1;
  std::size_t place = mixed(address, 0) & last;
  while (entries_[place].address != address && entries_[place].address != 0) place = (place + 1) & last;
  if (entries_[place].address == 0) {
    entries_[place].address = address;
    ++used_;
  }
  return entries_[place];
}

void StateKeys::grow() {
  std::vector<Entry> before(entries_.size() * 4);
  before.swap(entries_);
  used_ = 0;
  for (const Entry& one : before) {
    if (one.address != 0) entry(one.address) = one;
  }
}

// Takes in what was overwritten since it was last looked at.
void StateKeys::catch_up() {
  const Mark now = machine_.memory.mark();
  machine_.memory.each_overwritten(seen_, now, [this](std::uint64_t address, std::uint64_t old) {
    const bool is_data = in_arena(address);
    Entry& one = entry(is_data ? address : address - kShadowDistance);
    bool& is_known = is_data ? one.has_data : one.has_shadow;
    if (!is_known) (is_data ? one.data : one.shadow) = old;
    is_known = true;
  });
  ++looks_;
  machine_.memory.each_overwritten(seen_, now, [this](std::uint64_t address, std::uint64_t) {
    look_at(in_arena(address) ? address : address - kShadowDistance);
  });
  seen_ = now;
}

void StateKeys::look_at(std::uint64_t address) {
  Entry& one = entry(address);
  if (std::exchange(one.looked_at, looks_) == looks_) return;
  const bool has_shadow = address < kMachine || is_mapping(address);
  const std::uint64_t data = at<std::uint64_t>(address);
  const std::uint64_t shadow = has_shadow ? shadow_at<std::uint64_t>(address) : 0;
  const std::optional<Word> now = word(address, data, shadow);
  const std::optional<Word> before =
      word(address, one.has_data ? one.data : data, one.has_shadow ? one.shadow : shadow);
  WideDigest share;
  if (now != before) {
    if (now) add_to(share, hash_of(address, *now));
    if (before) take_from(share, hash_of(address, *before));
  }
  if (share == one.share) return;
  replaced_.push_back({address, one.share});
  take_from(sum_, one.share);
  add_to(sum_, share);
  one.share = share;
}

}  // namespace thrum::vm
