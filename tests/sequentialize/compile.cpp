// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trees as small steps. Operands come from left to right; an assignment computes its value before it looks
// for its place; memory of the program is only read and written by instructions that are visible.
#include <algorithm>
#include <map>
#include <utility>

#include "sequentialize/machine.hpp"

namespace thrum::seq::random {

namespace {

class Compiler {
 public:
  Compiler(const Program& program, const Function& function)
      : program_(program), function_(function), cells_(cells(program)) {
    handles_ = function.locals + static_cast<int>(function.pointers.size());
    temporaries_ = handles_ + function.handles;
    next_ = temporaries_;
    most_ = next_;
  }

  Routine run() {
    if (is_atomic()) emit({Do::atomic_begin});
    for (std::size_t i = 0; i < function_.pointers.size(); ++i)
      emit({Do::number, function_.locals + static_cast<int>(i), function_.pointers[i]});
    statement(function_.body);
    give_back(constant(0));
    for (auto [at, label] : jumps_) {
      auto found = labels_.find(label);
      if (found == labels_.end()) throw NoProgram("no such label");
      routine_.code[at].b = found->second;
    }
    routine_.registers = most_;
    routine_.is_main = function_.role == Function::Role::main;
    return std::move(routine_);
  }

 private:
  struct Loop {
    std::vector<std::size_t> breaks{};
    std::vector<std::size_t> continues{};
    bool is_switch = false;
  };

  static bool has_effect(Kind kind) {
    return kind == Kind::call || kind == Kind::call_either ||
           (kind >= Kind::step_before && kind <= Kind::try_down);
  }
  bool is_atomic() const { return function_.role == Function::Role::atomic_helper; }
  int here() const { return static_cast<int>(routine_.code.size()); }
  std::size_t emit(Instruction instruction) {
    routine_.code.push_back(instruction);
    return routine_.code.size() - 1;
  }
  int temporary() {
    most_ = std::max(most_, next_ + 1);
    return next_++;
  }
  int constant(int value) {
    int result = temporary();
    emit({Do::number, result, value});
    return result;
  }
  void land(std::size_t jump) { routine_.code[jump].b = here(); }
  void give_back(int value) {
    if (is_atomic()) emit({Do::atomic_end});
    if (function_.role == Function::Role::main) emit({Do::quit});
    emit({Do::give_back, value});
  }
  static int in(int number, std::size_t count) {
    if (number < 0 || number >= static_cast<int>(count)) throw NoProgram("no such thing");
    return number;
  }
  int local(int number) const { return in(number, static_cast<std::size_t>(function_.locals)); }
  int handle(int number) const { return handles_ + in(number, static_cast<std::size_t>(function_.handles)); }

  // A register with the cell's number.
  int place(const Node& n) {
    auto cell = [&] { return cells_.at(static_cast<std::size_t>(in(n.a, cells_.size()))); };
    switch (n.kind) {
      case Kind::global: return constant(cell());
      case Kind::field: return constant(cell() + n.b);
      case Kind::behind_local: return function_.locals + in(n.a, function_.pointers.size());
      case Kind::behind_global: {
        int result = temporary();
        emit({Do::read, result, constant(cell())});
        return result;
      }
      case Kind::element: {
        int index = expression(n.children.at(0));
        int result = temporary();
        emit({Do::binary, result, index, constant(1), bit_and});
        emit({Do::binary, result, result, constant(cell()), plus});
        return result;
      }
      default: throw NoProgram("no place");
    }
  }

  int atomic_operation(Do what, const Node& n) {
    int operand = expression(n.children.at(0));
    int cell = constant(cells_.at(static_cast<std::size_t>(in(n.a, cells_.size()))));
    int result = temporary();
    if (what == Do::compare) {
      emit({what, result, cell, local(n.b), operand});
    } else {
      emit({what, result, cell, operand});
    }
    return result;
  }

  bool is_one_step(const Node& place) const {
    return place.kind == Kind::global &&
           program_.globals.at(static_cast<std::size_t>(place.a)).type == Global::Type::atomic;
  }

