// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boolprog/encoding.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "support/check.hpp"

namespace thrum::bp {

namespace {

using Kind = Instruction::Kind;

// How many bits the numbers from 0 to `largest` need.
std::uint32_t bits_for(std::uint32_t largest) { return static_cast<std::uint32_t>(std::bit_width(largest)); }

std::uint32_t choices_in(const Expression& expression) {
  bool is_choice =
      expression.kind == Expression::Kind::nondeterministic || expression.kind == Expression::Kind::choose;
  std::uint32_t count = is_choice ? 1 : 0;
  for (const Expression& operand : expression.operands) count += choices_in(operand);
  return count;
}

// The numbers of the bits that a statement names.
using Edge = std::vector<std::uint32_t>;

std::uint64_t span_of(const std::vector<Edge>& edges, const std::vector<double>& place) {
  double all = 0;
  for (const Edge& edge : edges) {
    auto [low, high] = std::minmax_element(
        edge.begin(), edge.end(), [&](std::uint32_t a, std::uint32_t b) { return place[a] < place[b]; });
    all += place[*high] - place[*low];
  }
  return static_cast<std::uint64_t>(all);
}

// An order in which the bits of each edge are near each other. Each round moves each bit to the mean of the
// middles of its edges. The result is the best order of all rounds.
std::vector<std::uint32_t> order_by_force(std::uint32_t count, const std::vector<Edge>& edges) {
  constexpr int kRounds = 40;
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::vector<std::uint32_t> best = order;
  std::vector<double> place(count);
  std::uint64_t best_span = ~std::uint64_t{0};
  for (int round = 0; round < kRounds; ++round) {
    for (std::uint32_t i = 0; i < count; ++i) place[order[i]] = i;
    if (std::uint64_t span = span_of(edges, place); span < best_span) {
      best_span = span;
      best = order;
    }
    std::vector<double> sum(count, 0);
    std::vector<double> degree(count, 0);
    for (const Edge& edge : edges) {
      double middle = 0;
      for (std::uint32_t bit : edge) middle += place[bit];
      middle /= static_cast<double>(edge.size());
      for (std::uint32_t bit : edge) {
        sum[bit] += middle;
        degree[bit] += 1;
      }
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      if (degree[i] > 0) place[i] = sum[i] / degree[i];
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return place[a] < place[b]; });
  }
  return best;
}

std::uint32_t choices_in(const std::vector<Expression>& expressions) {
  std::uint32_t count = 0;
  for (const Expression& one : expressions) count += choices_in(one);
  return count;
}

}  // namespace

Encoding::Encoding(const Flow& flow, std::uint32_t boundaries, std::uint32_t slots, std::uint32_t threads,
                   const std::vector<std::uint32_t>& order)
    : flow_(flow),
      boundaries_(boundaries),
      slots_(flow.uses(Kind::start_thread) ? slots : 0),
      threads_(threads),
      place_bits_(bits_for(static_cast<std::uint32_t>(flow.code.size()) + 1)) {
  thread_bits_ = bits_for(slots_);
  place_locals();
  place_starts();
  place_globals();
  for (const Procedure& one : flow.procedures) {
    results_ = std::max(results_, one.results);
    choices_ = std::max(choices_, choices_in(one.enforce));
  }
  for (const Instruction& one : flow.code) {
    std::uint32_t count = choices_in(one.values) + (one.constraint ? choices_in(*one.constraint) : 0);
    choices_ = std::max(choices_, count);
  }
  place_variables(order.empty() ? order_by_force(globals_ + locals_, edges()) : order);
  variables_ = first_result_ + 2 * results_ + choices_ + place_bits_ * threads_;
}

// The bits that an instruction names. A branch also has an edge with each assignment that it may jump over.
std::vector<std::vector<std::uint32_t>> Encoding::edges() const {
  constexpr std::size_t kMost =
      11;  // a longer list reads and assigns bits that are mostly unrelated to each other
  constexpr Pc kFar = 16;
  std::vector<Edge> all;
  auto add = [&](const Edge& edge) {
    if (edge.size() > 1 && edge.size() <= kMost) all.push_back(edge);
  };
  auto name = [&](Edge& edge, Variable variable, std::uint32_t procedure) {
    Bits own = bits(variable, procedure);
    for (std::uint32_t i = 0; i < own.count; ++i)
      edge.push_back((variable.is_global ? 0 : globals_) + own.first + i);
  };
  for (Pc pc = 0; pc < flow_.code.size(); ++pc) {
    const Instruction& one = flow_.code[pc];
    Edge edge;
    std::function<void(const Expression&)> read = [&](const Expression& expression) {
      bool named = expression.kind == Expression::Kind::variable || expression.kind == Expression::Kind::next;
      if (named) name(edge, expression.variable, one.procedure);
      for (const Expression& operand : expression.operands) read(operand);
    };
    for (const Expression& value : one.values) read(value);
    if (one.constraint) read(*one.constraint);
    if (one.kind == Kind::branch && !edge.empty()) {
      Pc end = std::min(std::max(one.next[0], one.next[1]), pc + kFar);
      for (Pc decided = pc + 1; decided < end; ++decided) {
        Edge with = edge;
        const Instruction& other = flow_.code[decided];
        for (Variable target : other.targets) name(with, target, other.procedure);
        if (with.size() > edge.size()) add(with);
      }
    }
    for (Variable target : one.targets) name(edge, target, one.procedure);
    if (one.kind == Kind::call) {
      for (std::uint32_t i = 0; i < flow_.procedures[one.callee].parameters; ++i)
        name(edge, {false, i}, one.callee);
    }
    add(edge);
  }
  return all;
}

