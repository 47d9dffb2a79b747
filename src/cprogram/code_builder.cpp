// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cprogram/code_builder.hpp"

#include <algorithm>
#include <utility>

namespace thrum::cprogram {

using Kind = bp::Statement::Kind;

void CodeBuilder::emit(bp::Statement statement) {
  statement.where = where_;
  statement.labels.insert(statement.labels.begin(), labels_.begin(), labels_.end());
  labels_.clear();
  block_->push_back(std::move(statement));
}

void CodeBuilder::emit(Kind kind) { emit(bp::Statement{.kind = kind}); }

void CodeBuilder::assign(const std::vector<std::string>& targets, Bits values) {
  if (targets.empty()) return;
  bp::Statement statement{.kind = Kind::assign};
  for (const std::string& target : targets) statement.targets.push_back({target, where_});
  statement.values = std::move(values);
  emit(std::move(statement));
}

void CodeBuilder::assertion(Bit holds) {
  bp::Statement statement{.kind = Kind::assertion};
  statement.values.push_back(std::move(holds));
  emit(std::move(statement));
}

void CodeBuilder::assume(Bit holds) {
  bp::Statement statement{.kind = Kind::assume};
  statement.values.push_back(std::move(holds));
  emit(std::move(statement));
}

void CodeBuilder::go_to(const std::string& label) {
  bp::Statement statement{.kind = Kind::go_to};
  statement.names.push_back({label, where_});
  emit(std::move(statement));
}

void CodeBuilder::choice(Bit condition, bp::Block yes, bp::Block no) {
  if (yes.empty() && no.empty()) return;
  if (yes.empty()) {
    condition = !std::move(condition);
    std::swap(yes, no);
  }
  bp::Statement statement{.kind = Kind::choice};
  statement.has_otherwise = !no.empty();
  statement.arms.push_back({std::move(condition), std::move(yes)});
  statement.otherwise = std::move(no);
  emit(std::move(statement));
}

bp::Block CodeBuilder::nested(const std::function<void()>& make) {
  bp::Block made;
  bp::Block* outer = std::exchange(block_, &made);
  std::vector<bp::Name> labels = std::exchange(labels_, {});
  bp::Position where = where_;
  make();
  if (!labels_.empty()) emit(Kind::skip);
  block_ = outer;
  labels_ = std::move(labels);
  where_ = where;
  return made;
}

void CodeBuilder::append(bp::Block block) {
  for (bp::Statement& one : block) {
    one.labels.insert(one.labels.begin(), labels_.begin(), labels_.end());
    labels_.clear();
    block_->push_back(std::move(one));
  }
}

Bits CodeBuilder::fresh(std::size_t count) {
  Bits result;
  for (std::size_t i = 0; i < count; ++i) {
    std::set<std::string>& free = free_[i];
    if (free.empty()) {
      std::string name = "_$" + std::to_string(temporaries_[i]++) + '$' + std::to_string(i);
      function_.locals.push_back({{name, where_}});
      free.insert(name);
    }
    result.push_back(variable(*free.begin()));
    scopes_.back().insert(*free.begin());
    free.erase(free.begin());
  }
  return result;
}

Bits CodeBuilder::store(Bits values) {
  Bits result = fresh(values.size());
  assign(names_of(result), std::move(values));
  return result;
}

void CodeBuilder::give_up(const Bits& unused) {
  for (const Bit& bit : unused) scopes_.back().erase(bit.name);
  release(unused);
}

void CodeBuilder::release(const Bits& stored) {
  for (const Bit& bit : stored) free_[place_of(bit.name)].insert(bit.name);
}

std::optional<bp::Statement> CodeBuilder::closed_scope() {
  std::set<std::string> used = std::move(scopes_.back());
  scopes_.pop_back();
  for (const std::string& name : used) free_[place_of(name)].insert(name);
  if (used.empty()) return std::nullopt;
  bp::Statement statement{.kind = Kind::assign, .where = where_};
  for (const std::string& name : used) {
    statement.targets.push_back({name, where_});
    statement.values.push_back(constant(false));
  }
  return statement;
}

void CodeBuilder::end_scope() {
  std::optional<bp::Statement> resets = closed_scope();
  if (!resets) return;
  bool joins_last = labels_.empty() && !block_->empty() && block_->back().kind == Kind::assign &&
                    !block_->back().constraint;
  if (!joins_last) return emit(std::move(*resets));
  bp::Statement& last = block_->back();
  for (const bp::Name& target : resets->targets) {
    auto same = std::find_if(last.targets.begin(), last.targets.end(),
                             [&](const bp::Name& name) { return name.text == target.text; });
    if (same != last.targets.end()) {
      last.values[static_cast<std::size_t>(same - last.targets.begin())] = constant(false);
    } else {
      last.targets.push_back(target);
      last.values.push_back(constant(false));
    }
  }
}

std::size_t place_of(const std::string& name) {
  std::size_t dollar = name.rfind('$');
  bool numbered = dollar != std::string::npos && dollar + 1 < name.size() &&
                  name.find_first_not_of("0123456789", dollar + 1) == std::string::npos;
  return numbered ? std::stoul(name.substr(dollar + 1)) : 0;
}

void interleave(std::vector<bp::Declaration>& declarations) {
  std::stable_sort(declarations.begin(), declarations.end(),
                   [](const bp::Declaration& a, const bp::Declaration& b) {
                     return place_of(a.name.text) < place_of(b.name.text);
                   });
}

std::vector<std::string> names_of(const Bits& variables) {
  std::vector<std::string> result;
  for (const Bit& bit : variables) result.push_back(bit.name);
  return result;
}

Bits variables_of(const std::vector<std::string>& names) {
  Bits result;
  for (const std::string& name : names) result.push_back(variable(name));
  return result;
}

}  // namespace thrum::cprogram