  // x++ and the like: a read and a write; the value before.
  int change(const Node& where, int by, int operation, int& after) {
    int cell = place(where);
    int before = temporary();
    after = temporary();
    if (is_one_step(where)) {
      if (operation != plus && operation != bit_xor) throw NoProgram("not of atomic variables");
      emit({operation == plus ? Do::fetch_add : Do::fetch_xor, before, cell, by});
      emit({Do::binary, after, before, by, operation});
      return before;
    }
    emit({Do::read, before, cell});
    emit({Do::binary, after, before, by, operation});
    emit({Do::write, cell, after});
    return before;
  }

  int branching(const Node& n) {
    int result = temporary();
    if (n.kind == Kind::choice) {
      int condition = expression(n.children.at(0));
      std::size_t no = emit({Do::jump_if_not, condition});
      emit({Do::copy, result, expression(n.children.at(1))});
      std::size_t end = emit({Do::jump});
      land(no);
      emit({Do::copy, result, expression(n.children.at(2))});
      land(end);
      return result;
    }
    bool is_and = n.kind == Kind::both;
    emit({Do::number, result, is_and ? 0 : 1});
    int left = expression(n.children.at(0));
    int test = temporary();
    emit(is_and ? Instruction{Do::copy, test, left} : Instruction{Do::negation, test, left});
    std::size_t end = emit({Do::jump_if_not, test});
    int right = expression(n.children.at(1));
    emit({Do::binary, result, right, constant(0), different});
    land(end);
    return result;
  }

  int call(const Node& n, int callee, std::size_t first) {
    const Function& called =
        program_.functions.at(static_cast<std::size_t>(in(callee, program_.functions.size())));
    std::size_t given = n.children.size() - first;
    if (given != static_cast<std::size_t>(called.parameters)) throw NoProgram("wrong arguments");
    std::vector<int> values;
    for (std::size_t i = first; i < n.children.size(); ++i) values.push_back(expression(n.children[i]));
    int begin = next_;
    for (int value : values) emit({Do::copy, temporary(), value});
    int result = temporary();
    emit({Do::call, result, callee, begin, static_cast<int>(given)});
    return result;
  }

  int call_either(const Node& n) {
    int result = temporary();
    std::size_t no = emit({Do::jump_if_not, expression(n.children.at(0))});
    emit({Do::copy, result, call(n, n.a, 1)});
    std::size_t end = emit({Do::jump});
    land(no);
    emit({Do::copy, result, call(n, n.b, 1)});
    land(end);
    return result;
  }

  int expression(const Node& n) {
    switch (n.kind) {
      case Kind::number: return constant(n.a);
      case Kind::local: return local(n.a);
      case Kind::load: {
        int cell = place(n.children.at(0));
        int result = temporary();
        emit({Do::read, result, cell});
        return result;
      }
      case Kind::binary: {
        int left = expression(n.children.at(0));
        int right = expression(n.children.at(1));
        int result = temporary();
        emit({Do::binary, result, left, right, n.a});
        return result;
      }
      case Kind::negation: {
        int operand = expression(n.children.at(0));
        int result = temporary();
        emit({Do::negation, result, operand});
        return result;
      }
      case Kind::both:
      case Kind::either:
      case Kind::choice: return branching(n);
      case Kind::call: return call(n, n.a, 0);
      case Kind::call_either: return call_either(n);
      case Kind::step_before:
      case Kind::step_behind: {
        int after = 0;
        int by = constant(n.a);
        int before = change(n.children.at(0), by, plus, after);
        return n.kind == Kind::step_before ? after : before;
      }
      case Kind::assigned: {
        int value = expression(n.children.at(1));
        emit({Do::write, place(n.children.at(0)), value});
        return value;
      }
      case Kind::fetch_add: return atomic_operation(Do::fetch_add, n);
      case Kind::fetch_xor: return atomic_operation(Do::fetch_xor, n);
      case Kind::exchange: return atomic_operation(Do::exchange, n);
      case Kind::compare: return atomic_operation(Do::compare, n);
      case Kind::try_lock:
      case Kind::try_down: {
        int result = temporary();
        bool locks = n.kind == Kind::try_lock;
        in(n.a, locks ? static_cast<std::size_t>(program_.mutexes) : program_.semaphores.size());
        emit({locks ? Do::try_lock : Do::try_down, result, n.a});
        return result;
      }
      default: throw NoProgram("no expression");
    }
  }

