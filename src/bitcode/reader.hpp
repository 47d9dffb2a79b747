// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads LLVM bitcode and links it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "vm/code.hpp"

namespace thrum::bitcode {

// One module: its name for people, and its bitcode.
struct Input {
  std::string name;
  std::string bytes;
};

// A program's code, with what it needs of the libraries. It must outlive nothing that it refers to: `keep`
// holds that.
struct Linked {
  vm::Code* code = nullptr;
  std::shared_ptr<void> keep;
};

// What the code is for. states: besides, it says where a thread completes a round of a loop that has no way
// out (endless_loops.hpp), and where addresses become numbers (decode_escapes.cpp).
enum class CodeUse { executions, states };

// program: all of it. libraries: what of them the program needs, and not more; their code is not
// instrumented. Throws vm::Refused for what cannot be read, linked or run.
Linked link(const std::vector<Input>& program, const std::vector<Input>& libraries,
            CodeUse use = CodeUse::executions);

}  // namespace thrum::bitcode
