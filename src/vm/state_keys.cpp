// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/state_keys.hpp"

#include <algorithm>

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

WideDigest digest_of(const std::vector<std::uint64_t>& numbers) {
  return wide_digest({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::uint64_t)});
}

}  // namespace

WideDigest StateKeys::hash_of(std::uint64_t address, const Word& word) {
  return {mixed(mixed(address, word.data), word.shadow), mixed(mixed(~address, word.data + 1), ~word.shadow)};
}

StateKey StateKeys::key() {
  catch_up();
  numbers_.clear();
  add(sum_.low);
  add(sum_.high);
  add_course();
  for (std::uint16_t slot = 0; slot < threads_.size(); ++slot) {
    add(threads_[slot].digest.low);
    add(threads_[slot].digest.high);
    add_times(Machine::thread(slot));
  }
  if (symmetry_.is_on()) {
    symmetry_.begin_key();
    for (const ThreadPart& thread : threads_) {
      for (const std::uint64_t pointer : thread.pointers) symmetry_.add_pointer(pointer, numbers_);
    }
    symmetry_.add_blocks(numbers_);
  }
  return digest_of(numbers_);
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
  add(one.id);
  add(one.locks);
  if (one.life == Life::unused || (one.life == Life::ended && one.released)) return;
  for (const std::uint64_t number :
       {std::uint64_t{one.detached}, std::uint64_t{one.joined_by_someone}, one.result, one.exit_result})
    add(number);
  if (one.life == Life::ended) return;
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
  machine_.states_.take(one, registers_, ~std::size_t{0});
  add(registers_.size());
  numbers_.insert(numbers_.end(), registers_.begin(), registers_.end());
}

// What changes though the thread does nothing.
void StateKeys::add_times(const Thread& one) {
  if (one.life == Life::unused || one.life == Life::ended) return;
  if (one.timed && !one.woken) {
    add(machine_.clock_counts ? one.deadline_ns : one.deadline_ns - Machine::course().now_ns);
    add(one.length_ns > machine_.settings.early_timeouts_ns);
  }
  if (machine_.settings.spurious) add(one.others_when_spurious == machine_.events_of_others(one));
  // They are woken in the order in which they began to wait.
  if (one.wait == Wait::wakeup && one.operation == Operation::futex_wait) add(one.wait_order);
}

// Whether the word, or that of which it is the shadow, is a part of the memory's sum. Frames and records of
// threads have their own place in the key.
inline bool StateKeys::is_summed(std::uint64_t address) const {
  if (!in_arena(address) || address < kMachine) return true;
  if (address >= kFrames) return is_mapping(address);
  const std::uint64_t part = (address - kMachine) / kPartSize;
  return part == 0 ? !symmetry_.is_on() && !machine_.heap.is_counter(address)
                   : part >= kFirstCounted && part != kTaken && part != kYields;
}

// What the word counts for.
StateKeys::Word StateKeys::word(std::uint64_t address, std::uint64_t data, std::uint64_t shadow) const {
  if (address >= kMachine && address < kFrames) return {data, 0};
  if (is_heap(address)) {
    if ((shadow & repeated<std::uint64_t>(kHeader)) != 0) return {Heap::without_names(address, data), shadow};
    if ((shadow & repeated<std::uint64_t>(kFreed)) != 0 && machine_.heap.is_link(address))
      return {symmetry_.is_on() ? 0 : data, shadow};
  }
  return {data & bytes_in_use(shadow), shadow};
}

void StateKeys::begin() {
  seen_ = machine_.memory.mark();
  sum_ = {};
  replaced_.clear();
  threads_.clear();
  for (Entry& one : entries_) one.part = {};
  symmetry_.begin(is_symmetric_);
}

void StateKeys::mark(Moment& moment) {
  catch_up();
  moment.seen = seen_;
  moment.sum = sum_;
  moment.replaced = replaced_.size();
  moment.threads = threads_;
}