  void statement(const Node& n) {
    switch (n.kind) {
      case Kind::block:
        for (const Node& each : n.children) statement(each);
        return;
      case Kind::evaluate:
        if (!has_effect(n.children.at(0).kind)) throw NoProgram("a value that nobody wants");
        expression(n.children.at(0));
        break;
      case Kind::set: {
        int value = expression(n.children.at(1));
        emit({Do::write, place(n.children.at(0)), value});
        break;
      }
      case Kind::set_local: emit({Do::copy, local(n.a), expression(n.children.at(0))}); break;
      case Kind::update: {
        int by = expression(n.children.at(1));
        int after = 0;
        change(n.children.at(0), by, n.a, after);
        break;
      }
      case Kind::update_local:
        emit({Do::binary, local(n.a), local(n.a), expression(n.children.at(0)), n.b});
        break;
      case Kind::point_local:
        emit({Do::copy, function_.locals + in(n.a, function_.pointers.size()), place(n.children.at(0))});
        break;
      case Kind::point_global: {
        int value = place(n.children.at(0));
        emit({Do::write, constant(cells_.at(static_cast<std::size_t>(in(n.a, cells_.size())))), value});
        break;
      }
      case Kind::return_: give_back(expression(n.children.at(0))); break;
      case Kind::assume: emit({Do::assume, expression(n.children.at(0))}); break;
      case Kind::check: {
        int failed = temporary();
        emit({Do::negation, failed, expression(n.children.at(0))});
        std::size_t good = emit({Do::jump_if_not, failed});
        emit({Do::fail, 0, n.a});
        land(good);
        break;
      }
      case Kind::atomic:
        emit({Do::atomic_begin});
        statement(n.children.at(0));
        emit({Do::atomic_end});
        break;
      case Kind::quit: emit({Do::quit}); break;
      default:
        if (!control(n)) threads(n);
    }
    forget();
  }

  void forget() {
    next_ = temporaries_;
    emit({Do::forget, temporaries_});
  }

  void leave_loop(int on) {
    for (std::size_t jump : loops_.back().breaks) land(jump);
    for (std::size_t jump : loops_.back().continues) routine_.code[jump].b = on;
    loops_.pop_back();
  }

  bool control(const Node& n) {
    switch (n.kind) {
      case Kind::if_: {
        std::size_t no = emit({Do::jump_if_not, expression(n.children.at(0))});
        statement(n.children.at(1));
        std::size_t end = emit({Do::jump});
        land(no);
        statement(n.children.at(2));
        land(end);
        return true;
      }
      case Kind::for_: for_loop(n); return true;
      case Kind::while_: counted_loop(n, false); return true;
      case Kind::do_: counted_loop(n, true); return true;
      case Kind::switch_: choose(n); return true;
      case Kind::spin: {
        int begin = here();
        forget();
        std::size_t again = emit({Do::jump_if_not, expression(n.children.at(0))});
        routine_.code[again].b = begin;
        return true;
      }
      case Kind::break_:
        if (loops_.empty()) throw NoProgram("break outside of loops");
        loops_.back().breaks.push_back(emit({Do::jump}));
        return true;
      case Kind::continue_:
        for (std::size_t i = loops_.size(); i-- > 0;) {
          if (loops_[i].is_switch) continue;
          loops_[i].continues.push_back(emit({Do::jump}));
          return true;
        }
        throw NoProgram("continue outside of loops");
      case Kind::jump: jumps_.emplace_back(emit({Do::jump}), n.a); return true;
      case Kind::label:
        if (!labels_.emplace(n.a, here()).second) throw NoProgram("a label twice");
        return true;
      default: return false;
    }
  }

  void for_loop(const Node& n) {
    int counter = local(n.a);
    emit({Do::number, counter, 0});
    int begin = here();
    int test = temporary();
    emit({Do::binary, test, counter, constant(n.b), less});
    std::size_t end = emit({Do::jump_if_not, test});
    loops_.push_back({});
    statement(n.children.at(0));
    int on = here();
    emit({Do::binary, counter, counter, constant(1), plus});
    emit({Do::jump, 0, begin});
    land(end);
    leave_loop(on);
  }

