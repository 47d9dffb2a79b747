// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boolprog/random_program.hpp"

#include "support/random.hpp"

namespace thrum::bp {

namespace {

using Kind = Statement::Kind;

class Generator {
 public:
  Generator(std::uint64_t seed, const RandomSetting& setting) : random_(seed), setting_(setting) {}

  Program program() {
    Program program;
    std::uint32_t globals = 1 + below(3);
    for (std::uint32_t i = 0; i < globals; ++i) program.globals.push_back({{"g" + std::to_string(i)}});
    if (setting_.starts_threads) {
      program.globals.push_back({{"h"}, true});
      has_thread_global_ = true;
    }
    for (const Declaration& one : program.globals) {
      if (!one.is_thread) globals_.push_back(one.name.text);
    }
    has_init_ = !setting_.starts_threads && !chance(3);
    if (has_init_) program.globals.push_back({{"atomic"}});
    uses_atomic_ = chance(3);
    uses_wait_ = chance(8);
    // All signatures first, so that any function may call any.
    std::uint32_t helpers = below(3);
    std::uint32_t threads = setting_.starts_threads ? 0 : 1 + below(2);
    if (has_init_) program.functions.push_back(init(program));
    signature("main", 0, 0);
    for (std::uint32_t i = 1; i <= threads; ++i) signature("t" + std::to_string(i), 0, 0);
    for (std::uint32_t i = 0; i < helpers; ++i) signature("f" + std::to_string(i), below(3), below(3));
    if (setting_.starts_threads) signature("child", below(2), 0);
    for (Function& one : functions_) {
      fill(one);
      program.functions.push_back(one);
    }
    return program;
  }

 private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_.below(limit)); }
  bool chance(std::uint32_t one_in) { return below(one_in) == 0; }

  void signature(const std::string& name, std::uint32_t parameters, std::uint32_t results) {
    Function one;
    one.name = {name};
    one.results = results;
    for (std::uint32_t i = 0; i < parameters; ++i) one.parameters.push_back({{"p" + std::to_string(i)}});
    functions_.push_back(std::move(one));
  }

  // As in Getafix's files: what globals there are when the threads begin.
  Function init(const Program& program) {
    Function one;
    one.name = {"init"};
    for (const Declaration& global : program.globals) {
      Statement assign = plain(Kind::assign);
      assign.targets.push_back(global.name);
      bool is_atomic = global.name.text == "atomic";
      assign.values.push_back({.kind = Expression::Kind::constant, .value = chance(is_atomic ? 12 : 2)});
      if (!is_atomic && chance(8)) assign.values[0].kind = Expression::Kind::nondeterministic;
      one.body.push_back(std::move(assign));
    }
    return one;
  }

  void fill(Function& one) {
    function_ = &one;
    variables_ = globals_;
    has_thread_local_ = false;
    labels_ = 0;
    for (const Declaration& parameter : one.parameters) variables_.push_back(parameter.name.text);
    std::uint32_t locals = below(one.name.text == "main" ? 2 : 3);
    for (std::uint32_t i = 0; i < locals; ++i) {
      one.locals.push_back({{"l" + std::to_string(i)}});
      variables_.push_back(one.locals.back().name.text);
    }
    if (setting_.starts_threads && chance(2)) {
      one.locals.push_back({{"c"}, true});
      has_thread_local_ = true;
    }
    if (chance(12)) one.enforce = expression(1);
    std::uint32_t count = 2 + below(5);
    // Variables begin with known values, mostly.
    std::vector<std::string> begun;
    if (one.name.text == "main" && !has_init_) begun = globals_;
    for (std::uint32_t i = 0; i < locals; ++i) begun.push_back("l" + std::to_string(i));
    for (const std::string& name : begun) {
      if (chance(6)) continue;
      Statement assign = plain(Kind::assign);
      assign.targets.push_back({name});
      assign.values.push_back({.kind = Expression::Kind::constant, .value = chance(2)});
      one.body.push_back(std::move(assign));
    }
    if (one.name.text[0] == 't' && !has_init_ && !chance(4)) {
      // A thread that begins before main has run sees anything: let most wait.
      Statement wait = plain(Kind::assume);
      wait.values.push_back({.kind = Expression::Kind::variable, .name = globals_[0]});
      one.body.insert(one.body.begin(), std::move(wait));
    }
    for (std::uint32_t i = 0; i < count; ++i) one.body.push_back(statement(2));
    one.body.push_back(plain(Kind::skip));
    for (std::uint32_t i = 0; i < labels_; ++i) {
      one.body[below(static_cast<std::uint32_t>(one.body.size()))].labels.push_back(
          {"L" + std::to_string(i)});
    }
    if (one.results > 0 && !chance(6)) {
      Statement back = plain(Kind::give_back);
      for (std::uint32_t i = 0; i < one.results; ++i) back.values.push_back(expression(1));
      one.body.push_back(std::move(back));
    }
  }

