// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/waiting_code.hpp"

#include <algorithm>

#include "support/check.hpp"

namespace thrum {

namespace {

struct WaitingRow {
  std::string_view name;
  std::string_view operands;  // of a to e: r register, n number, x cell, i index, m lock, t place; '-': none
};

constexpr std::array<WaitingRow, static_cast<std::size_t>(WaitingOpcode::end) + 1> kWaitingRows = {{
    {"load", "rxi"},
    {"store", "nxi"},
    {"store_register", "rxi"},
    {"exchange", "rxin"},
    {"fetch_add", "rxin"},
    {"compare_exchange", "rxirr"},
    {"compare_load", "rxirr"},
    {"lock", "-m"},
    {"unlock", "-m"},
    {"try_lock", "rm"},
    {"set", "rn"},
    {"copy", "rr"},
    {"add", "rrn"},
    {"sum", "rrr"},
    {"mask", "rrn"},
    {"shift", "rrn"},
    {"if_equal", "rnt"},
    {"if_unequal", "rnt"},
    {"if_same", "rrt"},
    {"if_different", "rrt"},
    {"jump", "--t"},
    {"check", "rn"},
    {"end", "n"},
}};

std::string print_instruction(const WaitingInstruction& instruction) {
  const WaitingRow& row = kWaitingRows[static_cast<std::size_t>(instruction.opcode)];
  std::string text(row.name);
  const std::array<int, 5> operands = {instruction.a, instruction.b, instruction.c, instruction.d,
                                       instruction.e};
  for (std::size_t i = 0; i < row.operands.size(); ++i) {
    const std::string number = std::to_string(operands[i]);
    switch (row.operands[i]) {
      case '-': break;
      case 'n': text += " " + number; break;
      case 't': text += " to " + number; break;
      case 'i': text += operands[i] == kNoIndex ? "" : "+r" + number; break;
      default: text += std::string(" ") + row.operands[i] + number;
    }
  }
  return text;
}

}  // namespace

std::string print(const WaitingCode& code) {
  std::string text = code.name + "\n";
  for (std::size_t i = 0; i < kWaitingCells; ++i) {
    if (code.cells[i] != 0) text += "x" + std::to_string(i) + " = " + std::to_string(code.cells[i]) + "\n";
  }
  for (std::size_t thread = 0; thread < code.threads.size(); ++thread) {
    text += "thread " + std::to_string(thread) + "\n";
    for (std::size_t i = 0; i < code.threads[thread].size(); ++i)
      text += "  " + std::to_string(i) + ": " + print_instruction(code.threads[thread][i]) + "\n";
  }
  return text;
}

WaitingAssembler& WaitingAssembler::label(const std::string& name) {
  labels_.emplace_back(name, static_cast<int>(code_.size()));
  return *this;
}

WaitingAssembler& WaitingAssembler::clear(int last) {
  for (int i = 0; i <= last; ++i) set(i, 0);
  return *this;
}

WaitingAssembler& WaitingAssembler::put(const WaitingInstruction& instruction) {
  code_.push_back(instruction);
  return *this;
}

WaitingAssembler& WaitingAssembler::jump_with(const WaitingInstruction& instruction, const std::string& to) {
  jumps_.emplace_back(code_.size(), to);
  return put(instruction);
}

std::vector<WaitingInstruction> WaitingAssembler::code(bool keeps_registers) {
  end(keeps_registers);
  for (const auto& [at, name] : jumps_) {
    auto found =
        std::find_if(labels_.begin(), labels_.end(), [&](const auto& label) { return label.first == name; });
    THRUM_CHECK(found != labels_.end());
    code_[at].c = found->second;
  }
  return code_;
}

}  // namespace thrum
