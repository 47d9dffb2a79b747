// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which functions of a program are decoded, and when: those that can be reached by direct calls before it
// runs, the others when they are first called.
#pragma once

#include <string>

#include "bitcode/module_decoder.hpp"

namespace thrum::bitcode {

// The text without ends of lines and the like.
std::string one_line(std::string text);

// Throws vm::Refused for code that the machine does not run.
void decode_function(ModuleDecoder& module, vm::Function& function);

// Decodes all but the functions, then those that main and constructors reach by direct calls, and leaves the
// others to vm::Code::decode. Throws vm::Refused as above, and for a direct call of a function that nobody
// defines.
void decode_program(ModuleDecoder& module);

}  // namespace thrum::bitcode