  static Statement plain(Kind kind) {
    Statement one;
    one.kind = kind;
    return one;
  }

  std::string variable() { return variables_[below(static_cast<std::uint32_t>(variables_.size()))]; }

  Expression expression(int depth) {
    std::uint32_t what = below(depth > 0 ? 12 : 6);
    if (what < 4) return {.kind = Expression::Kind::variable, .name = variable()};
    if (what == 4) return {.kind = Expression::Kind::nondeterministic};
    if (what == 5) return {.kind = Expression::Kind::constant, .value = chance(2)};
    constexpr Expression::Kind kKinds[] = {Expression::Kind::negation,    Expression::Kind::negation,
                                           Expression::Kind::conjunction, Expression::Kind::disjunction,
                                           Expression::Kind::equal,       Expression::Kind::different,
                                           Expression::Kind::exclusive,   Expression::Kind::implication,
                                           Expression::Kind::choose,      Expression::Kind::conditional};
    Expression one;
    one.kind = kKinds[below(10)];
    std::size_t operands = one.kind == Expression::Kind::negation      ? 1
                           : one.kind == Expression::Kind::conditional ? 3
                                                                       : 2;
    for (std::size_t i = 0; i < operands; ++i) one.operands.push_back(expression(depth - 1));
    return one;
  }

  // 'x may occur.
  Expression constraint() {
    Expression one{.kind = chance(2) ? Expression::Kind::different : Expression::Kind::disjunction};
    one.operands.push_back({.kind = Expression::Kind::next, .name = variable()});
    one.operands.push_back(expression(1));
    return one;
  }

  Statement statement(int depth) {
    std::uint32_t what = below(setting_.starts_threads ? 26 : 20);
    switch (what) {
      case 0:
      case 1:
      case 2:
      case 3: return assign();
      case 4: {
        Statement one = plain(Kind::assume);
        one.values.push_back(expression(1));
        return one;
      }
      case 5:
      case 6: return assertion();
      case 7:
      case 8:
      case 9:
        if (depth > 0) return choice(depth);
        return assign();
      case 10:
        if (depth > 0) return loop(depth);
        return assign();
      case 11:
      case 12:
      case 13:
      case 14: return call();
      case 15:
        if (!uses_atomic_) return assign();
        if (has_init_) {
          Statement one = plain(Kind::assign);
          one.targets.push_back({"atomic"});
          one.values.push_back({.kind = Expression::Kind::constant, .value = chance(2)});
          return one;
        }
        return plain(chance(2) ? Kind::atomic_begin : Kind::atomic_end);
      case 16:
        if (uses_wait_) return plain(chance(3) ? Kind::wait : Kind::broadcast);
        return assign();
      case 17:
        if (chance(3)) return jump();
        return assign();
      case 18: {
        if (!chance(3)) return assign();
        Statement one = plain(Kind::dead);
        one.targets.push_back({variable()});
        return one;
      }
      case 19: return plain(chance(8) ? Kind::end_thread : Kind::skip);
      default: return threads();
    }
  }

  // That some values do not come together: what fails now and then, and not at once.
  Statement assertion() {
    if (chance(3)) return assign();
    Expression all = literal();
    for (std::uint32_t i = 1 + below(2); i > 0; --i) {
      Expression both{.kind = Expression::Kind::conjunction};
      both.operands = {std::move(all), literal()};
      all = std::move(both);
    }
    Statement one = plain(Kind::assertion);
    one.values.push_back({.kind = Expression::Kind::negation});
    one.values[0].operands.push_back(std::move(all));
    return one;
  }

  Expression literal() {
    Expression value{.kind = Expression::Kind::variable, .name = variable()};
    if (chance(2)) return value;
    Expression negated{.kind = Expression::Kind::negation};
    negated.operands.push_back(std::move(value));
    return negated;
  }

