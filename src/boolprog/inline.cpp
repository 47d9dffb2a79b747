// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boolprog/inline.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace thrum::bp {

namespace {

using Kind = Instruction::Kind;

struct TooLarge {};

class Inliner {
 public:
  Inliner(const Flow& flow, std::size_t code_max) : flow_(flow), code_max_(code_max) {
    result_.globals = flow.globals;
    result_.atomic_globals = flow.atomic_globals;
  }

  std::optional<Flow> run() {
    if (flow_.shares_code) return {};
    try {
      for (std::uint32_t thread : flow_.threads)
        result_.threads.push_back(root({thread, first_of(thread), false}));
      if (flow_.init) result_.init = root({*flow_.init, first_of(*flow_.init), false});
      // write() may find further roots.
      for (std::size_t i = 0; i < roots_.size(); ++i) write(i);
    } catch (const TooLarge&) {
      return {};
    }
    for (auto [pc, root] : starts_) {
      result_.code[pc].callee = root;
      result_.code[pc].entry = result_.procedures[root].entry;
    }
    return std::move(result_);
  }

 private:
  // The procedure and the place at which threads begin.
  struct Root {
    std::uint32_t procedure;
    Pc entry;
    bool takes_locals;  // the parent passes on all locals
    friend auto operator<=>(const Root&, const Root&) = default;
  };
  // A copy of a procedure's code that replaces a call.
  struct Copy {
    std::uint32_t procedure;
    std::uint32_t offset;  // of its locals in the frame
    Pc return_to = 0;
    std::vector<Variable> targets{};
    bool is_root = false;
  };

  Pc first_of(std::uint32_t procedure) const { return flow_.procedures[procedure].entry; }
  Pc end_of(std::uint32_t procedure) const {
    return procedure + 1 < flow_.procedures.size() ? first_of(procedure + 1)
                                                   : static_cast<Pc>(flow_.code.size());
  }

  // The number of the root's procedure in the result.
  std::uint32_t root(const Root& root) {
    auto [place, is_new] =
        root_numbers_.try_emplace(root, static_cast<std::uint32_t>(result_.procedures.size()));
    if (!is_new) return place->second;
    Procedure procedure;
    procedure.name = flow_.procedures[root.procedure].name;
    const Procedure& from = flow_.procedures[root.procedure];
    procedure.parameters =
        root.takes_locals ? static_cast<std::uint32_t>(from.locals.size()) : from.parameters;
    result_.procedures.push_back(std::move(procedure));
    roots_.push_back(root);
    return place->second;
  }

  void write(std::size_t number) {
    Root root = roots_[number];
    frame_.clear();
    instances_.clear();
    std::uint32_t procedure = root_numbers_[root];
    instances_.push_back(procedure);
    Pc begin = copy({root.procedure, 0, 0, {}, true}, procedure);
    result_.procedures[procedure].entry = begin + (root.entry - first_of(root.procedure));
    for (std::uint32_t instance : instances_) result_.procedures[instance].locals = frame_;
  }

  Pc copy(const Copy& one, std::uint32_t instance) {
    if (!active_.insert(one.procedure).second) throw TooLarge{};  // it calls itself
    const Procedure& from = flow_.procedures[one.procedure];
    Pc first = first_of(one.procedure);
    Pc end = end_of(one.procedure);
    auto begin = static_cast<Pc>(result_.code.size());
    if (begin + (end - first) > code_max_) throw TooLarge{};
    for (std::size_t i = frame_.size(); i < one.offset + from.locals.size(); ++i) frame_.emplace_back();
    for (std::uint32_t i = 0; i < from.locals.size(); ++i) {
      // One frame may hold a thread at a position where a later frame holds a truth value.
      Declaration& declared = frame_[one.offset + i];
      if (!declared.name.text.empty() && declared.is_thread != from.locals[i].is_thread) throw TooLarge{};
      declared = from.locals[i];
    }
    for (const Expression& condition : from.enforce) {
      result_.procedures[instance].enforce.push_back(moved(condition, one.offset));
    }
    for (Pc pc = first; pc < end; ++pc) {
      Instruction copied = instruction(flow_.code[pc], one, instance, first, begin);
      copied.source = pc;
      result_.code.push_back(std::move(copied));
    }
    for (Pc pc = first; pc < end; ++pc) {
      if (flow_.code[pc].kind == Kind::call) call(flow_.code[pc], one, begin + (pc - first));
    }
    active_.erase(one.procedure);
    return begin;
  }