void StateKeys::undo(const Moment& moment) {
  while (replaced_.size() > moment.replaced) {
    set_part(entry(replaced_.back().address), replaced_.back().part);
    replaced_.pop_back();
  }
  symmetry_.forget_blocks();
  sum_ = moment.sum;
  seen_ = moment.seen;
  threads_ = moment.threads;
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

// Takes in what was overwritten since it was last looked at, and the threads that have changed since the
// machine's last mark. What is known of a word's beginning must be
// complete before it is looked at.
void StateKeys::catch_up() {
  const Mark now = machine_.memory.mark();
  written_.clear();
  // Records of threads, frames and the course are noted as ranges, and have their own place in the key.
  const auto wants = [this](std::uint64_t first) { return is_summed(first) || first - kMachine < kPartSize; };
  machine_.memory.each_overwritten(seen_, now, wants, [this](std::uint64_t address, std::uint64_t old) {
    if (address - kMachine < kPartSize) symmetry_.note_book(address);
    if (!is_summed(address)) return;
    const bool is_data = in_arena(address);
    const std::uint64_t word = is_data ? address : address - kShadowDistance;
    Entry& one = entry(word);
    bool& is_known = is_data ? one.has_data : one.has_shadow;
    if (!is_known) (is_data ? one.data : one.shadow) = old;
    is_known = true;
    written_.push_back(word);
  });
  std::ranges::sort(written_);
  written_.erase(std::unique(written_.begin(), written_.end()), written_.end());
  for (const std::uint64_t address : written_) look_at(entry(address));
  seen_ = now;
  const std::size_t known = threads_.size();
  threads_.resize(Machine::course().slots_used);
  for (std::uint16_t slot = 0; slot < threads_.size(); ++slot) {
    if (slot < known && machine_.touched_[slot] != machine_.marks_) continue;
    numbers_.clear();
    add_thread(Machine::thread(slot));
    if (symmetry_.is_on()) take_out_pointers(threads_[slot].pointers);
    threads_[slot].digest = digest_of(numbers_);
  }
}

// Pointers count by what they point to, and where in that.
void StateKeys::take_out_pointers(std::vector<std::uint64_t>& pointers) {
  pointers.clear();
  for (std::uint64_t& number : numbers_) {
    if (!symmetry_.moves(number)) continue;
    pointers.push_back(number);
    number = symmetry_.in_block(number);
  }
  add(pointers.size());
}

// What stands for the word: of a block that may move, by its place there; else by how it differs from what it
// was at the beginning.
HeapSymmetry::Part StateKeys::part_of(const Entry& one) {
  constexpr std::uint64_t kPointer = 0x9e37'79b9'7f4a'7c15;
  const std::uint64_t address = one.address;
  const bool has_shadow = address < kMachine || is_mapping(address);
  const std::uint64_t data = at<std::uint64_t>(address);
  const std::uint64_t shadow = has_shadow ? shadow_at<std::uint64_t>(address) : 0;
  Word now = word(address, data, shadow);
  HeapSymmetry::Part part;
  if (symmetry_.moves(now.data)) {
    part.pointer = now.data;
    now = {symmetry_.in_block(part.pointer), now.shadow ^ kPointer};
  }
  if (symmetry_.moves(address)) {
    if (now != Word{}) part.share = hash_of(symmetry_.place_of_word(address), now);
    return part;
  }
  const Word before = word(address, one.has_data ? one.data : data, one.has_shadow ? one.shadow : shadow);
  if (now == before) return part;
  add_to(part.share, hash_of(address, now));
  take_from(part.share, hash_of(address, before));
  return part;
}

void StateKeys::look_at(Entry& one) {
  const HeapSymmetry::Part part = part_of(one);
  if (part == one.part) return;
  replaced_.push_back({one.address, one.part});
  set_part(one, part);
}

void StateKeys::set_part(Entry& one, const HeapSymmetry::Part& part) {
  if (symmetry_.is_on()) {
    add_to(sum_, symmetry_.replace(one.address, one.part, part));
  } else {
    take_from(sum_, one.part.share);
    add_to(sum_, part.share);
  }
  one.part = part;
}

}  // namespace thrum::vm
