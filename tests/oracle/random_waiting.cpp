// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/random_waiting.hpp"

#include <string>

#include "support/random.hpp"

namespace thrum {

namespace {

using Kind = WaitingIdiom::Kind;

class WaitingGenerator {
 public:
  WaitingGenerator(std::uint64_t seed, WaitingFamily family) : random_(seed), family_(family) {}

  WaitingIdioms program() {
    WaitingIdioms program;
    program.threads.resize(2 + below(2));
    for (WaitingIdioms::Thread& thread : program.threads) {
      thread.idioms.resize(1 + below(3));
      for (WaitingIdiom& it : thread.idioms) it = idiom();
      thread.clears = below(2) == 0;
    }
    return program;
  }

 private:
  std::size_t below(std::uint64_t limit) { return static_cast<std::size_t>(random_.below(limit)); }
  int small(std::uint64_t limit) { return static_cast<int>(random_.below(limit)); }

  std::uint64_t kinds() const {
    switch (family_) {
      case WaitingFamily::reads: return static_cast<std::uint64_t>(Kind::transient_add);
      case WaitingFamily::transient: return static_cast<std::uint64_t>(Kind::try_poll) + 1;
      default: return static_cast<std::uint64_t>(Kind::checks_inside) + 1;
    }
  }

  WaitingIdiom idiom() {
    WaitingIdiom it;
    it.kind = static_cast<Kind>(below(kinds()));
    if (below(9) == 0) it.kind = Kind::store;  // without stores most loops wait in vain
    it.cell = small(2);
    it.other_cell = small(2);
    it.value = small(3);
    it.other_value = small(3);
    it.clears = below(2) == 0;
    it.keeps = below(2) == 0;
    if (below(9) == 0) it.checks = small(3);
    return it;
  }

  Random random_;
  WaitingFamily family_;
};

// Loops whose failed rounds leave something behind.
void assemble_keeping_loop(const WaitingIdiom& it, const std::string& head, WaitingAssembler& a) {
  const int x = it.cell;
  const std::string out = head + " out";
  if (it.kind == Kind::tries) a.set(5, 0);
  a.label(head);
  if (it.clears) a.clear(2);
  if (it.kind == Kind::comes_back) a.add(5, 5, 1).mask(5, 5, 3);
  a.load(0, x).if_equal(0, it.value, out);
  switch (it.kind) {
    case Kind::last: a.copy(3, 0).jump(head); break;
    case Kind::tries: a.add(5, 5, 1).if_unequal(5, 3, head); break;
    case Kind::checks_inside: a.load(1, it.other_cell).check(1, it.other_value).jump(head); break;
    default: a.jump(head);
  }
  a.label(out);
}

void assemble_loop(const WaitingIdiom& it, const std::string& head, WaitingAssembler& a) {
  if (it.kind >= Kind::comes_back) return assemble_keeping_loop(it, head, a);
  const int x = it.cell;
  const int y = it.other_cell;
  if (it.kind == Kind::cas_load) a.load(0, x);
  a.label(head);
  if (it.clears && it.kind != Kind::cas_load) a.clear(2);
  switch (it.kind) {
    case Kind::wait: a.load(0, x).if_unequal(0, it.value, head); break;
    case Kind::wait_while: a.load(0, x).if_equal(0, it.value, head); break;
    case Kind::wait_for_two:
      a.load(0, x).if_unequal(0, it.value, head).load(1, y).if_unequal(1, it.other_value, head);
      break;
    case Kind::tas_section: a.exchange(0, x, 1).if_unequal(0, 0, head).load(4, y).store(0, x); return;
    case Kind::ttas_section:
      a.load(0, x).if_unequal(0, 0, head).exchange(0, x, 1).if_unequal(0, 0, head).load(4, y).store(0, x);
      return;
    case Kind::cas_reload:
      a.load(0, x).copy(1, 0).set(2, it.value).compare_exchange(2, x, 1, 2).if_unequal(2, 1, head);
      return;
    case Kind::cas_load: a.set(1, it.value).set(2, 0).compare_load(2, x, 0, 1).if_unequal(2, 1, head); return;
    case Kind::read_twice: a.load(0, x).load(1, y).load(2, x).if_different(0, 2, head); break;
    case Kind::transient_add:
      a.fetch_add(0, x, 1).set(1, 0).fetch_add(1, x, -1).load(1, y).set(0, 0).if_unequal(1, it.value, head);
      return;
    case Kind::poll: a.lock(0).load(0, x).unlock(0).if_unequal(0, it.value, head); return;
    default:  // try_poll
      a.try_lock(0, 0).if_unequal(0, 1, head).load(1, y).unlock(0).if_unequal(1, it.value, head);
      return;
  }
  if (it.keeps) a.copy(it.kind == Kind::read_twice ? 4 : 3, it.kind == Kind::read_twice ? 1 : 0);
}

void assemble_idiom(const WaitingIdiom& it, const std::string& label, WaitingAssembler& a) {
  switch (it.kind) {
    case Kind::store: a.store(it.value, it.cell); break;
    case Kind::load: a.load(it.keeps ? 3 : 4, it.cell); break;
    case Kind::count:
      a.fetch_add(3, it.cell, 1).if_unequal(3, 2, label).store(0, it.cell).label(label);
      break;
    default: assemble_loop(it, label, a);
  }
  if (it.checks >= 0) a.check(3, it.checks);
}

class WaitingShrinker {
 public:
  WaitingShrinker(WaitingIdioms idioms, const std::function<bool(const WaitingIdioms&)>& fails)
      : idioms_(std::move(idioms)), fails_(fails) {}

