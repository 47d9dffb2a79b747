// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions drawn one by one give programs that block or fail at once. So threads are made of idioms (a
// lock section, a wait in its section, a signal, ...), and then some instructions are left out or doubled,
// which gives the misuses and deadlocks that idioms avoid.
#include "oracle/random_program.hpp"

#include "oracle/paths.hpp"
#include "support/random.hpp"

namespace thrum {

namespace {

using Operands = std::array<std::uint8_t, 4>;
using Block = std::vector<Instruction>;

class Generator {
 public:
  Generator(std::uint64_t seed, Family family, int times = 1)
      : random_(seed), family_(family), times_(times) {}

  ToyCode program();

 private:
  std::uint8_t below(int limit) {
    return static_cast<std::uint8_t>(random_.below(static_cast<std::uint64_t>(limit)));
  }
  bool one_in(int n) { return below(n) == 0; }
  std::uint8_t object() { return below(objects_); }
  std::uint8_t reg() { return below(2); }
  std::uint8_t operand() {
    return one_in(4) ? static_cast<std::uint8_t>(kRegisterOperand + reg()) : below(3);
  }
  void add(Block& block, Opcode opcode, Operands operands = {}) { block.push_back({opcode, operands}); }
  Order order(Opcode opcode);
  void add_ordered(Block& block, Opcode opcode, Operands operands);
  void access(Block& block);
  void plain(Block& block);
  void atomic(Block& block);
  void publish(Block& block);
  void consume(Block& block);
  void pass_on(Block& block);
  void lock_section(Block& block);
  void try_lock_section(Block& block);
  void wait_section(Block& block);
  void wait_loop(Block& block);
  void set_and_signal(Block& block);
  void section(Block& block);
  void local(Block& block);
  void assertion(Block& block, bool equal);
  void idiom(Block& block);
  void spoil(Block& block);
  void messages(std::vector<Block>& bodies);
  void symbolic_idiom(Block& block);
  void compute(Block& block);
  void branch(Block& block);
  void indexed(Block& block);
  void guarded_data(Block& block);
  void maybe_create(Block& block, std::uint8_t thread);
  void bound_inputs(ToyCode& code);

