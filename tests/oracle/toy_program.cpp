// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/toy_program.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "order/locations.hpp"

namespace thrum {

namespace {

Operation operation_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::load: return Operation::load;
    case Opcode::store: return Operation::store;
    case Opcode::add: return Operation::read_modify_write;
    case Opcode::cas: return Operation::compare_exchange;
    case Opcode::lock: return Operation::lock;
    case Opcode::try_lock: return Operation::try_lock;
    case Opcode::unlock: return Operation::unlock;
    case Opcode::wait:
    case Opcode::timed_wait: return Operation::wait_release;
    case Opcode::signal: return Operation::signal;
    case Opcode::broadcast: return Operation::broadcast;
    case Opcode::down: return Operation::semaphore_wait;
    case Opcode::up: return Operation::semaphore_post;
    case Opcode::yield: return Operation::yield;
    case Opcode::choose: return Operation::choose;
    case Opcode::fence: return Operation::fence;
    case Opcode::move:
    case Opcode::add_both: return Operation::atomic_section;
    default: return Operation::thread_join;  // the only hidden instruction before which a thread can stand
  }
}

bool is_memory(Opcode opcode) { return opcode <= Opcode::cas; }

bool is_hidden(Opcode opcode) {
  return is_plain(opcode) || is_local(opcode) || opcode == Opcode::create || opcode == Opcode::join;
}

using Registers = std::array<ToyValue, kToyRegisters>;

// An access by index as one to the variable that it means now.
Instruction resolved(Instruction instruction, const Registers& registers) {
  if (!is_indexed(instruction.opcode)) return instruction;
  const auto index = static_cast<std::uint32_t>(registers[instruction.operands[0]].value) % kToyObjects;
  instruction.opcode = instruction.opcode == Opcode::load_at ? Opcode::load : Opcode::store;
  instruction.operands[0] = static_cast<std::uint8_t>(index);
  return instruction;
}

std::array<int, kToyRegisters> values_of(const Registers& registers) {
  std::array<int, kToyRegisters> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = registers[i].value;
  return values;
}
// Reports an event's first object; the mutex of a wait is its operand.
void describe(const Instruction& instruction, std::uint64_t& object, std::uint32_t& size) {
  size = 0;
  object = Locations::kSections;
  if (is_section(instruction.opcode)) return;
  std::string_view letters = operand_letters(instruction.opcode);
  bool has_object = !letters.empty() && letters[0] != 'r';
  object = has_object ? toy_object(letters[0], instruction.operands[0]) : 0;
  size = is_memory(instruction.opcode) ? 1 : 0;
}

std::uint64_t bits(int value) { return static_cast<std::uint32_t>(value); }

}  // namespace

void ToyProgram::run(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) {
  constexpr std::uint64_t kAttemptMax = 13;  // steps
  if (begins_again_) run_steps(++attempts_ % kAttemptMax, plan, advisor, wanted, trace);
  run_steps(std::numeric_limits<std::uint64_t>::max(), plan, advisor, wanted, trace);
  if (director_.records_events()) note_pending();
  director_.finish();
}

// Up to so many steps from the beginning.
void ToyProgram::run_steps(std::uint64_t steps, const Plan& plan, Advisor* advisor, Wanted wanted,
                           Trace& trace) {
  director_.begin(plan, advisor, wanted, trace);
  trace_ = &trace;
  recorder_.begin(wanted, trace);
  inputs_ = plan.inputs;
  reset();
  start(0, 0);
  for (; steps > 0; --steps) {
    if (local_states_) note_local_states();
    if (records_paths()) note_local_paths();
    Via via = Via::run;
    int next = stopped_ ? -1 : pick(via);
    if (next < 0) break;
    step(next, via);
  }
}

void ToyProgram::note_local_states() {
  for (std::size_t i = 0; i < code_.threads.size(); ++i) {
    const Thread& thread = threads_[i];
    if (thread.id == kNoThread || stands_at_join(code_, static_cast<int>(i), thread.at)) continue;
    std::size_t at = thread.ended ? kToyOver : thread.at;
    local_states_->insert(print_local_state(static_cast<int>(i), at, values_of(thread.registers)));
  }
}