  Statement assign() {
    Statement one = plain(Kind::assign);
    one.targets.push_back({variable()});
    one.values.push_back(expression(2));
    if (chance(4)) {
      std::string other = variable();
      if (other != one.targets[0].text) {
        one.targets.push_back({other});
        one.values.push_back(expression(1));
      }
    }
    if (chance(8)) one.constraint = constraint();
    return one;
  }

  Block block(int depth) {
    Block result;
    std::uint32_t count = 1 + below(2);
    for (std::uint32_t i = 0; i < count; ++i) result.push_back(statement(depth - 1));
    return result;
  }

  Statement choice(int depth) {
    Statement one = plain(Kind::choice);
    one.arms.push_back({expression(1), block(depth)});
    if (chance(4)) one.arms.push_back({expression(1), block(depth)});
    one.has_otherwise = chance(2);
    if (one.has_otherwise) one.otherwise = block(depth);
    return one;
  }

  Statement loop(int depth) {
    Statement one = plain(Kind::loop);
    one.arms.push_back({expression(1), block(depth)});
    return one;
  }

  Statement jump() {
    Statement one = plain(Kind::go_to);
    std::uint32_t count = 1 + below(2);
    for (std::uint32_t i = 0; i < count; ++i) one.names.push_back({"L" + std::to_string(labels_++)});
    return one;
  }

  Statement call() {
    std::vector<const Function*> callable;
    for (const Function& one : functions_) {
      if (one.name.text[0] == 'f') callable.push_back(&one);
    }
    if (callable.empty()) return assign();
    const Function& callee = *callable[below(static_cast<std::uint32_t>(callable.size()))];
    Statement one = plain(Kind::call);
    one.callee = callee.name;
    for (std::size_t i = 0; i < callee.parameters.size(); ++i) one.values.push_back(expression(1));
    if (callee.results == 0 || chance(4)) return guarded(one);
    for (std::uint32_t i = 0; i < callee.results; ++i) {
      std::string name = variable();
      for (const Name& other : one.targets) {
        if (other.text == name) return assign();
      }
      one.targets.push_back({name});
    }
    return guarded(one);
  }

  // Within a helper most calls stand behind a condition, or recursion would never end.
  Statement guarded(const Statement& one) {
    if (function_->name.text[0] != 'f' || chance(6)) return one;
    Statement choice = plain(Kind::choice);
    choice.arms.push_back({expression(0), {one}});
    return choice;
  }

  Statement threads() {
    std::vector<std::string> holders;
    if (has_thread_global_) holders.push_back("h");
    if (has_thread_local_) holders.push_back("c");
    std::string holder = holders[below(static_cast<std::uint32_t>(holders.size()))];
    std::uint32_t what = below(6);
    if (what == 0) {
      Statement one = plain(Kind::join);
      one.targets.push_back({holder});
      return one;
    }
    if (what == 1 && holders.size() == 2) {
      Statement one = plain(Kind::assign);
      one.targets.push_back({holder});
      one.values.push_back({.kind = Expression::Kind::variable, .name = holder == "h" ? "c" : "h"});
      return one;
    }
    if (what == 2) {
      Statement one = plain(Kind::start_goto);
      one.names.push_back({"L" + std::to_string(labels_++)});
      return one;
    }
    Statement one = plain(Kind::start_call);
    one.callee = {"child"};
    for (const Function& function : functions_) {
      if (function.name.text != "child") continue;
      for (std::size_t i = 0; i < function.parameters.size(); ++i) one.values.push_back(expression(1));
    }
    if (!chance(3)) one.targets.push_back({holder});
    return one;
  }

  Random random_;
  RandomSetting setting_;
  std::vector<Function> functions_;
  Function* function_ = nullptr;
  std::vector<std::string> globals_;
  std::vector<std::string> variables_;
  bool has_thread_global_ = false;
  bool has_thread_local_ = false;
  bool has_init_ = false;
  bool uses_atomic_ = false;
  bool uses_wait_ = false;
  std::uint32_t labels_ = 0;
};

}  // namespace

Program random_program(std::uint64_t seed, const RandomSetting& setting) {
  return Generator(seed, setting).program();
}

std::vector<std::string> threads_of(const Program& program) {
  std::vector<std::string> result;
  for (const Function& one : program.functions) {
    if (one.name.text == "main" || one.name.text[0] == 't') result.push_back(one.name.text);
  }
  return result;
}

}  // namespace thrum::bp