  Random random_;
  Family family_;
  int times_;             // so many idioms in a thread's body, times the usual
  int objects_ = 2;       // few, so that threads meet
  bool careful_ = false;  // most orders are strong enough for a message
};

// Only in family B do orders matter; elsewhere they are all seq_cst.
Order Generator::order(Opcode opcode) {
  if (family_ != Family::b) return Order::seq_cst;
  if (careful_ && !one_in(3)) {
    if (opcode == Opcode::load) return Order::acquire;
    return opcode == Opcode::store ? Order::release : Order::acq_rel;
  }
  if (may_have(opcode, Order::relaxed) && one_in(2)) return Order::relaxed;
  Order order = Order::seq_cst;
  do order = static_cast<Order>(below(kOrderCount));
  while (!may_have(opcode, order));
  return order;
}

void Generator::add_ordered(Block& block, Opcode opcode, Operands operands) {
  block.push_back({opcode, operands, order(opcode)});
}

void Generator::atomic(Block& block) {
  switch (below(5)) {
    case 0:
    case 1: return add_ordered(block, Opcode::load, {object(), reg()});
    case 2: return add_ordered(block, Opcode::store, {object(), operand()});
    case 3: return add_ordered(block, Opcode::add, {object(), reg(), operand()});
    default: return add_ordered(block, Opcode::cas, {object(), reg(), operand(), operand()});
  }
}

void Generator::plain(Block& block) {
  bool reads = one_in(2);
  Operands operands = {object(), reads ? reg() : operand()};
  switch (below(8)) {
    case 0: return add(block, reads ? Opcode::peek : Opcode::poke, operands);
    case 1: return add(block, reads ? Opcode::read_two : Opcode::write_two, operands);
    default: return add(block, reads ? Opcode::read : Opcode::write, operands);
  }
}

// Plain data, then a semaphore or a flag that says so: by a release, or by a fence and any store, or by
// neither.
void Generator::publish(Block& block) {
  if (one_in(4)) {
    add(block, Opcode::write_two, {0, 1});
  } else {
    add(block, Opcode::write, {object(), 1});
  }
  if (one_in(6)) return add(block, Opcode::up, {object()});
  if (one_in(4)) add_ordered(block, Opcode::fence, {});
  if (one_in(4)) {
    add_ordered(block, Opcode::add, {object(), 2, 1});
  } else {
    add_ordered(block, Opcode::store, {object(), 1});
  }
}

// The flag, then the data, if it is set.
void Generator::consume(Block& block) {
  if (one_in(6)) {
    add(block, Opcode::down, {object()});
    return plain(block);
  }
  add_ordered(block, Opcode::load, {object(), 0});
  Block then;
  if (one_in(3)) add_ordered(then, Opcode::fence, {});
  plain(then);
  add(block, Opcode::skip, {0, 0, static_cast<std::uint8_t>(then.size())});
  block.insert(block.end(), then.begin(), then.end());
}

// Between the two: a read-modify-write, which hands on what the flag says; a store, which does so only if the
// thread has learned it; or the semaphore once more.
void Generator::pass_on(Block& block) {
  if (one_in(6)) return add(block, Opcode::up, {object()});
  if (one_in(3)) {
    bool fenced = one_in(2);
    add_ordered(block, Opcode::load, {object(), 0});
    add(block, Opcode::skip, {0, 0, static_cast<std::uint8_t>(fenced ? 2 : 1)});
    if (fenced) add_ordered(block, Opcode::fence, {});
    return add_ordered(block, Opcode::store, {object(), 2});
  }
  if (one_in(4)) return add_ordered(block, Opcode::add, {object(), 1, below(2)});
  add_ordered(block, Opcode::cas, {object(), 1, 1, 2});
}

// Family B works on plain data mostly.
void Generator::access(Block& block) {
  if (family_ != Family::b || one_in(3)) return atomic(block);
  plain(block);
}

void Generator::lock_section(Block& block) {
  std::uint8_t mutex = object();
  add(block, Opcode::lock, {mutex});
  for (int n = below(3); n > 0; --n) access(block);
  if (one_in(4)) add(block, Opcode::signal, {object()});
  if (one_in(8)) {
    auto other = static_cast<std::uint8_t>(1 - mutex);
    add(block, Opcode::lock, {other});
    add(block, Opcode::unlock, {other});
  }
  add(block, Opcode::unlock, {mutex});
}

void Generator::try_lock_section(Block& block) {
  std::uint8_t mutex = object();
  add(block, Opcode::try_lock, {mutex, 2});
  add(block, Opcode::skip, {2, 0, 2});
  access(block);
  add(block, Opcode::unlock, {mutex});
}

// Each condition variable has a mutex of its own, since to wait for one with several at once has no meaning.
void Generator::wait_section(Block& block) {
  std::uint8_t mutex = object();
  add(block, Opcode::lock, {mutex});
  if (one_in(3)) {
    access(block);
    add(block, Opcode::skip, {reg(), 1, 1});
  }
  if (one_in(2)) {
    add(block, Opcode::wait, {mutex, mutex});
  } else {
    add(block, Opcode::timed_wait, {mutex, mutex, 3, below(3)});
  }
  if (one_in(3)) access(block);
  add(block, Opcode::unlock, {mutex});
}

// A loop around a wait, of two rounds, since there are no other loops.
void Generator::wait_loop(Block& block) {
  std::uint8_t mutex = object();
  std::uint8_t variable = object();
  bool timed = one_in(4);
  add(block, Opcode::lock, {mutex});
  for (int rounds = 2; rounds > 0; --rounds) {
    add(block, Opcode::load, {variable, 0});
    add(block, Opcode::skip, {0, 1, static_cast<std::uint8_t>(rounds == 2 ? 4 : 1)});
    if (timed) {
      add(block, Opcode::timed_wait, {mutex, mutex, 3, below(3)});
    } else {
      add(block, Opcode::wait, {mutex, mutex});
    }
  }
  if (one_in(2)) {
    add(block, Opcode::load, {variable, 0});
    add(block, Opcode::equal, {0, 1});
  }
  add(block, Opcode::unlock, {mutex});
}

void Generator::set_and_signal(Block& block) {
  std::uint8_t mutex = object();
  add(block, Opcode::lock, {mutex});
  add(block, Opcode::store, {object(), 1});
  add(block, one_in(2) ? Opcode::broadcast : Opcode::signal, {object()});
  add(block, Opcode::unlock, {mutex});
}

void Generator::assertion(Block& block, bool equal) {
  add(block, equal ? Opcode::equal : Opcode::unequal, {reg(), operand()});
}

void Generator::section(Block& block) {
  if (one_in(3)) return add(block, Opcode::add_both, {object(), object(), operand()});
  add(block, Opcode::move, {object(), object(), reg()});
}

void Generator::local(Block& block) {
  const int which = below(5);
  if (which < 3) return assertion(block, which == 0);
  add(block, Opcode::skip, {reg(), operand(), static_cast<std::uint8_t>(1 + below(2))});
  access(block);
}

// An input, or arithmetic on one or on something that was read.
void Generator::compute(Block& block) {
  if (one_in(2)) return add(block, Opcode::input, {reg(), 1});
  add(block, one_in(2) ? Opcode::sum : Opcode::subtract, {reg(), operand()});
}

// Leaves out some idiom where a condition on registers holds.
void Generator::branch(Block& block) {
  constexpr std::size_t kMost = 7;
  Block then;
  switch (below(6)) {
    case 0: compute(then); break;
    case 1: guarded_data(then); break;
    case 2: indexed(then); break;
    case 3: set_and_signal(then); break;
    default: access(then);
  }
  if (one_in(4) && then.size() < kMost) access(then);
  const Opcode condition = one_in(2) ? Opcode::skip : Opcode::below;
  add(block, condition, {reg(), operand(), static_cast<std::uint8_t>(then.size())});
  block.insert(block.end(), then.begin(), then.end());
}

void Generator::indexed(Block& block) {
  if (one_in(2)) return add(block, Opcode::load_at, {reg(), reg()});
  add(block, Opcode::store_at, {reg(), operand()});
}

// Each mutex has plain data of its own. Now and then nothing guards it.
void Generator::guarded_data(Block& block) {
  const std::uint8_t mutex = object();
  if (one_in(12)) return add(block, one_in(2) ? Opcode::read : Opcode::write, {mutex, reg()});
  add(block, Opcode::lock, {mutex});
  if (one_in(2)) add(block, Opcode::read, {mutex, reg()});
  if (one_in(3)) compute(block);
  if (one_in(2)) add(block, Opcode::write, {mutex, operand()});
  add(block, Opcode::unlock, {mutex});
}

// The creation, often on some ways only.
void Generator::maybe_create(Block& block, std::uint8_t thread) {
  if (one_in(2)) {
    compute(block);
    add(block, one_in(2) ? Opcode::skip : Opcode::below, {reg(), operand(), 1});
  }
  add(block, Opcode::create, {thread});
}

// So that brute force can try all of them: each thread's have one width, and those beyond a limit are
// constants.
void Generator::bound_inputs(ToyCode& code) {
  constexpr int kBitsMax = 6;
  int bits = 0;
  for (Block& thread : code.threads) {
    const auto width = static_cast<std::uint8_t>(1 + below(kInputBitsMax));
    for (Instruction& instruction : thread) {
      if (instruction.opcode != Opcode::input) continue;
      bits += width;
      if (bits > kBitsMax) {
        instruction = {Opcode::sum, {instruction.operands[0], 1}};
        bits -= width;
      } else {
        instruction.operands[1] = width;
      }
    }
  }
}

void Generator::symbolic_idiom(Block& block) {
  switch (below(16)) {
    case 0:
    case 1:
    case 2: return compute(block);
    case 3:
    case 4:
    case 5:
    case 6: return branch(block);
    case 7:
    case 8: return indexed(block);
    case 9: return assertion(block, one_in(3));
    case 10: return guarded_data(block);
    case 11: return one_in(2) ? wait_section(block) : wait_loop(block);
    case 12: return set_and_signal(block);
    case 13: return try_lock_section(block);
    case 14: return add(block, one_in(2) ? Opcode::down : Opcode::up, {object()});
    default: return access(block);
  }
}

void Generator::idiom(Block& block) {
  if (family_ == Family::f) return symbolic_idiom(block);
  if (family_ == Family::b && one_in(4)) {
    switch (below(4)) {
      case 0: return publish(block);
      case 1: return consume(block);
      case 2: return pass_on(block);
      default: return add_ordered(block, Opcode::fence, {});
    }
  }
  if (family_ == Family::c && one_in(2)) {
    switch (below(4)) {
      case 0: return wait_section(block);
      case 1: return wait_loop(block);
      case 2: return set_and_signal(block);
      default: return add(block, one_in(4) ? Opcode::broadcast : Opcode::signal, {object()});
    }
  }
  if (family_ == Family::d && one_in(4)) return assertion(block, one_in(3));
  if (family_ == Family::e && one_in(3)) return section(block);
  switch (below(16)) {
    case 0:
    case 1:
    case 2:
    case 3: return access(block);
    case 4:
    case 5:
    case 6: return lock_section(block);
    case 7: return try_lock_section(block);
    case 8: return wait_section(block);
    case 9: return add(block, Opcode::signal, {object()});
    case 10: return add(block, one_in(2) ? Opcode::broadcast : Opcode::signal, {object()});
    case 11: return add(block, Opcode::down, {object()});
    case 12: return add(block, Opcode::up, {object()});
    case 13: return add(block, Opcode::yield);
    case 14:
      return one_in(2) ? add(block, Opcode::choose, {reg(), static_cast<std::uint8_t>(1 + below(3))})
                       : local(block);
    default: return local(block);
  }
}

void Generator::spoil(Block& block) {
  if (block.empty()) return;
  auto place = block.begin() + below(static_cast<int>(block.size()));
  if (one_in(2)) {
    block.erase(place);
  } else {
    block.insert(place, Instruction(*place));
  }
}

// One thread has something to say to the others. Or two have, perhaps of different data.
void Generator::messages(std::vector<Block>& bodies) {
  std::size_t speaker = below(static_cast<int>(bodies.size()));
  std::size_t other = one_in(4) ? below(static_cast<int>(bodies.size())) : speaker;
  careful_ = one_in(2);
  if (careful_) objects_ = 1;
  for (Block& body : bodies) {
    if (one_in(careful_ ? 12 : 4)) idiom(body);
    if (&body == &bodies[speaker] || &body == &bodies[other]) {
      publish(body);
    } else if (one_in(3)) {
      pass_on(body);
    } else {
      consume(body);
    }
    if (one_in(careful_ ? 12 : 4)) idiom(body);
    if (one_in(8)) spoil(body);
  }
}

ToyCode Generator::program() {
  if (family_ == Family::b && one_in(2)) objects_ = 1;
  int count = 2 + below(family_ == Family::c || family_ == Family::f ? 2 : 3);
  std::vector<Block> bodies(static_cast<std::size_t>(count));
  bool with_messages = family_ == Family::b && one_in(2);
  if (with_messages) messages(bodies);
  for (Block& body : bodies) {
    if (with_messages) break;
    // Main has its creations and joins to do already.
    for (int n = times_ * (1 + below(&body == bodies.data() ? 2 : 6 - count)); n > 0; --n) idiom(body);
    if (one_in(6)) spoil(body);
  }
  // Each thread is created by main, or now and then by the thread before it; and joined or not.
  std::vector<Block> before(bodies.size());
  std::vector<Block> after(bodies.size());
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    std::size_t creator = i > 1 && one_in(4) ? i - 1 : 0;
    if (family_ == Family::f) {
      maybe_create(before[creator], static_cast<std::uint8_t>(i));
    } else {
      add(before[creator], Opcode::create, {static_cast<std::uint8_t>(i)});
    }
    if (one_in(4) && !bodies[creator].empty()) idiom(before[creator]);
    if (one_in(family_ == Family::f ? 2 : 3)) continue;
    add(after[creator], Opcode::join, {static_cast<std::uint8_t>(i)});
    if (family_ == Family::d && one_in(2)) assertion(after[creator], one_in(3));
  }
  if (!after[0].empty() && one_in(2)) access(after[0]);
  if (!after[0].empty() && one_in(3)) local(after[0]);
  ToyCode code;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    Block& all = code.threads.emplace_back(before[i]);
    all.insert(all.end(), bodies[i].begin(), bodies[i].end());
    all.insert(all.end(), after[i].begin(), after[i].end());
  }
  if (family_ == Family::f) bound_inputs(code);
  return code;
}

