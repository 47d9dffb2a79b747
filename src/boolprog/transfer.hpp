// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of the symbolic pushdown system that a boolean program is: for each instruction the relation
// between what a thread sees before and behind it, as a diagram (encoding.hpp says over which variables).
//
// Sets that rules are applied to may depend on further variables, such as copies at entry and at boundaries;
// those pass through. Of locals that are not live (liveness.hpp) they say nothing: there they hold anything.
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

// Changes bits of what is now; the others stay.
class Update {
 public:
  // relation: between now and the next copies of the changed bits. changed: {now, next} of each. dead: bits
  // now that may then be anything.
  Update(Bdd relation, const std::vector<std::pair<int, int>>& changed, const std::vector<int>& dead);
  Bdd operator()(const Bdd& set) const { return back_(quantified_.exists(set, relation_)); }
  // What may become a member of `set`.
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

  // A place that a thread that has ended stands at.
  Pc dead() const { return static_cast<Pc>(encoding_.flow().code.size()); }

  // Steps within a frame.
  const std::vector<Move>& moves(Pc pc) const { return rules_[pc].moves; }
  bool is_call(Pc pc) const { return kind(pc) == Instruction::Kind::call; }
  bool is_give_back(Pc pc) const { return kind(pc) == Instruction::Kind::give_back; }

  // A call: `set` with the callee's parameters as next locals. "Called" sets are over those and the globals
  // now. Of the caller's locals they keep those that matter behind the return.
  Bdd called(Pc pc, const Bdd& set) const { return rules_[pc].lost->exists(set, rules_[pc].relation); }
  const std::vector<bool>& kept_over(Pc call) const { return rules_[call].kept; }  // bits of locals
  bool is_live(Pc pc, std::uint32_t local) const { return live_[pc][local]; }
  // Of a called set, what the callee sees at its entry: as entry copies,
  Bdd entered(const Bdd& called) const;       // and nothing else
  Bdd entered_from(const Bdd& called) const;  // and the boundaries
  // The states at the entry of a procedure for entry copies.
  Bdd at_entry(std::uint32_t procedure, const Bdd& entries) const;
  // A return: globals behind it and results, over the callee's entry copies, in the form that `resumed`
  // takes.
  Bdd returned(Pc pc, const Bdd& set) const;
  // The caller behind the return. called: before the call; returned: as above.
  Bdd resumed(Pc call, const Bdd& called, const Bdd& returned) const;
  // A thread returns from its first procedure.
  Bdd ended(Pc pc, const Bdd& set) const;

  // Read backwards, for pre*; a set is over the frame now and, as entry copies and exit results, over what
  // the frame will return with. What a frame at pc returns with at once; what callers see of a procedure that
  // does so from its entry; and the callers that come to be in `after`.
  Bdd returns_at(Pc pc) const;
  Bdd seen_by_callers(std::uint32_t procedure, const Bdd& at_entry) const;
  Bdd before_call(Pc call, const Bdd& returns, const Bdd& after) const;
  // The callers whose callee begins in `at_entry`.
  Bdd calls_into(Pc call, const Bdd& at_entry) const;

  // Read backwards, for traces: what of `set` may return, with the results; calls and returns that lead the
  // caller to `after`; states that may end at pc as `after`.
  Bdd returning(Pc pc, const Bdd& set) const { return set & rules_[pc].relation; }
  Bdd calling(Pc pc, const Bdd& set) const { return set & rules_[pc].relation; }  // all locals are kept
  Bdd resumed_to(Pc call, const Bdd& called, const Bdd& returned, const Bdd& after) const;
  Bdd ended_to(Pc pc, const Bdd& after) const;

  // Where what the search looks for is reached at pc.
  const Bdd& failing(Pc pc) const { return rules_[pc].failing; }

  // --- Contexts ---

  // Places where switches make a difference (switches.hpp); threads are numbered as in Encoding::waiting().
  const SwitchPlaces& switches(std::uint32_t thread) const {
    return switches_[std::min<std::size_t>(thread, switches_.size() - 1)];
  }
  // What globals there may be before anything runs.
  Bdd first_globals() const;
  // The locals with which a thread may begin: any, and no threads.
  Bdd first_locals(std::uint32_t procedure) const;
  // A context of the thread ends, or begins.
  Bdd context_ended(std::uint32_t thread, const Bdd& set) const { return ends_[thread](set); }
  // `init` has ended, and the program's threads begin.
  Bdd init_ended(const Bdd& set) const { return (*init_ended_)(set); }
  Bdd init_ended_to(const Bdd& after) const { return init_ended_->before(after); }
  Bdd context_ended_to(std::uint32_t thread, const Bdd& after) const { return ends_[thread].before(after); }
  Bdd context_begun(std::uint32_t thread, const Bdd& set) const { return begins_[thread](set); }
  // The first context of a slot begins: of its thread, if it is of this start.
  Bdd slot_begun(std::uint32_t slot, std::uint32_t start, const Bdd& set) const;

  // Projections.
  Bdd without_frame(const Bdd& set) const { return frame_.exists(set); }  // locals and entry copies
  Bdd without_locals(const Bdd& set) const { return locals_.exists(set); }
  Bdd now_as_boundary(std::uint32_t boundary, const Bdd& set) const { return to_boundary_[boundary](set); }
  Bdd now_is_boundary(std::uint32_t boundary) const { return is_boundary_[boundary]; }
  // A set over boundaries, without those that are not `kept`.
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
  // Bits of locals now that are not live at the place.
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