void ToyProgram::note_local_paths() {
  for (std::size_t i = 0; i < code_.threads.size(); ++i) {
    const int number = static_cast<int>(i);
    if (threads_[i].id == kNoThread || stands_at_join(code_, number, threads_[i].at)) continue;
    if (local_paths_) local_paths_->insert(local_path(number, PathForm::outcomes));
    if (local_paths_with_values_) local_paths_with_values_->insert(local_path(number, PathForm::with_values));
  }
}

std::string ToyProgram::local_path(int number, PathForm form) const {
  const Thread& thread = threads_[static_cast<std::size_t>(number)];
  const LocalPath::Where where = number == failed_ ? LocalPath::Where::failed
                                 : thread.ended    ? LocalPath::Where::ended
                                                   : LocalPath::Where::stands;
  std::string text = thread.path.text(number, where, thread.at);
  return form == PathForm::with_values ? text : without_values(text);
}

std::string ToyProgram::path(PathForm form) const {
  std::string text;
  for (std::size_t i = 0; i < code_.threads.size(); ++i) {
    if (threads_[i].id == kNoThread) continue;
    text += (text.empty() ? "" : "; ") + local_path(static_cast<int>(i), form);
  }
  return text;
}

void ToyProgram::note_outcome(Thread& thread, std::size_t at, int outcome) {
  if (records_paths()) thread.path.add_outcome(at, outcome);
}

void ToyProgram::note_value(Thread& thread, int value) {
  if (records_paths()) thread.path.add_value(value);
}

void ToyProgram::reset() {
  stopped_ = false;
  failed_ = -1;
  running_ = 0;
  clock_ = 0;
  threads_.fill(Thread{});
  order_.clear();
  shared_.fill(0);
  plain_.fill(0);
  holder_.fill(-1);
  semaphores_.fill(0);
  schedule_.clear();
  if (race_trace_) race_trace_->clear();
}

const Instruction* ToyProgram::pending_of(const Thread& thread) const {
  const std::vector<Instruction>& list = code_.threads[static_cast<std::size_t>(&thread - threads_.data())];
  return thread.at < list.size() ? &list[thread.at] : nullptr;
}

bool ToyProgram::enabled(const Thread& thread) const {
  if (!thread.lives() || thread.asleep) return false;
  const Instruction& instruction = *pending_of(thread);
  if (thread.woken) return holder_[instruction.operands[1]] < 0;
  switch (instruction.opcode) {
    case Opcode::lock: return holder_[instruction.operands[0]] < 0;
    case Opcode::down: return semaphores_[instruction.operands[0]] > 0;
    case Opcode::join: return false;  // else it would have run at once
    default: return true;
  }
}

bool ToyProgram::expires(const Thread& thread, bool earliest_only) const {
  if (!thread.asleep || pending_of(thread)->opcode != Opcode::timed_wait) return false;
  if (!earliest_only) return true;
  return std::none_of(order_.begin(), order_.end(), [&](int other) {
    const Thread& rival = threads_[static_cast<std::size_t>(other)];
    return expires(rival, false) && pending_of(rival)->operands[3] < pending_of(thread)->operands[3];
  });
}

// Twice in a row, with nothing done by others in between, it does so no more: a loop around a wait has an
// end.
bool ToyProgram::wakes_spuriously(const Thread& thread) const {
  return thread.asleep && thread.spurious != events_of_others(thread);
}

std::uint64_t ToyProgram::events_of_others(const Thread& thread) const {
  std::uint64_t count = 0;
  for (const Thread& other : threads_) count += &other == &thread ? 0 : other.events;
  return count;
}