void Encoding::place_variables(const std::vector<std::uint32_t>& order) {
  THRUM_CHECK(order.size() == globals_ + locals_);
  first_variable_.resize(order.size());
  std::uint32_t at = 0;
  for (std::uint32_t bit : order) {
    first_variable_[bit] = at;
    at += copies(bit);
  }
  first_result_ = at;
}

std::vector<std::pair<int, int>> Encoding::blocks() const {
  std::vector<std::pair<int, int>> all;
  for (std::uint32_t bit = 0; bit < first_variable_.size(); ++bit) {
    all.emplace_back(first_variable_[bit], first_variable_[bit] + copies(bit) - 1);
  }
  return all;
}

void Encoding::place_locals() {
  for (const Procedure& procedure : flow_.procedures) {
    std::uint32_t bits = 0;
    for (std::uint32_t i = 0; i < procedure.parameters; ++i)
      bits += procedure.locals[i].is_thread ? thread_bits_ : 1;
    parameter_bits_.push_back(bits);
    parameters_ = std::max(parameters_, bits);
  }
  locals_ = parameters_;
  for (const Procedure& procedure : flow_.procedures) {
    first_other_.push_back(locals_);
    if (procedure.frame_of) {
      local_bits_.push_back(local_bits_[*procedure.frame_of]);
      continue;
    }
    std::vector<Bits> all;
    std::uint32_t parameter = 0;
    for (const Declaration& one : procedure.locals) {
      std::uint32_t& at = all.size() < procedure.parameters ? parameter : locals_;
      all.push_back({at, one.is_thread ? thread_bits_ : 1});
      at += all.back().count;
    }
    local_bits_.push_back(std::move(all));
  }
}

void Encoding::place_starts() {
  for (const Instruction& one : flow_.code) {
    if (one.kind != Kind::start_thread) continue;
    std::uint32_t all = 0;
    for (Bits bits : local_bits_[one.callee]) all += bits.count;
    Start start{one.entry, one.callee, one.copies_locals ? all : parameter_bits_[one.callee]};
    bool known = std::any_of(starts_.begin(), starts_.end(), [&](const Start& other) {
      return other.entry == start.entry && other.held == start.held;
    });
    if (known) continue;
    starts_.push_back(start);
    held_bits_ = std::max(held_bits_, start.held);
  }
  if (!starts_.empty()) code_bits_ = bits_for(kFirstStart + static_cast<std::uint32_t>(starts_.size()) - 1);
}

std::uint32_t Encoding::start_of(const Instruction& instruction) const {
  std::uint32_t all = 0;
  for (Bits bits : local_bits_[instruction.callee]) all += bits.count;
  std::uint32_t held = instruction.copies_locals ? all : parameter_bits_[instruction.callee];
  for (std::uint32_t i = 0; i < starts_.size(); ++i) {
    if (starts_[i].entry == instruction.entry && starts_[i].held == held) return i;
  }
  THRUM_CHECK(false && "every start is known");
}

void Encoding::place_globals() {
  for (const Declaration& one : flow_.globals) {
    global_bits_.push_back({globals_, one.is_thread ? thread_bits_ : 1});
    globals_ += global_bits_.back().count;
  }
  if (flow_.uses(Kind::atomic_begin)) atomic_ = globals_++;
  if (flow_.uses(Kind::wait)) {
    waits_ = globals_++;
    first_waiting_ = globals_;
    globals_ += static_cast<std::uint32_t>(flow_.threads.size()) + slots_;
  }
  slots_end_ = flow_.uses(Kind::join);
  if (slots_end_) ended_ = globals_++;
  if (slots_ == 0) return;
  first_slot_ = globals_;
  globals_ += slots_ * (code_bits_ + (slots_end_ ? 1 : 0) + held_bits_);
}

std::optional<std::uint32_t> Encoding::waiting(std::uint32_t thread) const {
  if (!first_waiting_) return {};
  return *first_waiting_ + thread;
}

std::uint32_t Encoding::slot_at(std::uint32_t slot) const {
  return *first_slot_ + (slot - 1) * (code_bits_ + (slots_end_ ? 1 : 0) + held_bits_);
}

std::optional<std::uint32_t> Encoding::slot_ended(std::uint32_t slot) const {
  if (!slots_end_) return {};
  return slot_at(slot) + code_bits_;
}

Bits Encoding::slot_held(std::uint32_t slot) const {
  return {slot_at(slot) + code_bits_ + (slots_end_ ? 1 : 0), held_bits_};
}

}  // namespace thrum::bp
