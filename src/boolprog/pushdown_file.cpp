// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a pushdown system becomes a boolean program: the bits of the shared state are globals. A stack symbol
// is a place in the code, at which one of its rules is taken. A push is a call, a pop is a return. A thread
// whose top is the one of the target may stop for good and set a flag. The thread that sets the last flag
// fails if the shared state is the target's.
#include "boolprog/pushdown_file.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <sstream>

namespace thrum::bp {

namespace {

using Kind = Instruction::Kind;

constexpr std::uint32_t kStatesMax = 1U << 20U;

// The words of a line, each with its column.
struct Word {
  std::string text;
  Position where;
};

std::vector<Word> words_of(const std::string& line, std::uint32_t number) {
  std::vector<Word> words;
  std::size_t end = std::min(line.find('#'), line.size());
  for (std::size_t i = 0; i < end;) {
    if (line[i] == ' ' || line[i] == '\t' || line[i] == '\r') {
      ++i;
      continue;
    }
    std::size_t begin = i;
    while (i < end && line[i] != ' ' && line[i] != '\t' && line[i] != '\r') ++i;
    words.push_back({line.substr(begin, i - begin), {number, static_cast<std::uint32_t>(begin + 1)}});
  }
  return words;
}

std::int32_t number_of(const Word& word, const char* what) {
  std::size_t digits = word.text[0] == '-' ? 1 : 0;
  bool is_number = word.text.size() > digits && word.text.size() < 9 &&
                   std::all_of(word.text.begin() + static_cast<long>(digits), word.text.end(),
                               [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number)
    throw InputError(word.where, std::string("expected ") + what + ", found '" + word.text + "'");
  return std::stoi(word.text);
}

class Reader {
 public:
  PushdownFile read(const std::string& text) {
    std::istringstream in(text);
    std::string line;
    std::uint32_t number = 0;
    while (std::getline(in, line)) {
      std::vector<Word> words = words_of(line, ++number);
      if (words.empty()) continue;
      if (file_.states == 0) {
        count(words);
      } else if (words[0].text == "PDA") {
        thread(words);
      } else {
        rule(words);
      }
    }
    if (file_.threads.empty())
      throw InputError({number + 1, 1}, "expected the number of shared states and a thread: PDA");
    return std::move(file_);
  }

 private:
  void expect_end(const std::vector<Word>& words, std::size_t count) const {
    if (words.size() > count)
      throw InputError(words[count].where, "expected the end of the line, found '" + words[count].text + "'");
    if (words.size() < count) throw InputError(words.back().where, "the line ends too early");
  }

  void count(const std::vector<Word>& words) {
    std::int32_t states = number_of(words[0], "the number of shared states");
    if (states < 1 || static_cast<std::uint32_t>(states) > kStatesMax) {
      throw InputError(words[0].where, "there are 1 to " + std::to_string(kStatesMax) + " shared states");
    }
    expect_end(words, 1);
    file_.states = static_cast<std::uint32_t>(states);
  }

  void thread(const std::vector<Word>& words) {
    expect_end(words, 3);
    PushdownThread thread;
    thread.lowest = number_of(words[1], "the lowest stack symbol");
    thread.highest = number_of(words[2], "the highest stack symbol");
    if (thread.lowest < 0 || thread.highest < thread.lowest)
      throw InputError(words[1].where, "this is no range of stack symbols");
    file_.threads.push_back(std::move(thread));
  }

  std::uint32_t state(const Word& word) const {
    std::int32_t state = number_of(word, "a shared state");
    if (state < 0 || static_cast<std::uint32_t>(state) >= file_.states) {
      throw InputError(word.where,
                       "shared states are 0 to " + std::to_string(file_.states - 1) + ", not " + word.text);
    }
    return static_cast<std::uint32_t>(state);
  }

  Symbol symbol(const Word& word) const {
    if (word.text == "-" || word.text == "-1") return {};
    std::int32_t symbol = number_of(word, "a stack symbol");
    if (symbol < 0) throw InputError(word.where, "a stack symbol is no negative number");
    return symbol;
  }

  void rule(const std::vector<Word>& words) {
    if (file_.threads.empty())
      throw InputError(words[0].where, "expected a thread: PDA, lowest and highest symbol");
    if (words.size() < 5)
      throw InputError(words.back().where,
                       "a rule is: s l -> s' l1 l2, or fewer symbols behind the arrow, or -");
    if (words[2].text != "->")
      throw InputError(words[2].where, "expected '->', found '" + words[2].text + "'");
    PushdownRule rule;
    rule.where = words[0].where;
    rule.state = state(words[0]);
    rule.top = symbol(words[1]);
    rule.next_state = state(words[3]);
    for (std::size_t i = 4; i < words.size(); ++i) {
      Symbol pushed = symbol(words[i]);
      if (pushed) rule.pushed.push_back(*pushed);
      if (!pushed) expect_end(words, 5);
    }
    if (words.size() > 6) throw InputError(words[6].where, "a rule pushes two symbols at most");
    file_.threads.back().rules.push_back(std::move(rule));
  }

  PushdownFile file_;
};

class Builder {
 public:
  Builder(const PushdownFile& file, const Configuration& begin, const Configuration& target)
      : file_(file),
        begin_(begin),
        target_(target),
        bits_(static_cast<std::uint32_t>(std::bit_width(file.states - 1))) {}

  Flow flow() {
    flow_.shares_code = true;
    for (std::uint32_t i = 0; i < bits_; ++i) flow_.globals.push_back({{"state" + std::to_string(i)}});
    for (std::size_t i = 0; i < file_.threads.size(); ++i) {
      flow_.globals.push_back({{"stopped" + std::to_string(i)}});
    }
    init();
    for (thread_ = 0; thread_ < file_.threads.size(); ++thread_) thread();
    return std::move(flow_);
  }

 private:
  Expression bit(std::uint32_t global) const {
    return {.kind = Expression::Kind::variable,
            .name = flow_.globals[global].name.text,
            .variable = {true, global}};
  }
  static Expression constant(bool value) { return {.kind = Expression::Kind::constant, .value = value}; }
  static Expression negated(Expression one) {
    Expression result{.kind = Expression::Kind::negation};
    result.operands.push_back(std::move(one));
    return result;
  }
  static Expression both(Expression a, Expression b) {
    Expression result{.kind = Expression::Kind::conjunction};
    result.operands = {std::move(a), std::move(b)};
    return result;
  }
  Expression is_state(std::uint32_t state) const {
    Expression result = constant(true);
    for (std::uint32_t i = 0; i < bits_; ++i) {
      result = both(std::move(result), ((state >> i) & 1U) != 0 ? bit(i) : negated(bit(i)));
    }
    return result;
  }
  std::uint32_t stopped(std::size_t thread) const { return bits_ + static_cast<std::uint32_t>(thread); }

  Pc here() const { return static_cast<Pc>(flow_.code.size()); }

  // goes_on: the next instruction is its successor.
  Instruction& emit(Kind kind, const std::string& text, Position where = {}, bool goes_on = true) {
    Instruction one;
    one.kind = kind;
    one.procedure = static_cast<std::uint32_t>(flow_.procedures.size()) - 1;
    one.text = text;
    one.where = where;
    if (goes_on) one.next.push_back(here() + 1);
    flow_.code.push_back(std::move(one));
    return flow_.code.back();
  }

  std::uint32_t procedure(const std::string& name) {
    flow_.procedures.push_back({.name = name, .entry = here()});
    return static_cast<std::uint32_t>(flow_.procedures.size()) - 1;
  }

  void set_state(Instruction& one, std::uint32_t state) const {
    for (std::uint32_t i = 0; i < bits_; ++i) {
      one.targets.push_back({true, i});
      one.values.push_back(constant(((state >> i) & 1U) != 0));
    }
  }

  void init() {
    flow_.init = procedure("init");
    Instruction& one = emit(Kind::assign, "init");
    set_state(one, begin_.state);
    for (std::size_t i = 0; i < file_.threads.size(); ++i) {
      one.targets.push_back({true, stopped(i)});
      // A thread that begins at the target may stop there.
      bool may_stay = begin_.tops[i] == target_.tops[i];
      one.values.push_back(may_stay ? Expression{.kind = Expression::Kind::nondeterministic}
                                    : constant(false));
    }
    fail_at_target();
    emit(Kind::give_back, "return", {}, false);
  }

  void fail_at_target() {
    Expression all = is_state(target_.state);
    for (std::size_t i = 0; i < file_.threads.size(); ++i) all = both(std::move(all), bit(stopped(i)));
    emit(Kind::assertion, "assert: not all are at the target").values.push_back(negated(std::move(all)));
  }

  void thread() {
    std::string name = "pda" + std::to_string(thread_ + 1);
    flow_.threads.push_back(procedure(name));
    places_.clear();
    entries_.clear();
    calls_.clear();
    Instruction& moves = emit(Kind::assume, "assume(!stopped)");
    moves.values.push_back(negated(bit(stopped(thread_))));
    if (begin_.tops[thread_]) call(*begin_.tops[thread_], {}, here() + 1);
    place({});
    std::set<std::int32_t> symbols;
    for (const PushdownRule& rule : file_.threads[thread_].rules) {
      if (rule.top) symbols.insert(*rule.top);
      symbols.insert(rule.pushed.begin(), rule.pushed.end());
    }
    if (begin_.tops[thread_]) symbols.insert(*begin_.tops[thread_]);
    for (std::int32_t symbol : symbols) place(symbol);
    for (auto [from, symbol] : jumps_) flow_.code[from].next = {places_.at(symbol)};
    jumps_.clear();
    for (auto [from, symbol] : calls_) {
      auto entry = entries_.find(symbol);
      if (entry == entries_.end()) {
        std::uint32_t number = procedure(name + "." + std::to_string(symbol));
        flow_.procedures[number].entry = places_.at(symbol);
        entry = entries_.emplace(symbol, number).first;
      }
      flow_.code[from].callee = entry->second;
    }
  }

  void call(std::int32_t symbol, Position where, Pc back) {
    calls_.emplace_back(here(), symbol);
    emit(Kind::call, "push " + std::to_string(symbol), where, false).next.push_back(back);
  }

  void jump(std::int32_t symbol, Position where) {
    jumps_.emplace_back(here(), symbol);
    emit(Kind::jump, "goto", where, false);
  }

  // Emits the code for stacks with this symbol on top.
  void place(Symbol top) {
    Pc at = here();
    if (top) places_[*top] = at;
    emit(Kind::jump, "goto", {}, false);
    std::vector<Pc> ways;
    for (const PushdownRule& rule : file_.threads[thread_].rules) {
      if (rule.top != top) continue;
      ways.push_back(here());
      std::string text = std::to_string(rule.state) + ' ' + (top ? std::to_string(*top) : "-") + " -> " +
                         std::to_string(rule.next_state);
      for (std::int32_t symbol : rule.pushed) text += ' ' + std::to_string(symbol);
      if (rule.pushed.empty()) text += " -";
      Instruction& one = emit(Kind::assign, text, rule.where);
      one.constraint = is_state(rule.state);
      set_state(one, rule.next_state);
      push(rule, at);
    }
    if (target_.tops[thread_] == top) {
      ways.push_back(here());
      stop();
    }
    // A symbol without rules has no successor.
    if (ways.empty()) {
      flow_.code[at].kind = Kind::assume;
      flow_.code[at].values.push_back(constant(false));
      ways.push_back(at);
    }
    flow_.code[at].next = ways;
  }

  void push(const PushdownRule& rule, Pc bottom) {
    if (rule.top) {
      if (rule.pushed.empty()) {
        emit(Kind::give_back, "pop", rule.where, false);
        return;
      }
      if (rule.pushed.size() == 2) call(rule.pushed[0], rule.where, here() + 1);
      jump(rule.pushed.back(), rule.where);
      return;
    }
    // The frame of the empty stack stays below. It calls the lower symbol, which calls the upper one.
    if (rule.pushed.size() == 2) {
      std::uint32_t outer = static_cast<std::uint32_t>(flow_.procedures.size());
      flow_.procedures.push_back({.name = "pda" + std::to_string(thread_ + 1) + ".two"});
      Instruction& one = emit(Kind::call, "push", rule.where, false);
      one.callee = outer;
      one.next.push_back(bottom);
      flow_.procedures[outer].entry = here();
      call(rule.pushed[0], rule.where, here() + 1);
      jump(rule.pushed[1], rule.where);
    } else if (rule.pushed.size() == 1) {
      call(rule.pushed[0], rule.where, bottom);
    } else {
      emit(Kind::jump, "goto", rule.where, false).next.push_back(bottom);
    }
  }

  void stop() {
    Instruction& stops = emit(Kind::assign, "stays here");
    stops.targets.push_back({true, stopped(thread_)});
    stops.values.push_back(constant(true));
    fail_at_target();
    emit(Kind::assume, "stays here", {}, false).values.push_back(constant(false));
    flow_.code.back().next.push_back(here() - 1);
  }

  const PushdownFile& file_;
  const Configuration& begin_;
  const Configuration& target_;
  std::uint32_t bits_;
  Flow flow_;
  std::size_t thread_ = 0;
  std::map<std::int32_t, Pc> places_;              // of this thread
  std::map<std::int32_t, std::uint32_t> entries_;  // procedures
  std::vector<std::pair<Pc, std::int32_t>> calls_, jumps_;
};

}  // namespace

PushdownFile parse_pushdown(const std::string& text) { return Reader().read(text); }

Configuration parse_configuration(const std::string& text, const PushdownFile& file) {
  Configuration result;
  auto fail = [&](const std::string& what) { throw InputError({1, 1}, "'" + text + "': " + what); };
  auto number = [&](const std::string& word) {
    if (word.empty() || word.size() > 8 || word.find_first_not_of("0123456789") != std::string::npos) {
      fail("'" + word + "' is no number; a configuration is such as 0|1,9,-");
    }
    return std::stoi(word);
  };
  std::size_t bar = text.find('|');
  if (bar == std::string::npos) fail("a configuration is such as 0|1,9,-");
  result.state = static_cast<std::uint32_t>(number(text.substr(0, bar)));
  if (result.state >= file.states) fail("there are " + std::to_string(file.states) + " shared states");
  std::istringstream tops(text.substr(bar + 1));
  for (std::string word; std::getline(tops, word, ',');) {
    if (word == "-" || word == "-1") {
      result.tops.emplace_back();
    } else {
      result.tops.emplace_back(number(word));
    }
  }
  if (result.tops.size() != file.threads.size())
    fail("there are " + std::to_string(file.threads.size()) + " stacks");
  return result;
}

Flow to_flow(const PushdownFile& file, const Configuration& begin, const Configuration& target) {
  return Builder(file, begin, target).flow();
}

}  // namespace thrum::bp
