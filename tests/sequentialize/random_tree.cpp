// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes programs. Each has a few of the features only, so that there are many of each in a small program;
// what a thread may do to shared memory is limited, since all interleavings are looked at.
#include <random>

#include "sequentialize/tree.hpp"

namespace thrum::seq::random {

namespace {

using Type = Global::Type;

Node make(Kind kind, int a = 0, int b = 0, std::vector<Node> children = {}) {
  return Node{kind, a, b, std::move(children)};
}
Node number(int value) { return make(Kind::number, value); }
Node block(std::vector<Node> statements) { return make(Kind::block, 0, 0, std::move(statements)); }

class Maker {
 public:
  Maker(std::uint64_t seed, bool narrow) : random_(seed * 0x9E3779B97F4A7C15U + 1), narrow_(narrow) {}

  Program run() {
    choose_features();
    globals();
    int threads = pick(10) < 3 ? 1 : 2;
    if (chance(8)) threads = 3;
    allowance_ = threads == 1 ? 8 : threads == 2 ? 5 : 3;
    if (narrow_) {
      threads = pick(10) < 7 ? 1 : 2;
      allowance_ = threads == 1 ? 6 : 3;
    }
    program_.functions.resize(1);
    for (int i = 0; i < threads; ++i) program_.functions.push_back({Function::Role::thread, 0, 3, {}, 1});
    first_helper_ = threads + 1;
    int helpers = helpers_ ? 1 + pick(2) : 0;
    for (int i = 0; i < helpers; ++i) {
      auto role = atomic_sections_ && chance(40) ? Function::Role::atomic_helper : Function::Role::helper;
      program_.functions.push_back({role, 1 + pick(2), 3});
    }
    for (int i = 0; i < helpers; ++i) helper(first_helper_ + i);
    // A thread that another one creates is not created by main.
    int nested = nested_ && threads > 1 ? threads : 0;
    for (int i = 1; i <= threads; ++i) thread(i, i + 1 == nested ? nested : 0);
    main(nested > 0 ? threads - 1 : threads);
    return std::move(program_);
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool chance(int percent) { return pick(100) < percent; }

  void choose_features() {
    atomics_ = chance(30);
    arrays_ = chance(15);
    structures_ = chance(15);
    pointers_ = chance(20);
    mutexes_ = chance(35);
    trying_ = mutexes_ && chance(30);
    conditions_ = mutexes_ && chance(30);
    semaphores_ = chance(15);
    atomic_sections_ = chance(20);
    loops_ = chance(25);
    switches_ = chance(12);
    helpers_ = chance(35);
    nested_ = chance(15);
    waits_ = chance(20);
    joins_ = chance(60);
    results_ = chance(30);
    leaves_ = chance(15);
    jumps_ = chance(12);
    quits_ = chance(5);
    steps_ = chance(50);
    if (!narrow_) return;
    atomics_ = chance(15);
    arrays_ = structures_ = pointers_ = conditions_ = semaphores_ = loops_ = nested_ = results_ = quits_ =
        false;
  }

  void globals() {
    program_.globals.push_back({Type::plain, pick(2)});
    program_.globals.push_back({Type::plain, 0});
    if (atomics_) program_.globals.push_back({Type::atomic, pick(2)});
    if (arrays_) program_.globals.push_back({Type::array, pick(2), pick(2)});
    if (structures_) program_.globals.push_back({Type::structure, pick(2), pick(2)});
    if (pointers_ && chance(50)) program_.globals.push_back({Type::pointer, pick(2)});
    program_.mutexes = mutexes_ ? 1 + (narrow_ ? 0 : pick(2)) : 0;
    program_.conditions = conditions_ ? 1 : 0;
    if (semaphores_) program_.semaphores.push_back(pick(2));
  }

  Function& function() { return program_.functions[static_cast<std::size_t>(current_)]; }
  bool is_helper() { return current_ >= first_helper_; }

  void begin(int index, int allowance) {
    current_ = index;
    left_ = allowance;
    counters_ = 0;
    loops_around_ = 0;
    label_ = 0;
    if (pointers_ && chance(60)) function().pointers.push_back(pick(2));
  }

  int find(Type type) {
    std::vector<int> found;
    for (std::size_t i = 0; i < program_.globals.size(); ++i) {
      if (program_.globals[i].type == type) found.push_back(static_cast<int>(i));
    }
    return found.empty() ? -1 : found[static_cast<std::size_t>(pick(static_cast<int>(found.size())))];
  }

  Node plain_place() {
    if (int array = find(Type::array); array >= 0 && chance(35))
      return make(Kind::element, array, 0, {chance(60) ? number(pick(2)) : make(Kind::local, pick(2))});
    if (int structure = find(Type::structure); structure >= 0 && chance(35))
      return make(Kind::field, structure, pick(2));
    return make(Kind::global, find(Type::plain));
  }

  Node place() {
    --left_;
    if (!function().pointers.empty() && chance(40)) return make(Kind::behind_local, 0);
    if (int pointer = find(Type::pointer); pointer >= 0 && chance(30)) {
      --left_;
      return make(Kind::behind_global, pointer);
    }
    if (int atomic = find(Type::atomic); atomic >= 0 && chance(40)) return make(Kind::global, atomic);
    return plain_place();
  }

  Node local() { return make(Kind::local, pick(3)); }
  // A helper's first parameter counts its calls of itself.
  int written_local() { return is_helper() ? 1 + pick(2) : pick(3); }
  Node read() { return make(Kind::load, 0, 0, {place()}); }

  Node leaf() {
    if (left_ > 0 && chance(50)) return make(Kind::load, 0, 0, {place()});
    return chance(50) ? local() : number(pick(3));
  }

  Node expression(int depth) {
    int which = depth <= 0 ? 0 : pick(14);
    if (which < 5) return leaf();
    if (which < 8) {
      static const std::vector<int> kOperators = {plus, minus, bit_and, bit_or, bit_xor, equal, less};
      int op = kOperators[static_cast<std::size_t>(pick(static_cast<int>(kOperators.size())))];
      Node left = expression(depth - 1);
      return make(Kind::binary, op, 0, {std::move(left), expression(depth - 1)});
    }
    if (which < 10) return condition(depth - 1);
    if (which == 10) {
      Node asked = condition(depth - 1);
      Node yes = expression(depth - 1);
      return make(Kind::choice, 0, 0, {std::move(asked), std::move(yes), expression(depth - 1)});
    }
    return effect(depth - 1);
  }

  // An expression that changes something.
  Node effect(int depth) {
    if (helpers_ && !is_helper() && left_ > 1 && chance(50)) return call();
    if (left_ <= 0) return leaf();
    if (int atomic = find(Type::atomic); atomic >= 0 && chance(60)) {
      --left_;
      static const std::vector<Kind> kKinds = {Kind::fetch_add, Kind::fetch_xor, Kind::exchange};
      return make(kKinds[static_cast<std::size_t>(pick(3))], atomic, 0, {expression(depth)});
    }
    if (trying_ && chance(50)) {
      --left_;
      return make(Kind::try_lock, pick(program_.mutexes));
    }
    if (semaphores_ && chance(30)) {
      --left_;
      return make(Kind::try_down, 0);
    }
    if (!steps_) return leaf();
    --left_;
    if (chance(30)) {
      Node where = place();
      return make(Kind::assigned, 0, 0, {std::move(where), expression(depth - 1)});
    }
    return make(chance(50) ? Kind::step_before : Kind::step_behind, chance(70) ? 1 : -1, 0, {place()});
  }

  Node call() {
    int count = static_cast<int>(program_.functions.size()) - first_helper_;
    int callee = first_helper_ + pick(count);
    const Function& called = program_.functions[static_cast<std::size_t>(callee)];
    left_ -= 2;
    std::vector<Node> given;
    int other = first_helper_ + pick(count);
    bool either =
        chance(20) && program_.functions[static_cast<std::size_t>(other)].parameters == called.parameters;
    if (either) given.push_back(expression(0));
    for (int i = 0; i < called.parameters; ++i) given.push_back(i == 0 ? number(pick(3)) : expression(1));
    return make(either ? Kind::call_either : Kind::call, callee, other, std::move(given));
  }

  Node condition(int depth) {
    int which = pick(10);
    if (depth > 0 && which < 4) {
      Node left = condition(depth - 1);
      return make(which < 2 ? Kind::both : Kind::either, 0, 0, {std::move(left), condition(depth - 1)});
    }
    if (which == 4) return make(Kind::negation, 0, 0, {expression(depth)});
    static const std::vector<int> kOperators = {equal, equal, different, less, at_most};
    int op = kOperators[static_cast<std::size_t>(pick(5))];
    Node left = expression(depth);
    if (left.kind == Kind::number) left = left_ > 0 ? make(Kind::load, 0, 0, {place()}) : local();
    return make(Kind::binary, op, 0, {std::move(left), number(pick(3))});
  }

  // Reads only, so that a loop of it only waits.
  Node quiet_condition() {
    left_ -= 1;
    Node read = make(Kind::binary, chance(70) ? equal : different, 0,
                     {make(Kind::load, 0, 0, {plain_place()}), number(pick(2))});
    if (chance(70)) return read;
    left_ -= 1;
    Node other = make(Kind::binary, equal, 0, {make(Kind::load, 0, 0, {plain_place()}), number(pick(2))});
    return make(chance(50) ? Kind::both : Kind::either, 0, 0, {std::move(read), std::move(other)});
  }

  Node check() {
    if (chance(35)) return make(Kind::check, checks_++, 0, {condition(2)});
    // That some values do not come together.
    auto is = [&] {
      Node what = left_ > 0 && chance(70) ? make(Kind::load, 0, 0, {place()}) : local();
      return make(Kind::binary, equal, 0, {std::move(what), number(pick(3))});
    };
    Node first = is();
    Node wrong = chance(30) ? std::move(first) : make(Kind::both, 0, 0, {std::move(first), is()});
    return make(Kind::check, checks_++, 0, {make(Kind::negation, 0, 0, {std::move(wrong)})});
  }

  std::vector<Node> statements(int count, int depth) {
    std::vector<Node> result;
    for (int i = 0; i < count && left_ > 0; ++i) add_statement(result, depth);
    return result;
  }

  void add_statement(std::vector<Node>& to, int depth) {
    if (depth > 0 && structured(to, depth)) return;
    if (depth > 0 && chance(45) && meeting(to, depth)) return;
    int which = pick(13);
    if (which < 4) {
      Node where = place();
      to.push_back(make(Kind::set, 0, 0, {std::move(where), chance(50) ? number(pick(3)) : expression(2)}));
    } else if (which < 6) {
      to.push_back(make(Kind::set_local, written_local(), 0, {chance(50) ? read() : expression(2)}));
    } else if (which < 8) {
      evaluate(to, effect(1));
    } else if (which == 8) {
      --left_;
      static const std::vector<int> kOperators = {plus, plus, bit_xor};
      Node where = place();
      to.push_back(make(Kind::update, kOperators[static_cast<std::size_t>(pick(3))], 0,
                        {std::move(where), chance(60) ? number(1 + pick(2)) : expression(1)}));
    } else if (which == 9) {
      to.push_back(make(Kind::update_local, written_local(), chance(60) ? plus : bit_xor, {expression(1)}));
    } else if (which == 10 && pointers_) {
      repoint(to);
    } else if (checks_ < 5) {
      to.push_back(check());
    }
  }

  // What reads and does nothing else reads nothing.
  void evaluate(std::vector<Node>& to, Node what) {
    bool reads = what.kind == Kind::load || what.kind == Kind::local || what.kind == Kind::number;
    to.push_back(
        make(reads ? Kind::set_local : Kind::evaluate, reads ? written_local() : 0, 0, {std::move(what)}));
  }

  void repoint(std::vector<Node>& to) {
    if (int pointer = find(Type::pointer); pointer >= 0 && chance(50)) {
      --left_;
      to.push_back(make(Kind::point_global, pointer, 0, {plain_place()}));
    } else if (!function().pointers.empty()) {
      to.push_back(make(Kind::point_local, 0, 0, {plain_place()}));
    }
  }

  Node body(int count, int depth) { return block(statements(count, depth - 1)); }

  bool structured(std::vector<Node>& to, int depth) {
    if (chance(18)) {
      Node asked = condition(2);
      Node yes = body(1 + pick(2), depth);
      to.push_back(
          make(Kind::if_, 0, 0, {std::move(asked), std::move(yes), chance(40) ? body(1, depth) : block({})}));
      return true;
    }
    if (loops_ && left_ > 1 && loops_around_ == 0 && chance(30)) {
      loop(to, depth);
      return true;
    }
    if (switches_ && chance(25)) {
      std::vector<Node> children{expression(1)};
      for (int i = 0; i < 3; ++i) children.push_back(body(1, depth));
      to.push_back(make(Kind::switch_, pick(16), 0, std::move(children)));
      return true;
    }
    if (atomic_sections_ && chance(25)) {
      std::vector<Node> inside = statements(1 + pick(2), 0);
      left_ += static_cast<int>(inside.size()) - 1;
      to.push_back(make(Kind::atomic, 0, 0, {block(std::move(inside))}));
      return true;
    }
    if (jumps_ && chance(25)) {
      int label = label_++;
      to.push_back(make(Kind::if_, 0, 0, {condition(1), block({make(Kind::jump, label)}), block({})}));
      for (Node& each : statements(1 + pick(2), depth - 1)) to.push_back(std::move(each));
      to.push_back(make(Kind::label, label));
      return true;
    }
    return false;
  }

  void loop(std::vector<Node>& to, int depth) {
    int counter = function().locals++;
    int rounds = 1 + pick(2);
    int before = left_;
    ++loops_around_;
    std::vector<Node> inside = statements(1 + pick(2), depth - 1);
    if (chance(30))
      inside.push_back(
          make(Kind::if_, 0, 0,
               {condition(1), block({make(chance(50) ? Kind::break_ : Kind::continue_)}), block({})}));
    if (chance(50)) evaluate(inside, effect(0));
    --loops_around_;
    left_ -= (before - left_) * (rounds - 1);
    switch (pick(3)) {
      case 0: to.push_back(make(Kind::for_, counter, rounds, {block(std::move(inside))})); return;
      case 1:
        to.push_back(make(Kind::while_, counter, rounds, {condition(1), block(std::move(inside))}));
        return;
      default:
        to.push_back(make(Kind::do_, counter, rounds, {condition(1), block(std::move(inside))}));
        return;
    }
  }

  // True: something was added.
  bool meeting(std::vector<Node>& to, int depth) {
    int which = pick(8);
    if (which < 3 && mutexes_) {
      int mutex = pick(program_.mutexes);
      left_ -= 2;
      if (conditions_ && chance(50)) return conditional_wait(to, mutex);
      to.push_back(make(Kind::lock, mutex));
      for (Node& each : statements(1 + pick(2), depth - 1)) to.push_back(std::move(each));
      if (!chance(4)) to.push_back(make(Kind::unlock, mutex));
      return true;
    }
    if (which == 3 && trying_) {
      int mutex = pick(program_.mutexes);
      left_ -= 2;
      std::vector<Node> inside = statements(1, depth - 1);
      inside.push_back(make(Kind::unlock, mutex));
      to.push_back(make(Kind::if_, 0, 0,
                        {make(Kind::binary, equal, 0, {make(Kind::try_lock, mutex), number(0)}),
                         block(std::move(inside)), block({})}));
      return true;
    }
    if (which == 4 && semaphores_) {
      --left_;
      to.push_back(make(chance(50) ? Kind::down : Kind::up, 0));
      return true;
    }
    if (which == 5 && waits_) {
      to.push_back(chance(60) ? make(Kind::spin, pick(4), 0, {quiet_condition()})
                              : make(Kind::assume, 0, 0, {quiet_condition()}));
      return true;
    }
    if (int atomic = find(Type::atomic); which == 6 && atomic >= 0) {
      --left_;
      to.push_back(make(Kind::set_local, 2, 0, {make(Kind::compare, atomic, 1, {expression(0)})}));
      return true;
    }
    if (which == 7) return leaving(to);
    return false;
  }

  bool conditional_wait(std::vector<Node>& to, int mutex) {
    to.push_back(make(Kind::lock, mutex));
    if (chance(50)) {
      Node wait = make(Kind::wait, 0, mutex);
      left_ -= 2;
      to.push_back(chance(60) ? make(Kind::if_, 0, 0, {condition(1), block({std::move(wait)}), block({})})
                              : std::move(wait));
    } else {
      for (Node& each : statements(1, 0)) to.push_back(std::move(each));
      to.push_back(make(chance(50) ? Kind::signal : Kind::broadcast, 0));
      --left_;
    }
    to.push_back(make(Kind::unlock, mutex));
    return true;
  }

  bool leaving(std::vector<Node>& to) {
    Node what;
    if (quits_ && chance(50)) {
      what = make(Kind::quit);
    } else if (leaves_ && chance(50)) {
      what = make(Kind::leave, 0, 0, {expression(0)});
    } else {
      what = make(Kind::return_, 0, 0, {expression(0)});
    }
    if (chance(20)) {
      to.push_back(std::move(what));
    } else {
      to.push_back(make(Kind::if_, 0, 0, {condition(1), block({std::move(what)}), block({})}));
    }
    return true;
  }

  void helper(int index) {
    begin(index, 2);
    // The first parameter goes down, where it calls itself.
    bool recursive = chance(25);
    std::vector<Node> all;
    if (recursive)
      all.push_back(make(Kind::if_, 0, 0,
                         {make(Kind::binary, at_most, 0, {make(Kind::local, 0), number(0)}),
                          block({make(Kind::return_, 0, 0, {expression(0)})}), block({})}));
    for (Node& each : statements(1 + pick(2), 1)) all.push_back(std::move(each));
    if (recursive) {
      std::vector<Node> given{make(Kind::binary, minus, 0, {make(Kind::local, 0), number(1)})};
      while (static_cast<int>(given.size()) < function().parameters) given.push_back(local());
      Node again = make(Kind::call, index, 0, std::move(given));
      all.push_back(
          make(Kind::return_, 0, 0, {make(Kind::binary, plus, 0, {expression(0), std::move(again)})}));
    } else {
      all.push_back(make(Kind::return_, 0, 0, {expression(1)}));
    }
    function().body = block(std::move(all));
  }

  void thread(int index, int creates) {
    begin(index, allowance_);
    std::vector<Node> all = statements(1 + pick(2), 2);
    if (creates > 0) {
      all.push_back(make(Kind::create, 0, creates, {expression(0)}));
      for (Node& each : statements(1 + pick(2), 1)) all.push_back(std::move(each));
      if (chance(30)) all.push_back(make(Kind::join, 0, results_ ? 0 : -1));
    } else {
      for (Node& each : statements(pick(3), 2)) all.push_back(std::move(each));
    }
    if (chance(40) && checks_ < 5) all.push_back(check());
    if (results_ && chance(60))
      all.push_back(make(leaves_ ? Kind::leave : Kind::return_, 0, 0, {expression(0)}));
    function().body = block(std::move(all));
  }

  void main(int creates) {
    function_of_main();
    std::vector<Node> all = statements(pick(2), 1);
    for (int i = 0; i < creates; ++i) {
      all.push_back(make(Kind::create, i, i + 1, {chance(50) ? number(pick(3)) : expression(0)}));
      if (chance(40)) {
        for (Node& each : statements(1, 2)) all.push_back(std::move(each));
      }
    }
    left_ = std::max(left_, 2);
    for (Node& each : statements(1 + pick(3), 2)) all.push_back(std::move(each));
    if (joins_) {
      for (int i = 0; i < creates; ++i) {
        if (chance(80)) all.push_back(make(Kind::join, i, results_ ? pick(2) : -1));
      }
    }
    left_ = std::max(left_, 2);
    if (chance(85)) all.push_back(check());
    if (leaves_ && chance(50)) all.push_back(make(Kind::leave, 0, 0, {number(0)}));
    function().body = block(std::move(all));
  }

  void function_of_main() {
    current_ = 0;
    function() = {Function::Role::main, 0, 3, {}, 3};
    begin(0, allowance_);
  }

  std::mt19937_64 random_;
  bool narrow_;
  Program program_;
  int allowance_ = 5;
  int left_ = 0;  // accesses that the function may still make
  int current_ = 0;
  int first_helper_ = 1;
  int counters_ = 0;
  int loops_around_ = 0;
  int label_ = 0;
  int checks_ = 0;
  bool atomics_{}, arrays_{}, structures_{}, pointers_{}, mutexes_{}, trying_{}, conditions_{}, semaphores_{};
  bool atomic_sections_{}, loops_{}, switches_{}, helpers_{}, nested_{}, waits_{}, joins_{}, results_{},
      leaves_{};
  bool jumps_{}, quits_{}, steps_{};
};

}  // namespace

Program random_program(std::uint64_t seed, bool narrow) { return Maker(seed, narrow).run(); }

}  // namespace thrum::seq::random