// Small enough for brute force, and with enough to compare.
bool has_some_paths(const ToyCode& code) {
  constexpr std::size_t kLocalPathsMin = 10;
  if (find_paths(code, {.form = PathForm::with_values, .states_max = kPathStatesMax}).gave_up) return false;
  return find_paths(code).local_paths.size() >= kLocalPathsMin;
}

}  // namespace

const char* name_of(Family family) {
  constexpr const char* kNames[] = {"A", "B", "C", "D", "E", "F"};
  return kNames[static_cast<std::size_t>(family)];
}

RandomProgram random_program(std::uint64_t seed, Family family, std::size_t executions_max) {
  Random random(seed * 2 + (family == Family::b ? 1 : 0));
  if (family == Family::c) random = Random(~seed);
  if (family == Family::d) random = Random(~seed << 1);
  if (family == Family::e) random = Random(~seed << 2);
  if (family == Family::f) random = Random(~seed << 3);
  while (true) {
    RandomProgram program{Generator(random.next(), family).program(), {}};
    program.findings = enumerate(program.code, {.executions_max = executions_max});
    // One execution compares nothing.
    if (program.findings.gave_up || program.findings.executions.size() <= 1) continue;
    if (family != Family::f || has_some_paths(program.code)) return program;
  }
}

ToyCode larger_program(std::uint64_t seed, Family family, int times) {
  Random random(~(seed * 4 + static_cast<std::uint64_t>(family)));
  while (true) {
    ToyCode code = Generator(random.next(), family, times).program();
    if (is_valid(code)) return code;
  }
}

RandomProgram with_spurious(const RandomProgram& program, std::size_t executions_max) {
  RandomProgram result{program.code, {}};
  result.code.spurious = true;
  result.findings = enumerate(result.code, {.executions_max = executions_max});
  return result;
}

}  // namespace thrum
