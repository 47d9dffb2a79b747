// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/toy_states.hpp"

#include <algorithm>

#include "stateful/pending_races.hpp"

namespace thrum {

namespace {

Via via_of(Move::Kind kind) {
  switch (kind) {
    case Move::Kind::step: return Via::run;
    case Move::Kind::timeout: return Via::timeout;
    case Move::Kind::spurious: break;
  }
  return Via::spurious;
}

Move::Kind kind_of(Via via) {
  return via == Via::run       ? Move::Kind::step
         : via == Via::timeout ? Move::Kind::timeout
                               : Move::Kind::spurious;
}

// Whether a compare-and-swap will find what it looks for: else it only reads.
bool exchanges(const OracleState& state, int thread, const Instruction& instruction) {
  const int expected = instruction.operands[2];
  const int value = expected >= kRegisterOperand
                        ? state[thread].registers[static_cast<std::size_t>(expected - kRegisterOperand)]
                        : expected;
  return state.shared[instruction.operands[0]] == value;
}

// What the thread is about to do to plain data or a variable, if anything.
std::optional<MemoryAccess> access_of(const OracleState& state, int thread, const Instruction& instruction) {
  const auto of = [&](char letter, std::uint32_t size, AccessKind kind) {
    MemoryAccess access;
    access.thread = static_cast<ThreadId>(thread);
    access.kind = kind;
    access.size = size;
    access.address = (letter == 'x' ? 0x100U : 0x200U) + instruction.operands[0];
    access.code = toy_place(thread, state[thread].at);
    return access;
  };
  const bool changes = instruction.opcode != Opcode::cas || exchanges(state, thread, instruction);
  switch (instruction.opcode) {
    case Opcode::load: return of('x', 1, AccessKind::atomic_read);
    case Opcode::store:
    case Opcode::add:
    case Opcode::cas: return of('x', 1, changes ? AccessKind::atomic_write : AccessKind::atomic_read);
    case Opcode::peek: return of('x', 1, AccessKind::plain_read);
    case Opcode::poke: return of('x', 1, AccessKind::plain_write);
    case Opcode::read: return of('p', 1, AccessKind::plain_read);
    case Opcode::write: return of('p', 1, AccessKind::plain_write);
    case Opcode::read_two: return of('p', 2, AccessKind::plain_read);
    case Opcode::write_two: return of('p', 2, AccessKind::plain_write);
    default: return std::nullopt;
  }
}

}  // namespace

std::string content_of(const OracleState& state) {
  std::string text;
  const auto add = [&](int value) { text += std::to_string(value) + ' '; };
  for (const OracleThread& thread : state.threads) {
    for (const bool flag :
         {thread.created, thread.ended, thread.asleep, thread.woken, thread.timed_out, thread.woke_last})
      add(flag ? 1 : 0);
    add(thread.at);
    std::ranges::for_each(thread.registers, add);
  }
  for (const FinalState::Objects* objects : {&state.shared, &state.plain, &state.holder, &state.semaphores})
    std::ranges::for_each(*objects, add);
  return text;
}

void ToyStates::reset() {
  marks_.clear();
  present_ = {};
  present_.state = interpreter_.start();
  arrive();
}

void ToyStates::step(Option option) {
  if (present_.begun) return go(*present_.begun, option.value);
  const Move move{option.value, kind_of(option.via)};
  if (interpreter_.count_ways(present_.state, move) == 1) return go(move, 0);
  present_.begun = move;
  arrive();
}

void ToyStates::go(Move move, int way) {
  std::string schedule;
  const Instruction* const next = interpreter_.next(present_.state, move.thread);
  traits_ = {};
  traits_.yields = move.kind == Move::Kind::timeout || (next != nullptr && next->opcode == Opcode::yield);
  interpreter_.step(present_.state, move, way, schedule);
  present_.running = move.thread;
  present_.begun.reset();
  arrive();
}

void ToyStates::arrive() {
  options_.clear();
  failure_ = {};
  const OracleState& state = present_.state;
  if (!state.stopped) collect_options();
  is_over_ = options_.empty();
  if (!is_over_) return;
  const Ending ending = ending_of(interpreter_, state);
  if (!ending.has_bug) return;
  failure_.kind = ending.bug.kind;
  failure_.message = bug_kind_name(ending.bug.kind);
  failure_.code = ending.bug.place;
  for (const std::uint64_t place : ending.bug.waits) {
    Waiter& waiter = failure_.waiters.emplace_back();
    waiter.code = place;
  }
}

void ToyStates::collect_options() {
  const OracleState& state = present_.state;
  point_ = {};
  point_.key.thread = static_cast<ThreadId>(present_.running);
  if (present_.begun) {
    const int ways = interpreter_.count_ways(state, *present_.begun);
    point_.key.kind = ChoiceKind::value;
    for (int way = 0; way < ways; ++way) options_.push_back({static_cast<std::uint16_t>(way), Via::run});
    return;
  }
  const auto add = [&](int thread, Move::Kind kind) {
    options_.push_back({static_cast<std::uint16_t>(thread), via_of(kind)});
  };
  const std::vector<int> threads = interpreter_.by_name(state);
  for (const int thread : threads) {
    if (interpreter_.enabled(state, thread)) add(thread, Move::Kind::step);
  }
  point_.enabled = static_cast<std::uint16_t>(options_.size());
  point_.running_enabled = interpreter_.enabled(state, present_.running);
  point_.yielded =
      point_.running_enabled && interpreter_.next(state, present_.running)->opcode == Opcode::yield;
  const auto deadline = [&](int thread) {
    const bool waits = state[thread].asleep && interpreter_.next(state, thread)->opcode == Opcode::timed_wait;
    return waits ? std::optional<int>(interpreter_.next(state, thread)->operands[3]) : std::nullopt;
  };
  int earliest = kConstantMax;
  for (const int thread : threads) earliest = std::min(earliest, deadline(thread).value_or(kConstantMax));
  for (const int thread : threads) {
    const std::optional<int> own = deadline(thread);
    if (own && (point_.enabled > 0 || own == earliest)) add(thread, Move::Kind::timeout);
  }
  if (!code_.spurious || options_.empty()) return;
  for (const int thread : threads) {
    if (state[thread].asleep && !state[thread].woke_last) add(thread, Move::Kind::spurious);
  }
}

// A toy program's threads come to their ends, or are blocked.
Failure ToyStates::livelock() const { return {}; }

ToyStates::Mark ToyStates::mark() {
  marks_.push_back(present_);
  return marks_.size() - 1;
}

void ToyStates::undo(Mark mark) {
  present_ = marks_[mark];
  marks_.resize(mark + 1);
  arrive();
}

StateKey ToyStates::key() { return wide_digest(content()); }

std::vector<Failure> ToyStates::races() {
  std::vector<MemoryAccess> pending;
  for (const Option& option : options_) {
    if (option.via != Via::run) continue;
    const std::optional<MemoryAccess> access =
        access_of(present_.state, option.value, *interpreter_.next(present_.state, option.value));
    if (access) pending.push_back(*access);
  }
  return races_among(pending);
}

}  // namespace thrum