void ToyProgram::start(int number, int creator) {
  Thread& thread = threads_[static_cast<std::size_t>(number)];
  thread.creator = creator;
  Thread& parent = threads_[static_cast<std::size_t>(creator)];
  thread.id = number == 0 ? kMainThread : names_.child(parent.id, ++parent.children);
  auto place = std::find_if(order_.begin(), order_.end(), [&](int other) {
    return names_.before(thread.id, threads_[static_cast<std::size_t>(other)].id);
  });
  order_.insert(place, number);
  ++trace_->counts.threads;
  settle(number);
}

// Runs a thread up to its next visible operation, and with it whoever that starts or lets go on.
void ToyProgram::settle(int number) {
  Thread& thread = threads_[static_cast<std::size_t>(number)];
  while (!stopped_ && thread.lives()) {
    const Instruction* instruction = pending_of(thread);
    if (!instruction) {
      thread.ended = true;
      if (number != 0) settle(thread.creator);  // perhaps it waits for this
    } else if (!is_hidden(instruction->opcode) || !run_hidden(number, *instruction)) {
      return choose_index(number, *instruction);
    }
  }
}

// What a thread stands before is known: so it has decided which variable that is about.
void ToyProgram::choose_index(int number, const Instruction& instruction) {
  Thread& thread = threads_[static_cast<std::size_t>(number)];
  if (!is_indexed(instruction.opcode) || thread.chosen_at == thread.at) return;
  thread.chosen_at = thread.at;
  recorder_.decide(thread.id, toy_place(number, static_cast<int>(thread.at)), TermKind::unsigned_remainder,
                   thread.registers[instruction.operands[0]], {kToyObjects}, ToyRecorder::Which::next_event);
}

// False where it cannot go on.
bool ToyProgram::run_hidden(int number, const Instruction& instruction) {
  Thread& thread = threads_[static_cast<std::size_t>(number)];
  const auto& operands = instruction.operands;
  if (instruction.opcode == Opcode::join && threads_[operands[0]].lives()) return false;
  ++trace_->counts.steps;
  ++thread.at;
  switch (instruction.opcode) {
    case Opcode::create:
      note(number, Operation::thread_create, names_.child(thread.id, thread.children + 1));
      tell(number, RaceStep::What::create, operands[0]);
      start(operands[0], number);
      break;
    case Opcode::join:
      if (!threads_[operands[0]].ended) break;
      note(number, Operation::thread_join, threads_[operands[0]].id);
      tell(number, RaceStep::What::join, operands[0]);
      break;
    default:
      if (is_plain(instruction.opcode)) {
        do_plain(number, instruction);
      } else {
        compute(number, instruction);
      }
  }
  return true;
}

// A thread that has failed stands before nothing.
void ToyProgram::note_pending() {
  bool failed = trace_->end == End::bug && trace_->failure.kind != BugKind::deadlock;
  for (const PendingOperation& left : pending()) {
    if (!failed || left.thread != trace_->failure.thread) trace_->pending.push_back(left);
  }
}

// What orders events and is no step.
void ToyProgram::note(int number, Operation operation, ThreadId other) {
  if (!director_.records_events()) return;
  const Thread& thread = threads_[static_cast<std::size_t>(number)];
  Event event;
  event.thread = thread.id;
  event.index = thread.events;
  event.operation = operation;
  event.argument = other;
  trace_->events.push_back(event);
  if (director_.records_places()) trace_->details.places.emplace_back();
}

void ToyProgram::compute(int number, const Instruction& instruction) {
  Thread& thread = threads_[static_cast<std::size_t>(number)];
  ToyValue& result = thread.registers[instruction.operands[0]];
  const ToyValue operand = value(thread, instruction.operands[1]);
  const std::size_t at = thread.at - 1;
  switch (instruction.opcode) {
    case Opcode::input: result = take_input(thread, instruction.operands[1]); break;
    case Opcode::sum: result = recorder_.sum(result, operand); break;
    case Opcode::subtract: result = recorder_.difference(result, operand); break;
    case Opcode::skip:
      if (decide(number, at, TermKind::equal, result, operand)) thread.at += instruction.operands[2];
      break;
    case Opcode::below:
      if (decide(number, at, TermKind::unsigned_less, result, operand)) thread.at += instruction.operands[2];
      break;
    default:  // equal, unequal
      if ((decide(number, at, TermKind::equal, result, operand) != 0) ==
          (instruction.opcode == Opcode::unequal)) {
        --thread.at;
        fail(BugKind::assertion, "assertion failed", number);
      }
  }
}

