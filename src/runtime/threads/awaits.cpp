// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/awaits.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "runtime/base/liveness.hpp"
#include "runtime/base/thread.hpp"
#include "runtime/threads/loop_list.hpp"
#include "support/digest.hpp"
#include "support/hash.hpp"

namespace thrum {
namespace {

constexpr std::uint64_t kStatesMax = 64 * 1024 * 1024;  // bytes of all states; behind them calls are ordinary

constexpr std::size_t kConditionsMax = 1 << 20;  // further ones belong to no await
constexpr std::size_t kObjectAt = 4;  // in the words of a state: the operation's object, and then its size
constexpr std::size_t kStackPointerAt = sizeof(std::uint64_t);
constexpr std::size_t kRegistersAt = 11 * sizeof(std::uint64_t);  // behind these words
constexpr std::size_t kStackAt = kRegistersAt + sizeof CallerState::registers;

std::uint64_t hash_of_next(std::uint32_t before, std::uint64_t value) { return mixed(before, value); }

// Copies the frames from that stack pointer on, at which a return address lies. Dead words behind it are
// zeros.
void take_frames(std::uint64_t stack_pointer, std::uint64_t size, std::uint64_t live, char* copy) {
  constexpr std::uint64_t kWord = 4;
  std::memcpy(copy, reinterpret_cast<const void*>(stack_pointer), size);
  for (std::uint64_t dead = ~live; dead != 0; dead &= dead - 1) {
    const std::uint64_t at = sizeof(void*) + static_cast<unsigned>(std::countr_zero(dead)) * kWord;
    if (at + kWord <= size) std::memset(copy + at, 0, kWord);
  }
}

}  // namespace

void Awaits::add_slots(const Thread& thread) { threads_.resize(thread.slot + std::size_t{1}); }

void Awaits::reset() {
  trial_ = kNoTrial;
  for (PerThread& thread : threads_) {
    thread.visits.clear();
    thread.state = 0;
    thread.condition = 0;
    thread.last.before = thread.reader.before = 0;
    thread.last.memory = 0;
    thread.goes_round = thread.depends_on_time = false;
  }
}

void Awaits::copy(const PerThread& from, PerThread& to) {
  static_cast<Course&>(to) = from;
  if (!from.visits.empty() || !to.visits.empty()) to.visits = from.visits;
}

void Awaits::save(Moment& moment) const {
  moment.threads.resize(threads_.size());
  for (std::size_t i = 0; i < threads_.size(); ++i) copy(threads_[i], moment.threads[i]);
}

void Awaits::restore(const Moment& moment) {
  for (std::size_t i = 0; i < moment.threads.size(); ++i) copy(moment.threads[i], threads_[i]);
}

Awaits::Arrival Awaits::arrive(const Thread& thread, std::uint64_t code, const CallerState& caller,
                               const Now& now) {
  PerThread& mine = of(thread);
  mine.state = 0;
  mine.condition = 0;
  if (take_contradiction()) return Arrival::unsound;
  const std::uint64_t frames = frames_size(thread, caller);
  if (frames > kFramesMax) {
    learn(mine, kOther);
    return Arrival::ordinary;
  }
  if (!seen_.has(code)) {
    const Arrival arrival = arrive_unseen(thread, mine, code, caller, now.switches);
    if (arrival != Arrival::ordinary) depth_ = std::max<std::size_t>(depth_, frames);
    return arrival;
  }
  if (frames > depth_) {
    depth_ = frames;
    return Arrival::deeper;
  }
  const std::size_t known = states_.size();
  const State state = number_of(thread, code, caller);
  learn(mine, state, now.steps);
  if (take_contradiction()) return Arrival::unsound;
  if (probe_.runs) {
    mine.state = state;
    return continue_probe(state) ? Arrival::runs_on : Arrival::probe;
  }
  if (state == kOther || never_.has(code)) return Arrival::ordinary;
  const auto before = std::ranges::find(mine.visits, state, &Visit::state);
  if (before != mine.visits.end()) {
    mine.was_alone = before->switches == now.switches;
    return come_back(mine, code, thread.slot == trial_);
  }
  if (states_.size() != known) note_difference(mine, code, caller.stack_pointer, state);
  mine.goes_round =
      mine.goes_round || std::ranges::find(mine.visits, code, &Visit::code) != mine.visits.end();
  if (const Arrival arrival = merge(thread, mine, code); arrival != Arrival::ordinary) return arrival;
  if (mine.visits.size() == kArrivalsMax) return Arrival::ordinary;
  add_visit(mine, thread, code, caller, now.switches).state = state;
  if (unlearnable_.has(code) || !watched_.has(code)) return Arrival::ordinary;
  mine.state = state;
  if (probe_.from == state && probe_.thread == thread.id && probe_.events == thread.events) {
    probe_.runs = true;
    return Arrival::runs_on;
  }
  if (rounds_ >= Rounds::await && thread.slot != trial_) mine.condition = condition_of(mine);
  return Arrival::ordinary;
}

// Its state is its result. What is left on its stack is dead.
Awaits::Arrival Awaits::arrive_at_end(const Thread& thread, std::uint64_t steps) {
  PerThread& mine = of(thread);
  mine.state = 0;
  mine.condition = 0;
  if (mine.last.before == 0 || mine.visits.empty()) return Arrival::ordinary;
  const State end = number_of_end(thread);
  learn(mine, end, steps);
  if (take_contradiction()) return Arrival::unsound;
  if (probe_.runs) {
    probe_ = {};
    return Arrival::probe;
  }
  return end == kOther ? Arrival::ordinary : merge(thread, mine, mine.visits.back().code);
}

// No state is taken of the call.
Awaits::Arrival Awaits::arrive_unseen(const Thread& thread, PerThread& mine, std::uint64_t code,
                                      const CallerState& caller, std::uint64_t switches) {
  learn(mine, kOther);
  if (mine.visits.size() == kArrivalsMax) return Arrival::ordinary;
  const bool is_part = thread.slot != trial_ && !never_.has(code);
  const bool is_back = has_been_at(mine, code, caller) && comes_back(mine, code, caller);
  // Where it leaves a loop by different states, these may lead to one.
  if (is_part && rounds_ == Rounds::merge && may_merge(mine)) return watch_all(mine, code);
  if (!is_back || !is_part) {
    if (!is_back) add_visit(mine, thread, code, caller, switches);
    return Arrival::ordinary;
  }
  for (const Visit& other : mine.visits) seen_.insert(other.code);
  return Arrival::deeper;
}

// The thread has been at that call. Whether it may be in a state in which it was there.
bool Awaits::comes_back(PerThread& mine, std::uint64_t code, const CallerState& caller) {
  const std::uint64_t live = liveness_at(code).registers;
  const auto differs = [&](const Visit& visit, std::size_t i) {
    return (live >> i & 1u) != 0 && visit.registers[i] != caller.registers[i];
  };
  std::size_t difference = 0;  // where registers differed last: a loop's counter, say
  for (const Visit& visit : mine.visits) {
    if (!visit.is_at(code, caller.stack_pointer) || differs(visit, difference)) continue;
    difference = 0;
    while (difference < std::size(caller.registers) && !differs(visit, difference)) ++difference;
    if (difference == std::size(caller.registers)) return true;
  }
  if (!mine.goes_round) {
    differing_.insert(code);
    differences_[code] |= std::uint64_t{1} << difference;
  }
  mine.goes_round = true;
  return false;
}

bool Awaits::watches_all(const PerThread& mine, std::uint64_t code) const {
  return watched_.has(code) &&
         std::ranges::all_of(mine.visits, [&](const Visit& visit) { return watched_.has(visit.code); });
}

// What followed was not known where a call was not watched, and is forgotten.
Awaits::Arrival Awaits::watch_all(const PerThread& mine, std::uint64_t code) {
  watch(code);
  for (const Visit& visit : mine.visits) watch(visit.code);
  forget_facts();
  return Arrival::watch;
}

// The thread is in a state in which it has been. If it is known now that the last read of its round leads
// there, the read was not enabled.
Awaits::Arrival Awaits::come_back(PerThread& mine, std::uint64_t code, bool is_trial) {
  const auto reader = mine.reader;
  found_.insert(code);
  if (rounds_ == Rounds::block || is_trial) return Arrival::nothing;
  if (!watches_all(mine, code)) return watch_all(mine, code);
  PerThread then;
  if (!before_reader(mine, then) || !refuses(then, reader.before, reader.value)) return Arrival::nothing;
  awaited_.insert(code_of(reader.before));
  refusals_.push_back({condition_of(then), reader.value});
  return Arrival::learned;
}

// What it was before its last read that was no yield; false: that is not known.
bool Awaits::before_reader(const PerThread& mine, PerThread& then) const {
  if (mine.reader.before == 0) return false;
  const auto read = std::ranges::find(mine.visits, mine.reader.before, &Visit::state);
  if (read == mine.visits.end()) return false;
  then.visits.assign(mine.visits.begin(), read + 1);
  return true;
}

// The thread has come by a read to a state in which it has not been: whether the read was not enabled.
Awaits::Arrival Awaits::merge(const Thread& thread, PerThread& mine, std::uint64_t code) {
  if (rounds_ == Rounds::merge && thread.slot != trial_ && !mine.visits.empty() && may_merge(mine) &&
      !watches_all(mine, code))
    return watch_all(mine, code);
  PerThread then;
  if (rounds_ != Rounds::merge || thread.slot == trial_ || !before_reader(mine, then))
    return Arrival::ordinary;
  Probe probe;
  switch (way_to(then, mine.reader.before, mine.reader.value, probe)) {
    case Way::none: return Arrival::ordinary;
    case Way::shorter: break;
    case Way::unknown:
      if (probe_.from != 0) {  // the last one could not be made
        unlearnable_.insert(code_of(std::exchange(probe_, {}).from));
        return Arrival::unsound;
      }
      probe.thread = thread.id;
      probe_ = probe;
      return Arrival::probe;
  }
  mine.was_alone = false;  // there is no round that could be proved
  merged_.insert(code_of(mine.reader.before));
  refusals_.push_back({condition_of(then), mine.reader.value});
  return Arrival::learned;
}

// Whether a shorter way is known from an earlier state to the one that follows the read of that value. If it
// depends on what is not known, sets probe.
Awaits::Way Awaits::way_to(const PerThread& mine, State state, std::uint64_t value, Probe& probe) const {
  const State end = after(state, value);
  if (end == 0 || end == kOther) return Way::none;
  bool is_unknown = false;
  const std::size_t last = mine.visits.size() - 1;
  for (std::size_t i = 0; i < last; ++i) {
    const Visit& visit = mine.visits[i];
    if (!watched_.has(visit.code) || unlearnable_.has(visit.code)) continue;  // no probe could begin there
    State at = visit.state;
    for (std::size_t reads = 1; reads <= last - i && read_same_bytes(at, state); ++reads) {
      const State next = after(at, value);
      if (next == end) return Way::shorter;
      if (next == 0 && !is_unknown) {
        is_unknown = true;
        probe = {visit.state, 0, visit.events, static_cast<std::uint32_t>(last - i), value, false};
      }
      at = next;
    }
  }
  return is_unknown ? Way::unknown : Way::none;
}

// Whether the operations in the two states read the same bytes.
bool Awaits::read_same_bytes(State one, State other) const {
  if (one == 0 || one == kOther || !reads_value(states_[one - 1].operation)) return false;
  struct Bytes {
    std::uint64_t object;
    std::uint64_t size;
    bool operator==(const Bytes&) const = default;
  };
  const auto bytes_of = [this](State state) {
    Bytes bytes;
    std::memcpy(&bytes, bytes_.data() + states_[state - 1].begin + kObjectAt * sizeof(std::uint64_t),
                sizeof bytes);
    return bytes;
  };
  return bytes_of(one) == bytes_of(other);
}

// The probed thread is in that state now. Whether it reads once more.
bool Awaits::continue_probe(State state) {
  if (--probe_.reads > 0 && read_same_bytes(state, probe_.from)) return true;
  probe_ = {};
  return false;
}

void Awaits::give_up_probe(const Thread& thread) {
  note_change(thread);
  probe_ = {};
}

bool Awaits::learns(const Thread& thread, std::uint64_t value) const {
  const State state = of(thread).state;
  return rounds_ >= Rounds::await && state != 0 && after(state, value) == 0;
}

bool Awaits::sees_accesses(const Thread& thread, std::uint64_t value) const {
  const State state = of(thread).state;
  return rounds_ >= Rounds::await && state != 0 &&
         (after(state, value) == 0 || accessing_.has(code_of(state)));
}

bool Awaits::note_own_access(const Thread& thread, std::uint64_t address, std::uint64_t size) {
  Read& last = of(thread).last;
  if (last.before == 0 || !last.stack_is_known) return false;
  const std::uint64_t code = code_of(last.before);
  if (!own_accesses_.add(thread.slot, code, address, size)) return false;
  accessing_.insert(code);
  return true;
}

bool Awaits::contradicts(const Thread& thread, std::uint64_t address, std::uint64_t size) {
  const std::uint64_t code = own_accesses_.touch(thread.slot, address, size);
  return code != 0 && unlearnable_.insert(code);
}

void Awaits::note_stack(const Thread& thread, std::uint64_t value) {
  PerThread& mine = of(thread);
  mine.stack_is_known = false;
  if (!sees_accesses(thread, value)) return;
  const Kept& kept = states_[mine.state - 1];
  std::uint64_t stack_pointer = 0;
  std::memcpy(&stack_pointer, bytes_.data() + kept.begin + kStackPointerAt, sizeof stack_pointer);
  taken_.resize(reinterpret_cast<std::uint64_t>(thread.stack_top) - stack_pointer);
  take_frames(stack_pointer, taken_.size(), liveness_at(code_of(mine.state)).words, taken_.data());
  mine.stack_is_known = std::memcmp(bytes_.data() + kept.begin + kStackAt, taken_.data(), taken_.size()) == 0;
}

void Awaits::note_read(const Thread& thread, std::uint64_t value, std::uint64_t memory, std::uint64_t steps) {
  PerThread& mine = of(thread);
  mine.last = {mine.state, std::exchange(mine.stack_is_known, false), memory, value, steps};
  if (thread.operation != Operation::yield) mine.reader = {mine.state, value};
  mine.state = 0;
  mine.condition = 0;
}

void Awaits::note_other(const Thread& thread) { forget_read(of(thread)); }

void Awaits::note_effect(const Thread& thread, std::uint64_t value) {
  PerThread& mine = of(thread);
  if (mine.state != 0) mine.last = {mine.state, false, 0, value, kUnclean};
  note_change(thread);
}

void Awaits::note_time(const Thread& thread) {
  note_change(thread);
  of(thread).depends_on_time = true;
}

// What follows the last operation, if the thread has accessed no plain memory since. If something else was
// found to follow it before, that is a contradiction.
void Awaits::learn(PerThread& mine, State after, std::uint64_t steps) {
  if (mine.last.before == 0) {
    mine.last.memory = 0;
    return;
  }
  const Read last = std::exchange(mine.last, {});
  if (rounds_ == Rounds::block) return;
  if (steps != last.steps || steps == kUnclean) after = kOther;
  const auto ends = [&](const Next& next) {
    return next.before == 0 || (next.before == last.before && next.value == last.value);
  };
  const auto hash = [](const Next& next) { return hash_of_next(next.before, next.value); };
  next_.make_room(
      next_count_ + 1, [](const Next& next) { return next.before == 0; }, hash);
  Next& next = next_[next_.find(hash_of_next(last.before, last.value), ends)];
  if (next.before != 0) {
    if (next.after == after || next.after == kOther) return;
    next.after = kOther;
    is_contradicted_ = unlearnable_.insert(code_of(last.before)) || is_contradicted_;
    return;
  }
  next = {last.before, after, last.value};
  ++next_count_;
}

Awaits::State Awaits::after(State state, std::uint64_t value) const {
  if (next_.empty()) return 0;
  const auto ends = [&](const Next& next) {
    return next.before == 0 || (next.before == state && next.value == value);
  };
  return next_[next_.find(hash_of_next(state, value), ends)].after;
}

std::uint64_t Awaits::code_of(State state) const {
  std::uint64_t code = 0;
  std::memcpy(&code, bytes_.data() + states_[state - 1].begin, sizeof code);
  return code;
}

bool Awaits::has_visited(const PerThread& mine, State state) {
  return std::ranges::any_of(mine.visits, [&](const Visit& visit) { return visit.state == state; });
}

// A yield reads nothing; so what follows it is passed through.
bool Awaits::refuses(const PerThread& mine, State state, std::uint64_t value) const {
  State next = after(state, value);
  for (std::size_t i = 0; i < kArrivalsMax && next != 0 && next != kOther; ++i) {
    if (has_visited(mine, next)) return true;
    if (states_[next - 1].operation != Operation::yield) return false;
    next = after(next, 0);
  }
  return false;
}

bool Awaits::refuses(const Thread& thread, std::uint64_t value) const {
  const PerThread& mine = of(thread);
  if (refuses(mine, mine.state, value)) return true;
  Probe probe;
  return rounds_ == Rounds::merge && way_to(mine, mine.state, value, probe) == Way::shorter;
}

bool Awaits::goes_on(const Thread& thread) const {
  const PerThread& mine = of(thread);
  return rounds_ >= Rounds::await && mine.state != 0 && after(mine.state, 0) == 0;
}

void Awaits::begin_trial(const Thread& thread) {
  trial_ = thread.slot;
  PerThread& mine = of(thread);
  note_change(thread);
  mine.state = 0;
  mine.condition = 0;
}

void Awaits::take_refusals(std::vector<Refusal>& refusals) {
  probe_ = {};
  refusals.insert(refusals.end(), refusals_.begin(), refusals_.end());
  refusals_.clear();
}

// ---- What is reported

void Awaits::note_difference(const PerThread& mine, std::uint64_t code, std::uint64_t stack_pointer,
                             State state) {
  const auto before = std::ranges::find_if(
      mine.visits, [&](const Visit& visit) { return visit.is_at(code, stack_pointer) && visit.state != 0; });
  if (before == mine.visits.end()) return;
  const Kept& one = states_[before->state - 1];
  const Kept& other = states_[state - 1];
  const char* bytes = bytes_.data();
  const auto differs = [&](std::size_t begin, std::size_t end) {
    return std::memcmp(bytes + one.begin + begin, bytes + other.begin + begin, end - begin) != 0;
  };
  differing_.insert(code);
  std::uint64_t& differences = differences_[code];
  if (differs(0, kRegistersAt)) differences |= WaitingLoop::kArgumentsDiffer;
  for (std::size_t i = 0; i < std::size(CallerState{}.registers); ++i) {
    const std::size_t at = kRegistersAt + i * sizeof(std::uint64_t);
    if (differs(at, at + sizeof(std::uint64_t))) differences |= std::uint64_t{1} << i;
  }
  if (one.size != other.size || differs(kStackAt, one.size)) differences |= WaitingLoop::kStackDiffers;
}

void Awaits::add_loops(LoopList& loops) const {
  using Kind = WaitingLoop::Kind;
  merged_.for_each([&](std::uint64_t code) { loops.add(code, Kind::merge); });
  awaited_.for_each([&](std::uint64_t code) { loops.add(code, Kind::await); });
  never_.for_each([&](std::uint64_t code) { loops.add(code, Kind::uncontrolled); });
  found_.for_each([&](std::uint64_t code) { loops.add(code, Kind::block); });
  differing_.for_each([&](std::uint64_t code) {
    loops.add(code, Kind::differs, static_cast<std::uint8_t>(differences_.get(code)));
  });
}

// ---- States

Awaits::State Awaits::number_of(const Thread& thread, std::uint64_t code, const CallerState& caller) {
  const bool has_argument = thread.operation == Operation::store ||
                            thread.operation == Operation::read_modify_write ||
                            thread.operation == Operation::compare_exchange;
  const std::uint64_t words[] = {code,
                                 caller.stack_pointer,
                                 thread.id,
                                 static_cast<std::uint64_t>(thread.operation),
                                 thread.object,
                                 thread.size,
                                 has_argument ? thread.operation_argument : 0,
                                 has_argument ? thread.operation_operand : 0,
                                 has_argument ? static_cast<std::uint64_t>(thread.update) : 0,
                                 static_cast<std::uint64_t>(errno),
                                 floating_point_modes()};
  static_assert(sizeof words == kRegistersAt);
  const std::uint64_t frames = frames_size(thread, caller);
  const std::size_t keys = thread.keys.size() * sizeof(SpecificValue);
  taken_.resize(kStackAt + frames + keys);
  std::memcpy(taken_.data(), words, sizeof words);
  const Liveness live = liveness_at(code);
  for (unsigned i = 0; i < std::size(caller.registers); ++i) {
    const std::uint64_t value = (live.registers >> i & 1u) != 0 ? caller.registers[i] : 0;
    std::memcpy(taken_.data() + sizeof words + i * sizeof value, &value, sizeof value);
  }
  take_frames(caller.stack_pointer, frames, live.words, taken_.data() + kStackAt);
  if (keys != 0) std::memcpy(taken_.data() + kStackAt + frames, thread.keys.data(), keys);
  return number_of_taken(thread.operation);
}

Awaits::State Awaits::number_of_end(const Thread& thread) {
  const std::uint64_t words[] = {0, thread.id, reinterpret_cast<std::uint64_t>(thread.result)};
  taken_.resize(kStackAt);
  std::memset(taken_.data(), 0, taken_.size());
  std::memcpy(taken_.data(), words, sizeof words);
  return number_of_taken(Operation::thread_end);
}

// The number of the state that taken_ holds.
Awaits::State Awaits::number_of_taken(Operation operation) {
  const std::uint64_t digest = XXH3_64bits(taken_.data(), taken_.size()) | 1;
  state_slots_.make_room(
      states_.size() + 1, [](State state) { return state == 0; },
      [this](State state) { return states_[state - 1].digest; });
  State& slot = state_slots_[state_slots_.find(
      digest, [&](State state) { return state == 0 || states_[state - 1].digest == digest; })];
  if (slot != 0) {
    const Kept& kept = states_[slot - 1];
    const bool is_same =
        kept.size == taken_.size() && std::memcmp(bytes_.data() + kept.begin, taken_.data(), kept.size) == 0;
    return is_same ? slot : kOther;
  }
  if (bytes_.size() + taken_.size() > kStatesMax) return kOther;
  states_.push_back({digest, bytes_.size(), static_cast<std::uint32_t>(taken_.size()), operation});
  bytes_.insert(bytes_.end(), taken_.begin(), taken_.end());
  slot = static_cast<State>(states_.size());
  return slot;
}

// The digest of the states that a thread has been in. Another worker gives it the same; so it stands for
// them, unless it stands for others here: then there is none.
std::uint64_t Awaits::condition_of(const PerThread& mine) {
  std::uint64_t digest = mine.visits.size();
  for (const Visit& visit : mine.visits)
    digest = mixed(digest, visit.state == 0 ? visit.code : states_[visit.state - 1].digest);
  digest |= 1;
  condition_slots_.make_room(
      conditions_.size() + 1, [](std::uint32_t number) { return number == 0; },
      [this](std::uint32_t number) { return conditions_[number - 1].digest; });
  std::uint32_t& slot = condition_slots_[condition_slots_.find(
      digest, [&](std::uint32_t number) { return number == 0 || conditions_[number - 1].digest == digest; })];
  const auto state_of = [](const Visit& visit) { return visit.state; };
  if (slot != 0) {
    const Condition& known = conditions_[slot - 1];
    const auto begin = members_.begin() + known.begin;
    const bool is_same =
        std::ranges::equal(mine.visits, std::ranges::subrange(begin, begin + known.size), {}, state_of);
    return is_same ? digest : 0;
  }
  if (conditions_.size() == kConditionsMax) return 0;
  conditions_.push_back(
      {digest, static_cast<std::uint32_t>(members_.size()), static_cast<std::uint32_t>(mine.visits.size())});
  for (const Visit& visit : mine.visits) members_.push_back(visit.state);
  slot = static_cast<std::uint32_t>(conditions_.size());
  return digest;
}

}  // namespace thrum
