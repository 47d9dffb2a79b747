// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/code.hpp"

#include <algorithm>

namespace thrum::vm {

namespace {

struct OpcodeRow {
  std::string_view name;
  std::string_view text;
};
constexpr OpcodeRow kOpcodeRows[] = {
#define THRUM_VM_OPERATION(name, text) {#name, text},
#include "vm/operations.def"
#undef THRUM_VM_OPERATION
};

}  // namespace

std::string_view opcode_name(Opcode opcode) { return kOpcodeRows[static_cast<std::size_t>(opcode)].name; }
std::string_view opcode_text(Opcode opcode) { return kOpcodeRows[static_cast<std::size_t>(opcode)].text; }

std::string Function::text() const {
  std::string out =
      name + ": " + std::to_string(slots) + " slots, " + std::to_string(parameters) + " parameters\n";
  for (std::size_t i = 0; i < constants.size(); ++i)
    out += "  slot " + std::to_string(parameters + i) + " = " + std::to_string(constants[i]) + "\n";
  for (std::size_t i = 0; i < code.size(); ++i) {
    const Instruction& at = code[i];
    out += "  " + std::to_string(i) + " " + std::string(opcode_name(opcodes[i])) + " d" +
           std::to_string(at.d) + " a" + std::to_string(at.a) + " b" + std::to_string(at.b) + " c" +
           std::to_string(at.c) + " #" + std::to_string(at.immediate) + "\n";
  }
  return out;
}

Function* Code::find(std::string_view name) const {
  const auto found = std::find_if(functions.begin(), functions.end(),
                                  [name](const std::unique_ptr<Function>& one) { return one->name == name; });
  return found == functions.end() ? nullptr : found->get();
}

}  // namespace thrum::vm
