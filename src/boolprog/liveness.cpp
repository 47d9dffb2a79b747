// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boolprog/liveness.hpp"

namespace thrum::bp {

namespace {

using Live = std::vector<bool>;

void read(const Expression& expression, Live& live) {
  bool named = expression.kind == Expression::Kind::variable || expression.kind == Expression::Kind::next;
  if (named && !expression.variable.is_global) live[expression.variable.index] = true;
  for (const Expression& operand : expression.operands) read(operand, live);
}

// The locals that are live before the instruction.
Live before(const Flow& flow, const Instruction& one, const std::vector<Live>& all) {
  Live live(flow.procedures[one.procedure].locals.size(), false);
  auto add = [&](const Live& other) {
    for (std::size_t i = 0; i < live.size(); ++i) {
      if (other[i]) live[i] = true;
    }
  };
  for (Pc next : one.next) add(all[next]);
  if (one.kind == Instruction::Kind::join) {
    if (!one.targets[0].is_global) live[one.targets[0].index] = true;
  } else {
    for (Variable target : one.targets) {
      if (!target.is_global) live[target.index] = false;
    }
  }
  if (one.copies_locals) add(all[one.entry]);
  for (const Expression& value : one.values) read(value, live);
  // If x is not assigned, 'x in the constraint is x.
  if (one.constraint) read(*one.constraint, live);
  for (const Expression& condition : flow.procedures[one.procedure].enforce) read(condition, live);
  return live;
}

}  // namespace

std::vector<Live> live_locals(const Flow& flow) {
  std::vector<Live> all;
  for (const Instruction& one : flow.code)
    all.emplace_back(flow.procedures[one.procedure].locals.size(), false);
  all.emplace_back();
  for (bool changes = true; changes;) {
    changes = false;
    for (Pc pc = static_cast<Pc>(flow.code.size()); pc-- > 0;) {
      Live live = before(flow, flow.code[pc], all);
      if (live == all[pc]) continue;
      all[pc] = std::move(live);
      changes = true;
    }
  }
  return all;
}

}  // namespace thrum::bp
