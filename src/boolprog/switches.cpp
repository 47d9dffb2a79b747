// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boolprog/switches.hpp"

#include <algorithm>

namespace thrum::bp {

namespace {

using Kind = Instruction::Kind;

// The globals that are read and written.
struct Accesses {
  explicit Accesses(std::size_t globals) : read(globals, false), written(globals, false) {}

  void add(const Accesses& other) {
    for (std::size_t i = 0; i < read.size(); ++i) {
      if (other.read[i]) read[i] = true;
      if (other.written[i]) written[i] = true;
    }
  }
  void reads(const Expression& expression) {
    bool named = expression.kind == Expression::Kind::variable || expression.kind == Expression::Kind::next;
    if (named && expression.variable.is_global) read[expression.variable.index] = true;
    for (const Expression& operand : expression.operands) reads(operand);
  }
  void writes(const std::vector<Variable>& targets) {
    for (Variable target : targets) {
      if (target.is_global) written[target.index] = true;
    }
  }
  bool conflicts_with(const Accesses& other) const {
    for (std::size_t i = 0; i < read.size(); ++i) {
      if ((written[i] && (other.read[i] || other.written[i])) || (read[i] && other.written[i])) return true;
    }
    return false;
  }

  std::vector<bool> read;
  std::vector<bool> written;
};

class Switches {
 public:
  explicit Switches(const Flow& flow)
      : flow_(flow), places_(flow.code.size() + 1), calls_of_(flow.procedures.size()) {
    for (Pc pc = 0; pc < flow.code.size(); ++pc) {
      if (flow.code[pc].kind == Kind::call) calls_of_[flow.code[pc].callee].push_back(pc);
    }
    for (const Instruction& one : flow.code) accesses_.push_back(accesses_of(one));
  }

  std::vector<SwitchPlaces> run() const {
    std::vector<Accesses> threads;
    for (std::uint32_t procedure : flow_.threads)
      threads.push_back(reachable_from({flow_.procedures[procedure].entry}));
    std::vector<Pc> starts;
    for (const Instruction& one : flow_.code) {
      if (one.kind == Kind::start_thread) starts.push_back(one.entry);
    }
    Accesses started = reachable_from(starts);
    std::vector<SwitchPlaces> result;
    for (std::size_t thread = 0; thread <= threads.size(); ++thread) {
      Accesses others = started;
      for (std::size_t other = 0; other < threads.size(); ++other) {
        if (other != thread) others.add(threads[other]);
      }
      result.push_back(places_for(others));
    }
    return result;
  }

 private:
  // A return assigns the targets of the calls.
  Accesses accesses_of(const Instruction& one) const {
    Accesses result(flow_.globals.size());
    for (const Expression& value : one.values) result.reads(value);
    if (one.constraint) result.reads(*one.constraint);
    for (const Expression& condition : flow_.procedures[one.procedure].enforce) result.reads(condition);
    if (one.kind != Kind::call) result.writes(one.targets);
    if (one.kind == Kind::give_back) {
      for (Pc call : calls_of_[one.procedure]) result.writes(flow_.code[call].targets);
    }
    return result;
  }

  // The successors of a place, also through calls and returns, but not into threads that are started.
  std::vector<Pc> successors(Pc pc) const {
    const Instruction& one = flow_.code[pc];
    if (one.kind == Kind::call) return {flow_.procedures[one.callee].entry};
    if (one.kind == Kind::end_thread) return {dead()};
    if (one.kind != Kind::give_back) return one.next;
    std::vector<Pc> result{dead()};
    for (Pc call : calls_of_[one.procedure]) result.push_back(flow_.code[call].next[0]);
    return result;
  }

  Accesses reachable_from(std::vector<Pc> work) const {
    Accesses result(flow_.globals.size());
    std::vector<bool> seen(places_, false);
    while (!work.empty()) {
      Pc pc = work.back();
      work.pop_back();
      if (pc == dead() || seen[pc]) continue;
      seen[pc] = true;
      result.add(accesses_[pc]);
      for (Pc next : successors(pc)) work.push_back(next);
    }
    return result;
  }

  bool is_shared(Pc pc, const Accesses& others) const {
    switch (flow_.code[pc].kind) {
      case Kind::start_thread:
      case Kind::end_thread:
      case Kind::join:
      case Kind::atomic_begin:
      case Kind::atomic_end:
      case Kind::wait:
      case Kind::broadcast: return true;
      case Kind::give_back:
        // The return may end the thread.
        if (flow_.uses(Kind::join) || flow_.uses(Kind::atomic_begin)) return true;
        break;
      default: break;
    }
    for (std::uint32_t global : flow_.atomic_globals) {
      if (accesses_[pc].read[global] || accesses_[pc].written[global]) return true;
    }
    return accesses_[pc].conflicts_with(others);
  }

  SwitchPlaces places_for(const Accesses& others) const {
    // A thread that waits cannot take any step, not even one that is not shared. If procedures share code, a
    // return may also assign the targets of their calls.
    bool all = flow_.uses(Kind::wait) || flow_.shares_code;
    SwitchPlaces result{std::vector<bool>(places_, all), std::vector<bool>(places_, all)};
    result.ends[dead()] = true;
    for (Pc pc = 0; !all && pc < dead(); ++pc) {
      if (!is_shared(pc, others)) continue;
      result.begins[pc] = true;
      result.ends[pc] = true;
      for (Pc next : successors(pc)) result.ends[next] = true;
    }
    return result;
  }

  Pc dead() const { return static_cast<Pc>(flow_.code.size()); }

  const Flow& flow_;
  std::size_t places_;
  std::vector<std::vector<Pc>> calls_of_;  // by procedure
  std::vector<Accesses> accesses_;         // by place
};

}  // namespace

std::vector<SwitchPlaces> switch_places(const Flow& flow) { return Switches(flow).run(); }

}  // namespace thrum::bp