  Instruction instruction(const Instruction& from, const Copy& one, std::uint32_t instance, Pc first,
                          Pc begin) {
    Instruction result = from;
    result.procedure = instance;
    for (Variable& target : result.targets) target = moved(target, one.offset);
    for (Expression& value : result.values) value = moved(value, one.offset);
    if (result.constraint) result.constraint = moved(*result.constraint, one.offset);
    for (Pc& next : result.next) next = begin + (next - first);
    if (from.kind == Kind::start_thread) {
      if (from.copies_locals) {
        const auto& locals = flow_.procedures[from.callee].locals;
        for (std::uint32_t i = 0; i < locals.size(); ++i) {
          result.values.push_back({.kind = Expression::Kind::variable, .variable = {false, one.offset + i}});
        }
        result.copies_locals = false;
      }
      starts_.emplace_back(static_cast<Pc>(result_.code.size()),
                           root({from.callee, from.entry, from.copies_locals}));
    }
    if (from.kind == Kind::give_back && !one.is_root) give_back(result, one);
    return result;
  }

  // The return also resets the locals of the procedure, whose values no longer matter.
  void give_back(Instruction& result, const Copy& one) const {
    result.kind = Kind::assign;
    result.values.resize(one.targets.size());
    result.targets = one.targets;
    for (std::uint32_t i = 0; i < flow_.procedures[one.procedure].locals.size(); ++i) {
      Variable local{false, one.offset + i};
      result.targets.push_back(local);
      result.values.push_back({.kind = Expression::Kind::constant});
    }
    result.next = {one.return_to};
  }

  // at: the place of the call in the result, where its targets and values are already renamed.
  void call(const Instruction& from, const Copy& one, Pc at) {
    const Procedure& callee = flow_.procedures[from.callee];
    Copy inner{from.callee,
               one.offset + static_cast<std::uint32_t>(flow_.procedures[one.procedure].locals.size()),
               result_.code[at].next[0], result_.code[at].targets};
    auto instance = static_cast<std::uint32_t>(result_.procedures.size());
    result_.procedures.push_back({.name = callee.name, .frame_of = instances_.front()});
    instances_.push_back(instance);
    Pc entry = copy(inner, instance);
    Instruction& result = result_.code[at];
    result.kind = Kind::assign;
    result.targets.clear();
    for (std::uint32_t i = 0; i < callee.locals.size(); ++i) {
      result.targets.push_back({false, inner.offset + i});
      if (i < callee.parameters) continue;
      auto any = callee.locals[i].is_thread ? Expression::Kind::constant : Expression::Kind::nondeterministic;
      result.values.push_back({.kind = any});
    }
    result.next = {entry};
  }

  static Variable moved(Variable variable, std::uint32_t offset) {
    return variable.is_global ? variable : Variable{false, variable.index + offset};
  }
  static Expression moved(Expression expression, std::uint32_t offset) {
    expression.variable = moved(expression.variable, offset);
    for (Expression& operand : expression.operands) operand = moved(std::move(operand), offset);
    return expression;
  }

  const Flow& flow_;
  std::size_t code_max_;
  Flow result_;
  std::vector<Root> roots_;
  std::map<Root, std::uint32_t> root_numbers_;
  std::vector<std::pair<Pc, std::uint32_t>> starts_;
  std::set<std::uint32_t> active_;        // procedures whose code is being copied
  std::vector<Declaration> frame_;        // of the root that is being written
  std::vector<std::uint32_t> instances_;  // the root's procedures
};

}  // namespace

std::optional<Flow> without_calls(const Flow& flow, std::size_t code_max) {
  return Inliner(flow, code_max).run();
}

}  // namespace thrum::bp
