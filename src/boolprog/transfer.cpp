// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boolprog/transfer.hpp"

#include "support/check.hpp"

namespace thrum::bp {

namespace {

using Kind = Instruction::Kind;

template <typename Value, typename Of>
void append(std::vector<Value>& all, std::uint32_t count, Of of) {
  for (std::uint32_t i = 0; i < count; ++i) all.push_back(of(i));
}

std::vector<int> firsts(const std::vector<std::pair<int, int>>& pairs) {
  std::vector<int> result;
  for (auto [now, next] : pairs) result.push_back(now);
  return result;
}

std::vector<int> joined(std::vector<int> a, const std::vector<int>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<std::pair<int, int>> turned(std::vector<std::pair<int, int>> pairs) {
  for (auto& [now, next] : pairs) std::swap(now, next);
  return pairs;
}

}  // namespace

Update::Update(Bdd relation, const std::vector<std::pair<int, int>>& changed, const std::vector<int>& dead)
    : relation_(std::move(relation)),
      quantified_(joined(firsts(changed), dead)),
      next_(firsts(turned(changed))),
      dead_(dead),
      back_(turned(changed)),
      forth_(changed) {}

Transfer::Transfer(const Encoding& encoding, const Goal& goal)
    : encoding_(encoding), live_(live_locals(encoding.flow())), switches_(switch_places(encoding.flow())) {
  const Encoding& e = encoding;
  std::vector<int> choices, frame, locals, entered;
  append(choices, e.choices(), [&](auto i) { return e.choice(i); });
  append(locals, e.locals(), [&](auto i) { return e.local_now(i); });
  frame = locals;
  append(frame, e.globals(), [&](auto i) { return e.global_entry(i); });
  append(frame, e.parameters(), [&](auto i) { return e.local_entry(i); });
  entered = frame;
  for (std::uint32_t k = 1; k <= e.boundaries(); ++k) {
    append(entered, e.globals(), [&](auto i) { return e.global_boundary(i, k); });
  }
  choices_ = Cube(choices);
  frame_ = Cube(frame);
  locals_ = Cube(locals);
  entered_ = Cube(entered);
  entered_from_ = frame_;
  std::vector<std::pair<int, int>> to_entry, to_called;
  append(to_entry, e.globals(), [&](auto i) { return std::pair(e.global_now(i), e.global_entry(i)); });
  append(to_entry, e.parameters(), [&](auto i) { return std::pair(e.local_next(i), e.local_entry(i)); });
  append(to_called, e.globals(), [&](auto i) { return std::pair(e.global_now(i), e.global_next(i)); });
  append(to_called, e.globals(), [&](auto i) { return std::pair(e.global_entry(i), e.global_now(i)); });
  append(to_called, e.parameters(), [&](auto i) { return std::pair(e.local_entry(i), e.local_next(i)); });
  std::vector<int> called, returned;
  std::vector<std::pair<int, int>> as_returned;
  append(called, e.parameters(), [&](auto i) { return e.local_next(i); });
  returned = called;
  append(returned, e.globals(), [&](auto i) { return e.global_next(i); });
  append(returned, e.results(), [&](auto i) { return e.result(i); });
  append(as_returned, e.globals(), [&](auto i) { return std::pair(e.global_entry(i), e.global_next(i)); });
  append(as_returned, e.results(), [&](auto i) { return std::pair(e.exit_result(i), e.result(i)); });
  append(as_returned, e.parameters(), [&](auto i) { return std::pair(e.local_now(i), e.local_next(i)); });
  called_ = Cube(called);
  returned_ = Cube(returned);
  as_returned_ = std::make_unique<Renaming>(as_returned);
  to_entry_ = std::make_unique<Renaming>(to_entry);
  to_called_ = std::make_unique<Renaming>(to_called);
  for (std::uint32_t p = 0; p < e.flow().procedures.size(); ++p) allowed_.push_back(allowed(p));
  rules_.resize(e.flow().code.size() + 1);
  for (Pc pc = 0; pc < e.flow().code.size(); ++pc) compile(pc, goal);
  compile_contexts();
}

Kind Transfer::kind(Pc pc) const { return pc == dead() ? Kind::end_thread : encoding_.flow().code[pc].kind; }

// --- Expressions ---

Bdd Transfer::bit_of(Variable variable, std::uint32_t procedure, std::uint32_t i) const {
  std::uint32_t bit = encoding_.bits(variable, procedure).first + i;
  return Bdd::variable(variable.is_global ? encoding_.global_now(bit) : encoding_.local_now(bit));
}

Bdd Transfer::value(const Expression& expression, std::uint32_t procedure) {
  auto operand = [&](std::size_t i) { return value(expression.operands[i], procedure); };
  auto choice = [&] { return Bdd::variable(encoding_.choice(choices_used_++)); };
  switch (expression.kind) {
    case Expression::Kind::constant: return Bdd::constant(expression.value);
    case Expression::Kind::nondeterministic: return choice();
    case Expression::Kind::variable: return bit_of(expression.variable, procedure, 0);
    case Expression::Kind::next: {
      std::uint32_t bit = encoding_.bits(expression.variable, procedure).first;
      return Bdd::variable(expression.variable.is_global ? encoding_.global_next(bit)
                                                         : encoding_.local_next(bit));
    }
    case Expression::Kind::negation: return !operand(0);
    case Expression::Kind::conditional: {
      Bdd condition = operand(0);
      return (condition & operand(1)) | minus(operand(2), condition);
    }
    case Expression::Kind::choose: {
      Bdd yes = operand(0);
      return yes | minus(choice(), operand(1));
    }
    default: break;
  }
  Bdd left = operand(0);
  Bdd right = operand(1);
  switch (expression.kind) {
    case Expression::Kind::equal: return equal(left, right);
    case Expression::Kind::different:
    case Expression::Kind::exclusive: return left ^ right;
    case Expression::Kind::conjunction: return left & right;
    case Expression::Kind::disjunction: return left | right;
    default: return (!left) | right;
  }
}

std::vector<Bdd> Transfer::given(const Expression& expression, bool is_thread, std::uint32_t procedure) {
  if (!is_thread) return {value(expression, procedure)};
  std::vector<Bdd> result;
  if (expression.kind != Expression::Kind::variable) {  // none
    result.resize(encoding_.thread_bits());
    return result;
  }
  append(result, encoding_.bits(expression.variable, procedure).count,
         [&](auto i) { return bit_of(expression.variable, procedure, i); });
  return result;
}

Bdd Transfer::allowed(std::uint32_t procedure) {
  Bdd result = yes_;
  for (const Expression& condition : encoding_.flow().procedures[procedure].enforce) {
    choices_used_ = 0;
    result &= some_choice(value(condition, procedure));
  }
  if (encoding_.waits()) result &= Bdd::literal(encoding_.global_now(*encoding_.waits()), false);
  return result;
}

Bdd Transfer::is_number(Bits bits, std::uint32_t number) const {
  Bdd result = yes_;
  for (std::uint32_t i = 0; i < bits.count; ++i) {
    result &= Bdd::literal(encoding_.global_now(bits.first + i), ((number >> i) & 1U) != 0);
  }
  return result;
}

// --- Changes ---

void Transfer::set_global(std::vector<Change>& changes, std::uint32_t bit, const Bdd& value) const {
  changes.push_back({encoding_.global_now(bit), encoding_.global_next(bit), value});
}

void Transfer::set_number(std::vector<Change>& changes, Bits bits, std::uint32_t number) const {
  for (std::uint32_t i = 0; i < bits.count; ++i) {
    set_global(changes, bits.first + i, Bdd::constant(((number >> i) & 1U) != 0));
  }
}

void Transfer::set_variable(std::vector<Change>& changes, Variable variable, std::uint32_t procedure,
                            const std::vector<Bdd>& value) const {
  Bits bits = encoding_.bits(variable, procedure);
  for (std::uint32_t i = 0; i < bits.count; ++i) {
    std::uint32_t bit = bits.first + i;
    if (variable.is_global) {
      set_global(changes, bit, value[i]);
    } else {
      changes.push_back({encoding_.local_now(bit), encoding_.local_next(bit), value[i]});
    }
  }
}

Update Transfer::update(const Bdd& guard, const std::vector<Change>& changes, const Bdd& constraint,
                        const std::vector<int>& dead) const {
  Bdd relation = guard & constraint;
  std::vector<std::pair<int, int>> changed;
  std::vector<int> gone;
  for (const Change& one : changes) {
    relation &= equal(Bdd::variable(one.next), one.value);
    if (std::find(dead.begin(), dead.end(), one.now) != dead.end()) {
      gone.push_back(one.next);
    } else {
      changed.emplace_back(one.now, one.next);
    }
  }
  return {Cube(gone).exists(some_choice(relation)), changed, dead};
}

std::vector<int> Transfer::dead_bits(Pc pc) const {
  std::vector<int> result;
  if (pc == dead()) {
    append(result, encoding_.locals(), [&](auto i) { return encoding_.local_now(i); });
    return result;
  }
  std::uint32_t procedure = encoding_.flow().code[pc].procedure;
  for (std::uint32_t local = 0; local < live_[pc].size(); ++local) {
    if (live_[pc][local]) continue;
    Bits bits = encoding_.bits({false, local}, procedure);
    append(result, bits.count, [&](auto i) { return encoding_.local_now(bits.first + i); });
  }
  return result;
}

// --- Instructions ---

void Transfer::compile(Pc pc, const Goal& goal) {
  const Instruction& one = encoding_.flow().code[pc];
  Rule& rule = rules_[pc];
  Bdd guard = allowed_[one.procedure];
  choices_used_ = 0;
  if (std::find(goal.labels.begin(), goal.labels.end(), pc) != goal.labels.end()) rule.failing = guard;
  auto go_on = [&](std::size_t to, const Bdd& condition, const std::vector<Change>& changes = {}) {
    rule.moves.push_back({one.next[to], update(condition, changes, yes_, dead_bits(one.next[to]))});
  };
  switch (one.kind) {
    case Kind::skip: return go_on(0, guard);
    case Kind::jump:
      for (std::size_t i = 0; i < one.next.size(); ++i) go_on(i, guard);
      return;
    case Kind::assume:
    case Kind::assertion:
    case Kind::branch: {
      Bdd condition = value(one.values[0], one.procedure);
      Bdd fails = guard & some_choice(!condition);
      go_on(0, guard & some_choice(condition));
      if (one.kind == Kind::branch) go_on(1, fails);
      if (one.kind == Kind::assertion && goal.assertions) rule.failing |= fails;
      return;
    }
    case Kind::assign: return compile_assign(one, guard, rule);
    case Kind::call: return compile_call(one, guard, rule);
    case Kind::give_back: return compile_return(one, guard, rule);
    case Kind::start_thread: return compile_start(one, guard, rule);
    case Kind::end_thread: rule.relation = guard; break;
    case Kind::join: {
      Bdd over;
      for (std::uint32_t slot = 1; slot <= encoding_.slots(); ++slot) {
        Bdd same = yes_;
        Bits bits = encoding_.bits(one.targets[0], one.procedure);
        for (std::uint32_t i = 0; i < bits.count; ++i) {
          Bdd bit = bit_of(one.targets[0], one.procedure, i);
          same &= ((slot >> i) & 1U) != 0 ? bit : !bit;
        }
        over |= same & Bdd::variable(encoding_.global_now(*encoding_.slot_ended(slot)));
      }
      return go_on(0, guard & over);
    }
    default: break;
  }
  std::vector<Change> changes;
  switch (one.kind) {
    case Kind::atomic_begin:
    case Kind::atomic_end:
      if (encoding_.atomic())
        set_global(changes, *encoding_.atomic(), Bdd::constant(one.kind == Kind::atomic_begin));
      return go_on(0, guard, changes);
    case Kind::wait: set_global(changes, *encoding_.waits(), yes_); return go_on(0, guard, changes);
    case Kind::broadcast:
      if (encoding_.waits()) {
        auto threads = static_cast<std::uint32_t>(encoding_.flow().threads.size()) + encoding_.slots();
        for (std::uint32_t i = 0; i < threads; ++i) set_global(changes, *encoding_.waiting(i), Bdd());
      }
      return go_on(0, guard, changes);
    default: break;
  }
  // end_thread
  if (encoding_.atomic()) set_global(changes, *encoding_.atomic(), Bdd());
  if (encoding_.ended()) set_global(changes, *encoding_.ended(), yes_);
  rule.moves.push_back({dead(), update(guard, changes, yes_, dead_bits(dead()))});
}

void Transfer::compile_assign(const Instruction& one, const Bdd& guard, Rule& rule) {
  std::vector<Change> changes;
  for (std::size_t i = 0; i < one.targets.size(); ++i) {
    bool is_thread = encoding_.flow().declaration(one.targets[i], one.procedure).is_thread;
    set_variable(changes, one.targets[i], one.procedure, given(one.values[i], is_thread, one.procedure));
  }
  Bdd constraint = yes_;
  if (one.constraint) {
    // A variable that is not assigned keeps its value.
    std::vector<std::pair<int, int>> same;
    auto unchanged = [&](int now, int next) {
      bool changes_it =
          std::any_of(changes.begin(), changes.end(), [&](const Change& c) { return c.next == next; });
      if (!changes_it) same.emplace_back(next, now);
    };
    for (std::uint32_t i = 0; i < encoding_.globals(); ++i) {
      unchanged(encoding_.global_now(i), encoding_.global_next(i));
    }
    for (std::uint32_t i = 0; i < encoding_.locals(); ++i)
      unchanged(encoding_.local_now(i), encoding_.local_next(i));
    constraint = value(*one.constraint, one.procedure);
    // A renaming would be wrong, since both copies may occur.
    std::vector<int> gone;
    Bdd identity = yes_;
    for (auto [next, now] : same) {
      identity &= equal(Bdd::variable(next), Bdd::variable(now));
      gone.push_back(next);
    }
    constraint = Cube(gone).exists(constraint, identity);
  }
  rule.moves.push_back({one.next[0], update(guard, changes, constraint, dead_bits(one.next[0]))});
}

void Transfer::compile_call(const Instruction& one, const Bdd& guard, Rule& rule) {
  const Flow& flow = encoding_.flow();
  const Procedure& callee = flow.procedures[one.callee];
  Bdd relation = guard;
  for (std::uint32_t i = 0; i < callee.parameters; ++i) {
    Bits bits = encoding_.bits({false, i}, one.callee);
    std::vector<Bdd> value = given(one.values[i], callee.locals[i].is_thread, one.procedure);
    for (std::uint32_t b = 0; b < bits.count; ++b) {
      relation &= equal(Bdd::variable(encoding_.local_next(bits.first + b)), value[b]);
    }
  }
  rule.relation = some_choice(relation);
  std::vector<int> dead = dead_bits(one.next[0]);
  auto is_dead = [&](int now) { return std::find(dead.begin(), dead.end(), now) != dead.end(); };
  std::vector<int> gone, lost;
  std::vector<std::pair<int, int>> renamed;
  std::vector<bool> assigned(encoding_.globals(), false);
  append(gone, encoding_.globals(), [&](auto i) { return encoding_.global_now(i); });
  append(gone, encoding_.parameters(), [&](auto i) { return encoding_.local_next(i); });
  for (std::uint32_t i = 0; i < encoding_.results(); ++i) {
    if (i >= one.targets.size()) {
      gone.push_back(encoding_.result(i));
      continue;
    }
    std::uint32_t bit = encoding_.bits(one.targets[i], one.procedure).first;
    if (one.targets[i].is_global) {
      assigned[bit] = true;
      gone.push_back(encoding_.global_next(bit));
      renamed.emplace_back(encoding_.result(i), encoding_.global_now(bit));
    } else if (is_dead(encoding_.local_now(bit))) {
      gone.push_back(encoding_.result(i));
    } else {
      lost.push_back(encoding_.local_now(bit));
      renamed.emplace_back(encoding_.result(i), encoding_.local_now(bit));
    }
  }
  lost.insert(lost.end(), dead.begin(), dead.end());
  for (std::uint32_t i = 0; i < encoding_.locals(); ++i) {
    rule.kept.push_back(std::find(lost.begin(), lost.end(), encoding_.local_now(i)) == lost.end());
  }
  rule.lost = std::make_unique<Cube>(lost);
  for (std::uint32_t i = 0; i < encoding_.globals(); ++i) {
    if (!assigned[i]) renamed.emplace_back(encoding_.global_next(i), encoding_.global_now(i));
  }
  rule.resumed = std::make_unique<Cube>(gone);
  rule.results = std::make_unique<Renaming>(renamed);
  rule.results_back = std::make_unique<Renaming>(turned(renamed));
}

void Transfer::compile_return(const Instruction& one, const Bdd& guard, Rule& rule) {
  Bdd relation = guard;
  for (std::uint32_t i = 0; i < one.values.size(); ++i) {
    relation &= equal(Bdd::variable(encoding_.result(i)), value(one.values[i], one.procedure));
  }
  rule.relation = some_choice(relation);
}

// The started thread either never moves, or gets one of the free slots.
void Transfer::compile_start(const Instruction& one, const Bdd& guard, Rule& rule) {
  std::uint32_t start = encoding_.start_of(one);
  for (std::uint32_t slot = 0; slot <= encoding_.slots(); ++slot) {
    choices_used_ = 0;
    std::vector<Change> changes;
    Bdd condition = guard;
    if (!one.targets.empty()) {
      std::vector<Bdd> number;
      append(number, encoding_.bits(one.targets[0], one.procedure).count,
             [&](auto i) { return Bdd::constant(((slot >> i) & 1U) != 0); });
      set_variable(changes, one.targets[0], one.procedure, number);
    }
    if (slot > 0) {
      condition &= is_number(encoding_.slot_code(slot), Encoding::kFree);
      set_number(changes, encoding_.slot_code(slot), Encoding::kFirstStart + start);
      std::uint32_t held = encoding_.slot_held(slot).first;
      if (one.copies_locals) {
        for (std::uint32_t i = 0; i < encoding_.starts()[start].held; ++i) {
          set_global(changes, held + i,
                     Bdd::variable(encoding_.local_now(encoding_.local_bit(one.callee, i))));
        }
      } else {
        const Procedure& callee = encoding_.flow().procedures[one.callee];
        for (std::uint32_t i = 0; i < callee.parameters; ++i) {
          Bits bits = encoding_.bits({false, i}, one.callee);
          std::vector<Bdd> value = given(one.values[i], callee.locals[i].is_thread, one.procedure);
          for (std::uint32_t b = 0; b < bits.count; ++b) set_global(changes, held + bits.first + b, value[b]);
        }
      }
    }
    rule.moves.push_back({one.next[0], update(condition, changes, yes_, dead_bits(one.next[0]))});
  }
}

// --- Calls ---

Bdd Transfer::entered(const Bdd& called) const { return (*to_entry_)(entered_.exists(called)); }
Bdd Transfer::entered_from(const Bdd& called) const { return (*to_entry_)(entered_from_.exists(called)); }

Bdd Transfer::first_locals(std::uint32_t procedure) const {
  Bdd result = yes_;
  const Procedure& one = encoding_.flow().procedures[procedure];
  for (std::uint32_t i = one.parameters; i < one.locals.size(); ++i) {
    if (!one.locals[i].is_thread) continue;
    Bits bits = encoding_.bits({false, i}, procedure);
    for (std::uint32_t b = 0; b < bits.count; ++b) {
      result &= Bdd::literal(encoding_.local_now(bits.first + b), false);
    }
  }
  return result;
}

Bdd Transfer::at_entry(std::uint32_t procedure, const Bdd& entries) const {
  Bdd result = entries & first_locals(procedure);
  for (std::uint32_t i = 0; i < encoding_.globals(); ++i) {
    result &= equal(Bdd::variable(encoding_.global_entry(i)), Bdd::variable(encoding_.global_now(i)));
  }
  for (std::uint32_t i = 0; i < encoding_.parameter_bits(procedure); ++i) {
    result &= equal(Bdd::variable(encoding_.local_entry(i)), Bdd::variable(encoding_.local_now(i)));
  }
  Pc entry = encoding_.flow().procedures[procedure].entry;
  return Cube(dead_bits(entry)).exists(result);
}

Bdd Transfer::returned(Pc pc, const Bdd& set) const {
  return (*to_called_)(locals_.exists(set, rules_[pc].relation));
}

Bdd Transfer::resumed(Pc call, const Bdd& called, const Bdd& returned) const {
  const Rule& rule = rules_[call];
  return (*rule.results)(rule.resumed->exists(called, returned));
}

Bdd Transfer::ended(Pc pc, const Bdd& set) const {
  return (*ended_)(set & allowed_[encoding_.flow().code[pc].procedure]);
}

Bdd Transfer::returns_at(Pc pc) const {
  Bdd same = yes_;
  std::vector<std::pair<int, int>> exits;
  for (std::uint32_t i = 0; i < encoding_.globals(); ++i) {
    same &= equal(Bdd::variable(encoding_.global_now(i)), Bdd::variable(encoding_.global_entry(i)));
  }
  for (std::uint32_t i = 0; i < encoding_.results(); ++i)
    exits.emplace_back(encoding_.result(i), encoding_.exit_result(i));
  return Renaming(exits)(rules_[pc].relation) & same;
}

Bdd Transfer::seen_by_callers(std::uint32_t procedure, const Bdd& at_entry) const {
  // The other locals are arbitrary at the entry, but hold no threads.
  std::vector<int> others;
  for (std::uint32_t i = encoding_.parameter_bits(procedure); i < encoding_.locals(); ++i) {
    others.push_back(encoding_.local_now(i));
  }
  return (*as_returned_)(Cube(others).exists(at_entry, first_locals(procedure)));
}

Bdd Transfer::before_call(Pc call, const Bdd& returns, const Bdd& after) const {
  return returned_.exists(rules_[call].relation, returns & (*rules_[call].results_back)(after));
}

Bdd Transfer::calls_into(Pc call, const Bdd& at_entry) const {
  std::uint32_t callee = encoding_.flow().code[call].callee;
  return called_.exists(rules_[call].relation, seen_by_callers(callee, at_entry));
}

Bdd Transfer::resumed_to(Pc call, const Bdd& called, const Bdd& returned, const Bdd& after) const {
  return called & returned & (*rules_[call].results_back)(after);
}

Bdd Transfer::ended_to(Pc pc, const Bdd& after) const {
  return ended_->before(after) & allowed_[encoding_.flow().code[pc].procedure];
}

// --- Contexts ---

void Transfer::compile_contexts() {
  const Encoding& e = encoding_;
  const Flow& flow = e.flow();
  std::vector<Change> last;
  if (e.atomic()) set_global(last, *e.atomic(), Bdd());
  if (e.ended()) set_global(last, *e.ended(), yes_);
  ended_ = std::make_unique<Update>(update(yes_, last, yes_));

  std::vector<Change> forgotten;
  if (e.ended()) set_global(forgotten, *e.ended(), Bdd());
  init_ended_ = std::make_unique<Update>(update(yes_, forgotten, yes_));

  auto now = [&](std::uint32_t bit) { return Bdd::variable(e.global_now(bit)); };
  auto fixed = static_cast<std::uint32_t>(flow.threads.size());
  for (std::uint32_t thread = 0; thread < fixed + e.slots(); ++thread) {
    Bdd may_end = yes_;
    if (e.atomic()) may_end = minus(may_end, now(*e.atomic()));
    for (std::uint32_t global : flow.atomic_globals)
      may_end = minus(may_end, now(e.bits({true, global}, 0).first));
    std::vector<Change> end, begin;
    if (e.waits()) {
      set_global(end, *e.waiting(thread), now(*e.waits()));
      set_global(end, *e.waits(), Bdd());
      set_global(begin, *e.waits(), now(*e.waiting(thread)));
      set_global(begin, *e.waiting(thread), Bdd());
    }
    if (e.ended()) {
      if (thread >= fixed) {
        std::uint32_t bit = *e.slot_ended(thread - fixed + 1);
        set_global(end, bit, now(bit) | now(*e.ended()));
      }
      set_global(end, *e.ended(), Bdd());
    }
    ends_.push_back(update(may_end, end, yes_));
    begins_.push_back(update(yes_, begin, yes_));
  }
  for (std::uint32_t slot = 1; slot <= e.slots(); ++slot) {
    slot_begins_.emplace_back();
    for (std::uint32_t start = 0; start < e.starts().size(); ++start) {
      std::vector<Change> begin;
      set_number(begin, e.slot_code(slot), Encoding::kMoved);
      Bits held = e.slot_held(slot);
      for (std::uint32_t i = 0; i < held.count; ++i) set_global(begin, held.first + i, Bdd());
      for (std::uint32_t i = 0; i < e.starts()[start].held; ++i) {
        std::uint32_t bit = e.local_bit(e.starts()[start].procedure, i);
        begin.push_back({e.local_now(bit), e.local_next(bit), now(held.first + i)});
      }
      slot_begins_.back().push_back(
          update(is_number(e.slot_code(slot), Encoding::kFirstStart + start), begin, yes_));
    }
  }
  to_boundary_.emplace_back(std::vector<std::pair<int, int>>{});
  is_boundary_.push_back(yes_);
  for (std::uint32_t k = 1; k <= e.boundaries(); ++k) {
    std::vector<std::pair<int, int>> pairs;
    Bdd same = yes_;
    for (std::uint32_t i = 0; i < e.globals(); ++i) {
      pairs.emplace_back(e.global_now(i), e.global_boundary(i, k));
      same &= equal(now(i), Bdd::variable(e.global_boundary(i, k)));
    }
    to_boundary_.emplace_back(pairs);
    is_boundary_.push_back(same);
  }
}

Bdd Transfer::first_globals() const {
  Bdd result = yes_;
  std::vector<bool> free(encoding_.globals(), false);
  const auto& globals = encoding_.flow().globals;
  for (std::uint32_t i = 0; i < globals.size(); ++i) {
    if (!globals[i].is_thread) free[encoding_.bits({true, i}, 0).first] = true;
  }
  for (std::uint32_t bit = 0; bit < encoding_.globals(); ++bit) {
    if (!free[bit]) result &= Bdd::literal(encoding_.global_now(bit), false);
  }
  return result;
}

Bdd Transfer::slot_begun(std::uint32_t slot, std::uint32_t start, const Bdd& set) const {
  const Start& from = encoding_.starts()[start];
  Bdd result = slot_begins_[slot - 1][start](set);
  bool all_held = from.held > encoding_.parameter_bits(from.procedure);
  return all_held ? result : result & first_locals(from.procedure);
}

Cube Transfer::boundaries_without(const std::vector<std::uint32_t>& kept) const {
  std::vector<int> gone;
  for (std::uint32_t k = 1; k <= encoding_.boundaries(); ++k) {
    if (std::find(kept.begin(), kept.end(), k) != kept.end()) continue;
    append(gone, encoding_.globals(), [&](auto i) { return encoding_.global_boundary(i, k); });
  }
  return Cube(gone);
}

Bdd Transfer::onto_boundaries(const Bdd& set, const std::vector<std::uint32_t>& kept) const {
  return boundaries_without(kept).exists(set);
}

Bdd Transfer::onto_boundaries(const Bdd& a, const Bdd& b, const std::vector<std::uint32_t>& kept) const {
  return boundaries_without(kept).exists(a, b);
}

}  // namespace thrum::bp