void ToyProgram::do_plain(int number, const Instruction& instruction) {
  Thread& thread = threads_[static_cast<std::size_t>(number)];
  std::size_t object = instruction.operands[0];
  bool is_variable = instruction.opcode == Opcode::peek || instruction.opcode == Opcode::poke;
  bool both = instruction.opcode == Opcode::read_two || instruction.opcode == Opcode::write_two;
  bool reads = instruction.opcode == Opcode::read || instruction.opcode == Opcode::peek ||
               instruction.opcode == Opcode::read_two;
  int* memory = is_variable ? &shared_[object] : &plain_[object];
  std::uint64_t address = toy_address(is_variable ? 'x' : 'p', static_cast<int>(object));
  std::uint32_t size = is_variable ? 2 : both ? 8 : 4;
  tell(number, reads ? RaceStep::What::plain_read : RaceStep::What::plain_write, address, size);
  // In the same memory as the objects of events.
  if (is_variable) {
    address = toy_object('x', static_cast<int>(object));
    size = 1;
  }
  const bool with_values = recorder_.records_values();
  if (recorder_.records_footprints() && !with_values)
    recorder_.add_access(thread.id, !reads, false, address, size, {});
  if (both) size /= 2;
  ToyValue value = reads ? ToyValue{} : this->value(thread, instruction.operands[1]);
  for (std::size_t i = 0; i < (both ? 2 : 1); ++i) {
    const ToyValue one = reads ? read(number, memory[i]) : value;
    if (with_values) recorder_.add_access(thread.id, !reads, false, address + size * i, size, one);
    memory[i] = one.value;
    if (reads) value = i == 0 ? one : recorder_.sum(value, one);
  }
  if (reads) thread.registers[instruction.operands[1]] = value;
}

// What the thread has read from memory that others write.
ToyValue ToyProgram::read(int number, int value) {
  Thread& thread = threads_[static_cast<std::size_t>(number)];
  note_value(thread, value);
  return recorder_.read(thread.id, thread.events, thread.reads++, value);
}

ToyValue ToyProgram::take_input(Thread& thread, std::uint32_t bits) {
  const std::uint32_t number = thread.inputs++;
  int value = 0;
  for (const InputValue& input : inputs_) {
    if (input.thread != thread.id || input.number != number || input.bits != bits) continue;
    value = static_cast<unsigned char>(input.bytes.at(0)) & ((1 << bits) - 1);
  }
  note_value(thread, value);
  return recorder_.input(thread.id, number, bits, value);
}

int ToyProgram::decide(int number, std::size_t at, TermKind kind, const ToyValue& a, const ToyValue& b,
                       ToyRecorder::Which of) {
  Thread& thread = threads_[static_cast<std::size_t>(number)];
  const int outcome = recorder_.decide(thread.id, toy_place(number, static_cast<int>(at)), kind, a, b, of);
  note_outcome(thread, at, outcome);
  return outcome;
}

// What a race detector is told. address: of a creation or a join, the other thread.
void ToyProgram::tell(int number, RaceStep::What what, std::uint64_t address, std::uint32_t size,
                      Order order) {
  if (!race_trace_) return;
  race_trace_->push_back({what, static_cast<std::uint16_t>(number), address, size, order});
}

