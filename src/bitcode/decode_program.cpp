// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bitcode/decode_program.hpp"

#include <vector>

#include "bitcode/function_decoder.hpp"

namespace thrum::bitcode {

std::string one_line(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte == 0x7f) c = ' ';
  }
  return text;
}

void decode_function(ModuleDecoder& module, vm::Function& function) {
  if (function.is_decoded) return;
  try {
    FunctionDecoder(module, module.source_of(function), function).decode();
  } catch (const vm::Refused& refused) {
    throw vm::Refused{one_line(refused.why + ", in function " + function.name), refused.missing};
  }
  function.is_decoded = true;
}

void decode_program(ModuleDecoder& module) {
  module.decode();
  vm::Code& code = module.code();
  code.decode = [&module](vm::Function& function) { decode_function(module, function); };
  std::vector<vm::Function*> left = code.constructors;
  left.insert(left.end(), code.destructors.begin(), code.destructors.end());
  left.push_back(code.main);
  while (!left.empty()) {
    vm::Function& function = *left.back();
    left.pop_back();
    if (function.is_decoded || !function.is_defined) continue;
    decode_function(module, function);
    for (const vm::CallSite& call : function.calls) {
      if (call.callee == nullptr) continue;
      if (call.callee->is_defined) {
        left.push_back(call.callee);
      } else if (call.callee->external == 0 && !function.is_quiet) {
        throw vm::Refused{
            "a call of " + call.callee->name +
                ", which is neither in the program's bitcode nor known to the machine, in function " +
                function.name,
            call.callee->name};
      }
    }
  }
}

}  // namespace thrum::bitcode
