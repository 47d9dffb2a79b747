// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of a boolean program as a symbolic pushdown system: for each instruction, the relation between
// the valuations before and after it, as a BDD (over the variables of encoding.hpp).
//
// The sets that rules are applied to may depend on further variables, such as the copies at entry and at
// boundaries. Rules leave these unchanged. The sets do not constrain locals that are not live (liveness.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "boolprog/encoding.hpp"
#include "boolprog/interpreter.hpp"
#include "boolprog/liveness.hpp"
#include "boolprog/switches.hpp"

namespace thrum::bp {

// Changes some bits now; the other bits keep their values.
class Update {
 public:
  // relation: between the bits now and the next copies of the changed bits. changed: {now, next} of each.
  // dead: bits now that are arbitrary afterwards.
  Update(Bdd relation, const std::vector<std::pair<int, int>>& changed, const std::vector<int>& dead);
  Bdd operator()(const Bdd& set) const { return back_(quantified_.exists(set, relation_)); }
  // The preimage of `set`.
  Bdd before(const Bdd& set) const { return next_.exists(relation_, forth_(dead_.exists(set))); }

 private:
  Bdd relation_;
  Cube quantified_;
  Cube next_;
  Cube dead_;
  Renaming back_;
  Renaming forth_;
};

struct Move {
  Pc to;
  Update update;
};

class Transfer {
 public:
  Transfer(const Encoding& encoding, const Goal& goal);

  const Encoding& encoding() const { return encoding_; }

  // The place of a thread that has ended.
  Pc dead() const { return static_cast<Pc>(encoding_.flow().code.size()); }

  // Steps within a frame.
  const std::vector<Move>& moves(Pc pc) const { return rules_[pc].moves; }
  bool is_call(Pc pc) const { return kind(pc) == Instruction::Kind::call; }
  bool is_give_back(Pc pc) const { return kind(pc) == Instruction::Kind::give_back; }

  // A call: `set` with the callee's parameters as next locals. The result, a "called" set, is over these and
  // the globals now. It keeps those locals of the caller that matter after the return.
  Bdd called(Pc pc, const Bdd& set) const { return rules_[pc].lost->exists(set, rules_[pc].relation); }
  const std::vector<bool>& kept_over(Pc call) const { return rules_[call].kept; }  // bits of locals
  bool is_live(Pc pc, std::uint32_t local) const { return live_[pc][local]; }
  // What the callee of a called set sees at its entry:
  Bdd entered(const Bdd& called) const;       // over entry copies only
  Bdd entered_from(const Bdd& called) const;  // over entry copies and boundaries
  // The states at the entry of a procedure, from a set over entry copies.
  Bdd at_entry(std::uint32_t procedure, const Bdd& entries) const;
  // A return: the globals after it and the results, over the callee's entry copies, in the form that
  // `resumed` takes.
  Bdd returned(Pc pc, const Bdd& set) const;
  // The caller after the return. called: the calls; returned: the returns, as above.
  Bdd resumed(Pc call, const Bdd& called, const Bdd& returned) const;
  // A thread returns from its first procedure.
  Bdd ended(Pc pc, const Bdd& set) const;

  // The rules backwards, for pre*. Sets are over the frame now and over what it will return: globals as entry
  // copies, results as exit results. returns_at: frames that return at pc in one step. seen_by_callers: the
  // summary of a procedure, from such a set at its entry. before_call: callers that are in `after` when the
  // call has returned.
  Bdd returns_at(Pc pc) const;
  Bdd seen_by_callers(std::uint32_t procedure, const Bdd& at_entry) const;
  Bdd before_call(Pc call, const Bdd& returns, const Bdd& after) const;
  // Callers whose callee begins in `at_entry`.
  Bdd calls_into(Pc call, const Bdd& at_entry) const;

  // The rules backwards, for witnesses. returning: the states of `set` that may return, with the results.
  // resumed_to: calls and returns after which the caller is in `after`. ended_to: states that may end the
  // thread at pc, with the result `after`.
  Bdd returning(Pc pc, const Bdd& set) const { return set & rules_[pc].relation; }
  Bdd calling(Pc pc, const Bdd& set) const { return set & rules_[pc].relation; }  // all locals are kept
  Bdd resumed_to(Pc call, const Bdd& called, const Bdd& returned, const Bdd& after) const;
  Bdd ended_to(Pc pc, const Bdd& after) const;

  // The states at pc that reach the goal.
  const Bdd& failing(Pc pc) const { return rules_[pc].failing; }

  // --- Contexts ---