// The thread to run next; -1 where the execution is over.
int ToyProgram::pick(Via& via) {
  const Thread& last = threads_[static_cast<std::size_t>(running_)];
  ChoicePoint point;
  point.key = {last.id, ChoiceKind::thread, last.events};
  point.running_enabled = enabled(last);
  point.yielded = point.running_enabled && pending_of(last)->opcode == Opcode::yield;
  if (point.running_enabled && !point.yielded && director_.quiet(point.key)) {
    ++trace_->counts.points;
    return running_;
  }
  point.step = trace_->counts.points;
  collect_options(point);
  if (options_.empty()) {
    bool alive =
        std::any_of(threads_.begin(), threads_.end(), [](const Thread& thread) { return thread.lives(); });
    if (alive) report_deadlock();
    return -1;
  }
  ++trace_->counts.points;
  std::uint16_t taken = director_.choose(point, options_, *this);
  if (taken == Director::kStop) return -1;
  via = options_[taken].via;
  return option_threads_[taken];
}

void ToyProgram::collect_options(ChoicePoint& point) {
  options_.clear();
  option_threads_.clear();
  for (int number : order_) {
    const Thread& thread = threads_[static_cast<std::size_t>(number)];
    if (!enabled(thread)) continue;
    options_.push_back({thread.id, Via::run});
    option_threads_.push_back(number);
  }
  point.enabled = static_cast<std::uint16_t>(options_.size());
  auto next = std::find_if(options_.begin(), options_.end(), [&](const Option& option) {
    return names_.before(point.key.thread, option.value);
  });
  if (next != options_.end()) point.round = static_cast<std::uint16_t>(next - options_.begin());
  const auto has_deadline = [&](int number) {
    return expires(threads_[static_cast<std::size_t>(number)], false);
  };
  if (point.enabled == 0 && std::count_if(order_.begin(), order_.end(), has_deadline) > 1)
    trace_->compares_deadlines = true;
  for (int number : order_) {
    const Thread& thread = threads_[static_cast<std::size_t>(number)];
    if (!expires(thread, point.enabled == 0)) continue;
    options_.push_back({thread.id, Via::timeout});
    option_threads_.push_back(number);
  }
  // A deadlock that only a wake-up for no reason would end is one.
  if (!code_.spurious || options_.empty()) return;
  for (int number : order_) {
    const Thread& thread = threads_[static_cast<std::size_t>(number)];
    if (!wakes_spuriously(thread)) continue;
    options_.push_back({thread.id, Via::spurious});
    option_threads_.push_back(number);
  }
}

void ToyProgram::report_deadlock() {
  fail(BugKind::deadlock, "deadlock", running_);
  trace_->failure.code = 0;
  for (const PendingOperation& waiting : pending()) {
    Waiter& waiter = trace_->failure.waiters.emplace_back();
    waiter.thread = waiting.thread;
    waiter.operation = waiting.operation;
    waiter.object = waiting.object;
    auto number = std::find_if(threads_.begin(), threads_.end(),
                               [&](const Thread& thread) { return thread.id == waiting.thread; });
    waiter.code = toy_place(static_cast<int>(number - threads_.begin()), static_cast<int>(number->at));
  }
}

void ToyProgram::step(int number, Via via) {
  Thread& thread = threads_[static_cast<std::size_t>(number)];
  const Instruction& as_written = *pending_of(thread);
  if (is_indexed(as_written.opcode)) {
    const int index = thread.registers[as_written.operands[0]].value;
    note_outcome(thread, thread.at, static_cast<int>(static_cast<std::uint32_t>(index) % kToyObjects));
  }
  const Instruction instruction = resolved(as_written, thread.registers);
  running_ = number;
  schedule_ += static_cast<char>('0' + number);
  Event event;
  event.thread = thread.id;
  event.index = thread.events;
  event.code = toy_place(number, static_cast<int>(thread.at));
  event.operation = operation_of(instruction.opcode);
  describe(instruction, event.object, event.size);
  event.acquires = acquires(instruction.order);
  event.releases = releases(instruction.order);
  if (via == Via::timeout) {
    schedule_ += '!';
    event.operation = Operation::timeout;
    event.timed = event.has_deadline = true;
    thread.asleep = false;
    thread.woken_by = 0;
    thread.woken = thread.timed_out = true;
  } else if (via == Via::spurious) {
    schedule_ += '~';
    event.operation = Operation::spurious_wake;
    thread.asleep = false;
    thread.woken_by = 0;
    thread.woken = true;
    thread.spurious = events_of_others(thread);
  } else {
    perform(number, instruction, event);
  }
  ++trace_->counts.steps;
  ++thread.events;
  thread.reads = 0;
  if (director_.records_events()) trace_->events.push_back(event);
  if (director_.records_places()) trace_->details.places.emplace_back();
  settle(number);
}