  // while (counter++ < b && condition), or do ... while (++counter < b && condition)
  void counted_loop(const Node& n, bool first) {
    int counter = local(n.a);
    emit({Do::number, counter, 0});
    int begin = here();
    loops_.push_back({});
    if (first) statement(n.children.at(1));
    int on = first ? here() : begin;
    int test = temporary();
    if (first) emit({Do::binary, counter, counter, constant(1), plus});
    emit({Do::binary, test, counter, constant(n.b), less});
    if (!first) emit({Do::binary, counter, counter, constant(1), plus});
    std::size_t end = emit({Do::jump_if_not, test});
    std::size_t stop = emit({Do::jump_if_not, expression(n.children.at(0))});
    if (!first) statement(n.children.at(1));
    emit({Do::jump, 0, begin});
    land(end);
    land(stop);
    leave_loop(on);
  }

  void choose(const Node& n) {
    int value = expression(n.children.at(0));
    std::vector<std::size_t> entries;
    std::size_t count = n.children.size() - 1;
    for (std::size_t i = 0; i + 1 < count; ++i) {
      int other = temporary();
      emit({Do::binary, other, value, constant(static_cast<int>(i)), different});
      entries.push_back(emit({Do::jump_if_not, other}));
    }
    entries.push_back(emit({Do::jump}));
    loops_.push_back({{}, {}, true});
    for (std::size_t i = 1; i <= count; ++i) {
      land(entries[i - 1]);
      statement(n.children[i]);
      if ((n.a >> i & 1) == 0) loops_.back().breaks.push_back(emit({Do::jump}));
    }
    leave_loop(0);
  }

  void threads(const Node& n) {
    auto mutex = [&](int number) { return in(number, static_cast<std::size_t>(program_.mutexes)); };
    auto condition = [&] { return in(n.a, static_cast<std::size_t>(program_.conditions)); };
    auto semaphore = [&] { return in(n.a, program_.semaphores.size()); };
    switch (n.kind) {
      case Kind::lock: emit({Do::lock, 0, mutex(n.a)}); return;
      case Kind::unlock: emit({Do::unlock, 0, mutex(n.a)}); return;
      case Kind::wait:
        emit({Do::sleep, 0, condition(), mutex(n.b)});
        emit({Do::wake, 0, condition(), mutex(n.b)});
        return;
      case Kind::signal: emit({Do::signal, 0, condition()}); return;
      case Kind::broadcast: emit({Do::broadcast, 0, condition()}); return;
      case Kind::down: emit({Do::down, 0, semaphore()}); return;
      case Kind::up: emit({Do::up, 0, semaphore()}); return;
      case Kind::create: {
        in(n.b, program_.functions.size());
        int argument = expression(n.children.at(0));
        emit({Do::create, handle(n.a), n.b, argument});
        return;
      }
      case Kind::join: emit({Do::join, n.b < 0 ? -1 : local(n.b), handle(n.a)}); return;
      case Kind::leave: emit({Do::leave, expression(n.children.at(0))}); return;
      default: throw NoProgram("no statement");
    }
  }

  const Program& program_;
  const Function& function_;
  std::vector<int> cells_;
  Routine routine_;
  std::vector<Loop> loops_;
  std::vector<std::pair<std::size_t, int>> jumps_;
  std::map<int, int> labels_;
  int handles_ = 0;
  int temporaries_ = 0;
  int next_ = 0;
  int most_ = 0;
};

}  // namespace

Machine machine_of(const Program& program) {
  Machine machine;
  for (const Global& each : program.globals) {
    machine.memory.push_back(each.first);
    if (cells_of(each) == 2) machine.memory.push_back(each.second);
  }
  for (const Function& each : program.functions) machine.routines.push_back(Compiler(program, each).run());
  machine.semaphores = program.semaphores;
  machine.mutexes = program.mutexes;
  machine.conditions = program.conditions;
  for (const Routine& each : machine.routines) {
    for (const Instruction& instruction : each.code)
      machine.creations += instruction.what == Do::create ? 1 : 0;
  }
  return machine;
}

}  // namespace thrum::seq::random