  WaitingIdioms run() {
    while (drop_something() || simplify_something()) {
    }
    return idioms_;
  }

 private:
  bool accept(WaitingIdioms smaller) {
    if (!fails_(smaller)) return false;
    idioms_ = std::move(smaller);
    return true;
  }

  bool drop_something() {
    for (std::size_t i = idioms_.threads.size(); i-- > 0;) {
      WaitingIdioms smaller = idioms_;
      smaller.threads.erase(smaller.threads.begin() + static_cast<std::ptrdiff_t>(i));
      if (!smaller.threads.empty() && accept(std::move(smaller))) return true;
      for (std::size_t k = idioms_.threads[i].idioms.size(); k-- > 0;) {
        smaller = idioms_;
        std::vector<WaitingIdiom>& list = smaller.threads[i].idioms;
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(k));
        if (accept(std::move(smaller))) return true;
      }
    }
    return false;
  }

  bool simplify_something() {
    for (std::size_t i = 0; i < idioms_.threads.size(); ++i) {
      if (!idioms_.threads[i].clears && change([i](WaitingIdioms& it) { it.threads[i].clears = true; }))
        return true;
      for (std::size_t k = 0; k < idioms_.threads[i].idioms.size(); ++k) {
        if (simplify_idiom(i, k)) return true;
      }
    }
    return false;
  }

  bool simplify_idiom(std::size_t i, std::size_t k) {
    const WaitingIdiom now = idioms_.threads[i].idioms[k];
    auto with = [&](auto&& change_it) {
      return change([&](WaitingIdioms& it) { change_it(it.threads[i].idioms[k]); });
    };
    return (now.checks >= 0 && with([](WaitingIdiom& it) { it.checks = -1; })) ||
           (!now.clears && with([](WaitingIdiom& it) { it.clears = true; })) ||
           (now.keeps && with([](WaitingIdiom& it) { it.keeps = false; })) ||
           (now.value > 0 && with([](WaitingIdiom& it) { --it.value; })) ||
           (now.other_value > 0 && with([](WaitingIdiom& it) { --it.other_value; })) ||
           (now.other_cell > 0 && with([](WaitingIdiom& it) { --it.other_cell; })) ||
           (now.kind != Kind::store && now.kind != Kind::load &&
            (with([](WaitingIdiom& it) { it.kind = Kind::load; }) ||
             with([](WaitingIdiom& it) { it.kind = Kind::store; })));
  }

  bool change(const std::function<void(WaitingIdioms&)>& how) {
    WaitingIdioms smaller = idioms_;
    how(smaller);
    return accept(std::move(smaller));
  }

  WaitingIdioms idioms_;
  const std::function<bool(const WaitingIdioms&)>& fails_;
};

}  // namespace

WaitingIdioms random_waiting(std::uint64_t seed, WaitingFamily family) {
  return WaitingGenerator(seed, family).program();
}

WaitingCode assemble(const WaitingIdioms& idioms, std::string name) {
  WaitingCode code;
  code.name = std::move(name);
  for (const WaitingIdioms::Thread& thread : idioms.threads) {
    WaitingAssembler a;
    for (std::size_t i = 0; i < thread.idioms.size(); ++i)
      assemble_idiom(thread.idioms[i], std::to_string(i), a);
    if (thread.clears) a.clear(2);
    code.threads.push_back(a.code(true));
  }
  return code;
}

WaitingIdioms shrink_waiting(WaitingIdioms idioms, const std::function<bool(const WaitingIdioms&)>& fails) {
  return WaitingShrinker(std::move(idioms), fails).run();
}

}  // namespace thrum