void ToyProgram::perform(int number, const Instruction& instruction, Event& event) {
  Thread& thread = threads_[static_cast<std::size_t>(number)];
  const auto& operands = instruction.operands;
  switch (instruction.opcode) {
    case Opcode::wait:
    case Opcode::timed_wait: return wait(number, instruction, event);
    case Opcode::signal:
    case Opcode::broadcast: wake(instruction, event, number); break;
    case Opcode::lock:
      holder_[operands[0]] = number;
      tell(number, RaceStep::What::acquire, toy_address('m', operands[0]));
      break;
    case Opcode::try_lock: {
      int& holder = holder_[operands[0]];
      thread.registers[operands[1]] = {holder < 0};
      note_outcome(thread, thread.at, holder < 0 ? 1 : 0);
      if (holder >= 0) event.outcome = Outcome::failed;
      if (holder < 0) {
        holder = number;
        tell(number, RaceStep::What::acquire, toy_address('m', operands[0]));
      }
      break;
    }
    case Opcode::unlock:
      unlock(number, operands[0]);
      if (stopped_) return;
      break;
    case Opcode::down:
      event.value = bits(--semaphores_[operands[0]]);
      tell(number, RaceStep::What::acquire, toy_address('s', operands[0]));
      break;
    case Opcode::up:
      event.value = bits(++semaphores_[operands[0]]);
      tell(number, RaceStep::What::release_more, toy_address('s', operands[0]));
      break;
    case Opcode::yield: break;
    case Opcode::fence: tell(number, RaceStep::What::fence, 0, 0, instruction.order); break;
    case Opcode::choose: {
      options_.clear();
      for (std::uint16_t i = 0; i < operands[1]; ++i) options_.push_back({i, Via::run});
      std::uint16_t taken =
          director_.choose({.key = {thread.id, ChoiceKind::value, thread.events}}, options_, *this);
      if (taken == Director::kStop) {
        stopped_ = true;
        return;
      }
      thread.registers[operands[0]] = {taken};
      note_outcome(thread, thread.at, taken);
      event.value = taken;
      schedule_ += {'=', static_cast<char>('0' + taken)};
      break;
    }
    case Opcode::move:
    case Opcode::add_both: perform_section(number, instruction); break;
    default: perform_memory(number, instruction, event);
  }
  ++thread.at;
}

void ToyProgram::perform_section(int number, const Instruction& instruction) {
  Thread& thread = threads_[static_cast<std::size_t>(number)];
  const auto [first, second, last, unused] = instruction.operands;
  const bool with_values = recorder_.records_values();
  const auto load = [&](int variable) {
    const ToyValue value = read(number, shared_[static_cast<std::size_t>(variable)]);
    if (with_values) note_in_section(number, false, variable, value);
    return value;
  };
  const auto store = [&](int variable, const ToyValue& value) {
    shared_[static_cast<std::size_t>(variable)] = value.value;
    if (with_values) note_in_section(number, true, variable, value);
  };
  const bool moves = instruction.opcode == Opcode::move;
  if (moves) {
    const ToyValue moved = load(first);
    thread.registers[last] = load(second);
    store(second, moved);
  } else {
    const ToyValue added = value(thread, last);
    for (int variable : {first, second}) store(variable, recorder_.sum(load(variable), added));
  }
  if (with_values || !director_.records_events()) return;
  note_in_section(number, false, first);
  note_in_section(number, true, second);
  if (!moves) note_in_section(number, true, first);
}

void ToyProgram::note_in_section(int number, bool writes, int variable, const ToyValue& value) {
  const ThreadId thread = threads_[static_cast<std::size_t>(number)].id;
  recorder_.add_access(thread, writes, true, toy_object('x', variable), 1, value);
}

