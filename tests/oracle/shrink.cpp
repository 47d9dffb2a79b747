// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tries every single simplification in turn and keeps what still fails, until none does.
#include "oracle/shrink.hpp"

namespace thrum {

namespace {

bool names_thread(const Instruction& instruction) {
  return instruction.opcode == Opcode::create || instruction.opcode == Opcode::join;
}

// Without the thread, its creation and its joins; later threads move up.
ToyCode without_thread(const ToyCode& code, std::size_t gone) {
  ToyCode smaller;
  smaller.spurious = code.spurious;
  for (std::size_t i = 0; i < code.threads.size(); ++i) {
    if (i == gone) continue;
    std::vector<Instruction>& list = smaller.threads.emplace_back();
    for (Instruction instruction : code.threads[i]) {
      if (names_thread(instruction)) {
        if (instruction.operands[0] == gone) continue;
        if (instruction.operands[0] > gone) --instruction.operands[0];
      }
      list.push_back(instruction);
    }
  }
  return smaller;
}

// Something that does less, or is less special, in the instruction's place; nothing: there is no such thing.
std::optional<Instruction> simpler(const Instruction& instruction) {
  const auto [a, b, c, d] = instruction.operands;
  switch (instruction.opcode) {
    case Opcode::input: return Instruction{Opcode::sum, {a, 1}};
    case Opcode::subtract: return Instruction{Opcode::sum, {a, b}};
    case Opcode::below: return Instruction{Opcode::skip, {a, b, c}};
    case Opcode::load_at: return Instruction{Opcode::load, {0, b}};
    case Opcode::store_at: return Instruction{Opcode::store, {0, b}};
    default: return {};
  }
}

class Shrinker {
 public:
  Shrinker(ToyCode code, const std::function<bool(const ToyCode&)>& fails)
      : code_(std::move(code)), fails_(fails) {}

  ToyCode run() {
    while (shrink_wake_ups() || shrink_threads() || shrink_instructions() || shrink_operands() ||
           shrink_orders() || simplify_instructions()) {
    }
    return code_;
  }

 private:
  bool accept(const ToyCode& smaller) {
    if (!is_valid(smaller) || !fails_(smaller)) return false;
    code_ = smaller;
    return true;
  }

  bool shrink_wake_ups() {
    ToyCode smaller = code_;
    smaller.spurious = false;
    return code_.spurious && accept(smaller);
  }

  bool shrink_threads() {
    for (std::size_t i = code_.threads.size(); i-- > 1;) {
      if (accept(without_thread(code_, i))) return true;
    }
    return false;
  }

  bool shrink_instructions() {
    bool any = false;
    for (std::size_t i = 0; i < code_.threads.size(); ++i) {
      for (std::size_t j = code_.threads[i].size(); j-- > 0;) {
        ToyCode smaller = code_;
        auto& list = smaller.threads[i];
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(j));
        any = accept(smaller) || any;
      }
    }
    return any;
  }

  bool shrink_operands() {
    bool any = false;
    for (std::size_t i = 0; i < code_.threads.size(); ++i) {
      for (std::size_t j = 0; j < code_.threads[i].size(); ++j) {
        if (names_thread(code_.threads[i][j])) continue;
        for (std::size_t k = 0; k < operand_letters(code_.threads[i][j].opcode).size(); ++k) {
          any = shrink_operand(i, j, k) || any;
        }
      }
    }
    return any;
  }

  bool shrink_orders() {
    bool any = false;
    for (std::size_t i = 0; i < code_.threads.size(); ++i) {
      for (std::size_t j = 0; j < code_.threads[i].size(); ++j) {
        ToyCode smaller = code_;
        Order& order = smaller.threads[i][j].order;
        if (order == Order::seq_cst) continue;
        order = Order::seq_cst;
        any = accept(smaller) || any;
      }
    }
    return any;
  }

  bool simplify_instructions() {
    bool any = false;
    for (std::size_t i = 0; i < code_.threads.size(); ++i) {
      for (std::size_t j = 0; j < code_.threads[i].size(); ++j) {
        const std::optional<Instruction> other = simpler(code_.threads[i][j]);
        if (!other) continue;
        ToyCode smaller = code_;
        smaller.threads[i][j] = *other;
        any = accept(smaller) || any;
      }
    }
    return any;
  }

  // The least operand that will do. A register may become any constant.
  bool shrink_operand(std::size_t i, std::size_t j, std::size_t k) {
    ToyCode smaller = code_;
    std::uint8_t& operand = smaller.threads[i][j].operands[k];
    std::uint8_t now = operand;
    for (operand = 0; operand < now && operand <= kConstantMax; ++operand) {
      if (accept(smaller)) return true;
    }
    return false;
  }

  ToyCode code_;
  const std::function<bool(const ToyCode&)>& fails_;
};

}  // namespace

ToyCode shrink(ToyCode code, const std::function<bool(const ToyCode&)>& fails) {
  return Shrinker(std::move(code), fails).run();
}

}  // namespace thrum