  // Places where a context switch makes a difference (switches.hpp). Threads are numbered as in
  // Encoding::waiting().
  const SwitchPlaces& switches(std::uint32_t thread) const {
    return switches_[std::min<std::size_t>(thread, switches_.size() - 1)];
  }
  // The possible globals before anything runs.
  Bdd first_globals() const;
  // The initial locals of a thread: arbitrary, except that variables for threads hold none.
  Bdd first_locals(std::uint32_t procedure) const;
  // A context of the thread ends; see context_begun() for its beginning.
  Bdd context_ended(std::uint32_t thread, const Bdd& set) const { return ends_[thread](set); }
  // `init` has ended, and the program's threads begin.
  Bdd init_ended(const Bdd& set) const { return (*init_ended_)(set); }
  Bdd init_ended_to(const Bdd& after) const { return init_ended_->before(after); }
  Bdd context_ended_to(std::uint32_t thread, const Bdd& after) const { return ends_[thread].before(after); }
  Bdd context_begun(std::uint32_t thread, const Bdd& set) const { return begins_[thread](set); }
  // The first context of a slot begins, if its thread has this start.
  Bdd slot_begun(std::uint32_t slot, std::uint32_t start, const Bdd& set) const;

  // Projections.
  Bdd without_frame(const Bdd& set) const { return frame_.exists(set); }  // locals and entry copies
  Bdd without_locals(const Bdd& set) const { return locals_.exists(set); }
  Bdd now_as_boundary(std::uint32_t boundary, const Bdd& set) const { return to_boundary_[boundary](set); }
  Bdd now_is_boundary(std::uint32_t boundary) const { return is_boundary_[boundary]; }
  // Projects a set onto the boundaries `kept`.
  Bdd onto_boundaries(const Bdd& set, const std::vector<std::uint32_t>& kept) const;
  // The same of a & b.
  Bdd onto_boundaries(const Bdd& a, const Bdd& b, const std::vector<std::uint32_t>& kept) const;

 private:
  Cube boundaries_without(const std::vector<std::uint32_t>& kept) const;
  struct Rule {
    std::vector<Move> moves{};
    Bdd relation{};  // call: parameters; return: results
    Bdd failing{};
    std::unique_ptr<Cube> lost{}, resumed{};
    std::vector<bool> kept{};
    std::unique_ptr<Renaming> results{}, results_back{};
  };
  struct Change {
    int now;
    int next;
    Bdd value;
  };

  Instruction::Kind kind(Pc pc) const;
  Bdd value(const Expression& expression, std::uint32_t procedure);
  Bdd allowed(std::uint32_t procedure);
  Bdd some_choice(const Bdd& set) const { return choices_.exists(set); }
  Bdd bit_of(Variable variable, std::uint32_t procedure, std::uint32_t i) const;
  Bdd is_number(Bits bits, std::uint32_t number) const;
  void set_global(std::vector<Change>& changes, std::uint32_t bit, const Bdd& value) const;
  void set_number(std::vector<Change>& changes, Bits bits, std::uint32_t number) const;
  void set_variable(std::vector<Change>& changes, Variable variable, std::uint32_t procedure,
                    const std::vector<Bdd>& value) const;
  Update update(const Bdd& guard, const std::vector<Change>& changes, const Bdd& constraint,
                const std::vector<int>& dead = {}) const;
  // The bits now of locals that are not live at the place.
  std::vector<int> dead_bits(Pc pc) const;
  void compile(Pc pc, const Goal& goal);
  void compile_assign(const Instruction& one, const Bdd& guard, Rule& rule);
  void compile_call(const Instruction& one, const Bdd& guard, Rule& rule);
  void compile_return(const Instruction& one, const Bdd& guard, Rule& rule);
  void compile_start(const Instruction& one, const Bdd& guard, Rule& rule);
  void compile_contexts();
  std::vector<Bdd> given(const Expression& value, bool is_thread, std::uint32_t procedure);

  const Encoding& encoding_;
  std::uint32_t choices_used_ = 0;
  Bdd yes_ = Bdd::constant(true);
  Cube choices_, frame_, locals_, entered_, entered_from_;
  std::unique_ptr<Renaming> to_entry_, to_called_;
  std::vector<std::vector<bool>> live_;
  std::vector<SwitchPlaces> switches_;
  std::vector<Bdd> allowed_;
  std::vector<Rule> rules_;
  std::vector<Update> ends_, begins_;
  Cube called_, returned_;
  std::unique_ptr<Renaming> as_returned_;
  std::unique_ptr<Update> ended_, init_ended_;
  std::vector<std::vector<Update>> slot_begins_;
  std::vector<Renaming> to_boundary_;
  std::vector<Bdd> is_boundary_;
};

}  // namespace thrum::bp