void ToyProgram::perform_memory(int number, const Instruction& instruction, Event& event) {
  Thread& thread = threads_[static_cast<std::size_t>(number)];
  const auto& operands = instruction.operands;
  int& variable = shared_[operands[0]];
  const int before = variable;
  ToyValue found;  // what it reads
  ToyValue written;
  if (instruction.opcode != Opcode::store) found = read(number, before);
  switch (instruction.opcode) {
    case Opcode::load: thread.registers[operands[1]] = found; break;
    case Opcode::store: written = value(thread, operands[1]); break;
    case Opcode::add: {
      const ToyValue added = value(thread, operands[2]);
      written = recorder_.sum(found, added);
      thread.registers[operands[1]] = found;
      event.update = Update::add;
      event.argument = bits(added.value);
      if (added.value == 0) event.outcome = Outcome::unchanged;
      break;
    }
    default: {  // cas
      const ToyValue expected = value(thread, operands[2]);
      const ToyValue desired = value(thread, operands[3]);
      event.argument = bits(expected.value);
      event.operand = bits(desired.value);
      const bool equal =
          decide(number, thread.at, TermKind::equal, found, expected, ToyRecorder::Which::last_event) != 0;
      if (!equal) {
        event.outcome = Outcome::failed;
      } else {
        written = desired;
        if (desired.value == before) event.outcome = Outcome::unchanged;
      }
      thread.registers[operands[1]] = {equal};
    }
  }
  const bool reads_only = instruction.opcode == Opcode::load || event.outcome == Outcome::failed;
  if (!reads_only) variable = written.value;
  tell(number,
       reads_only                            ? RaceStep::What::load
       : instruction.opcode == Opcode::store ? RaceStep::What::store
       : event.outcome == Outcome::unchanged ? RaceStep::What::read_modify_nothing
                                             : RaceStep::What::read_modify_write,
       toy_address('x', operands[0]), 2, instruction.order);
  event.value = bits(before);
  if (instruction.opcode == Opcode::store || instruction.opcode == Opcode::add)
    event.operand = bits(variable);
  recorder_.add_event(found.term, written.term);
}

// Both halves of a wait: the instruction is left only with the second.
void ToyProgram::wait(int number, const Instruction& instruction, Event& event) {
  Thread& thread = threads_[static_cast<std::size_t>(number)];
  int mutex = instruction.operands[1];
  event.operand = toy_object('m', mutex);
  if (!thread.woken) {
    unlock(number, mutex);
    if (stopped_) return;
    thread.asleep = true;
    thread.queued = ++clock_;
    return;
  }
  event.operation = Operation::wait_reacquire;
  event.timed = event.has_deadline = instruction.opcode == Opcode::timed_wait && !thread.timed_out;
  event.woken_by = thread.woken_by;
  if (thread.timed_out) event.outcome = Outcome::timed_out;
  holder_[static_cast<std::size_t>(mutex)] = number;
  tell(number, RaceStep::What::acquire, toy_address('m', mutex));
  if (instruction.opcode == Opcode::timed_wait) {
    thread.registers[instruction.operands[2]] = {thread.timed_out};
    note_outcome(thread, thread.at, thread.timed_out ? 1 : 0);
  }
  thread.woken = thread.timed_out = false;
  ++thread.at;
}

void ToyProgram::wake(const Instruction& instruction, Event& event, int number) {
  std::vector<int> sleepers;
  for (int other : order_) {
    Thread& thread = threads_[static_cast<std::size_t>(other)];
    if (thread.asleep && pending_of(thread)->operands[0] == instruction.operands[0])
      sleepers.push_back(other);
  }
  if (sleepers.empty()) return;
  auto thread_of = [this](int other) -> Thread& { return threads_[static_cast<std::size_t>(other)]; };
  if (instruction.opcode == Opcode::signal) {
    std::sort(sleepers.begin(), sleepers.end(),
              [&](int a, int b) { return thread_of(a).queued < thread_of(b).queued; });
    options_.clear();
    for (int other : sleepers) options_.push_back({thread_of(other).id, Via::run});
    const Thread& thread = thread_of(number);
    std::uint16_t taken =
        director_.choose({.key = {thread.id, ChoiceKind::waiter, thread.events}}, options_, *this);
    if (taken == Director::kStop) {
      stopped_ = true;
      return;
    }
    sleepers = {sleepers[taken]};
    event.value = thread_of(sleepers[0]).id;
    event.argument = event.value + 1;
    schedule_ += {'>', static_cast<char>('0' + sleepers[0])};
  }
  for (int other : sleepers) {
    thread_of(other).asleep = false;
    thread_of(other).woken = true;
    thread_of(other).woken_by = trace_->counts.points;
  }
}

void ToyProgram::unlock(int number, int mutex) {
  int& holder = holder_[static_cast<std::size_t>(mutex)];
  if (holder == number) {
    holder = -1;
    tell(number, RaceStep::What::release, toy_address('m', mutex));
  } else {
    fail(BugKind::lock_misuse, "unlock of a mutex that the thread does not hold", number);
  }
}

void ToyProgram::fail(BugKind kind, const char* message, int number) {
  const Thread& thread = threads_[static_cast<std::size_t>(number)];
  stopped_ = true;
  if (kind != BugKind::deadlock) failed_ = number;
  trace_->end = End::bug;
  trace_->last = thread.id;
  trace_->failure.kind = kind;
  trace_->failure.message = message;
  trace_->failure.thread = thread.id;
  trace_->failure.code = toy_place(number, static_cast<int>(thread.at));
}

ToyValue ToyProgram::value(const Thread& thread, std::uint8_t operand) const {
  if (operand < kRegisterOperand) return {operand};
  return thread.registers[operand - std::size_t{kRegisterOperand}];
}

std::uint64_t ToyProgram::place(ThreadId id) const {
  auto found =
      std::find_if(threads_.begin(), threads_.end(), [id](const Thread& thread) { return thread.id == id; });
  return found == threads_.end() ? 0 : found->at + 1;
}

std::span<const PendingOperation> ToyProgram::pending() {
  pending_.clear();
  for (int number : order_) {
    const Thread& thread = threads_[static_cast<std::size_t>(number)];
    const Instruction* stands_before = thread.lives() ? pending_of(thread) : nullptr;
    if (!stands_before) continue;  // in the middle of a stretch that a failure has ended
    const Instruction instruction = resolved(*stands_before, thread.registers);
    if (is_hidden(instruction.opcode) && instruction.opcode != Opcode::join) continue;
    PendingOperation next;
    next.thread = thread.id;
    next.operation =
        thread.asleep || thread.woken ? Operation::wait_reacquire : operation_of(instruction.opcode);
    next.enabled = enabled(thread);
    next.sleeps = thread.asleep;
    next.timed = next.has_deadline =
        instruction.opcode == Opcode::timed_wait && (thread.asleep || (thread.woken && !thread.timed_out));
    if (thread.woken) next.woken_by = thread.woken_by;
    describe(instruction, next.object, next.size);
    if (next.operation == Operation::wait_release || next.operation == Operation::wait_reacquire)
      next.operand = toy_object('m', instruction.operands[1]);
    if (next.operation == Operation::thread_join) next.operand = threads_[instruction.operands[0]].id;
    pending_.push_back(next);
  }
  return pending_;
}

FinalState ToyProgram::final_state() const {
  FinalState state{shared_, plain_, holder_, semaphores_, {}};
  for (std::size_t i = 0; i < code_.threads.size(); ++i) {
    const Thread& thread = threads_[i];
    if (thread.id == kNoThread) continue;
    using Status = FinalState::Thread::Status;
    state.threads[i] = {thread.ended ? Status::ended : Status::live,
                        static_cast<std::uint8_t>(thread.ended ? 0 : thread.at),
                        thread.asleep || thread.woken, values_of(thread.registers)};
  }
  return state;
}

}  // namespace thrum
