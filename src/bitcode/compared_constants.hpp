// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers that a program compares with: values at which it may do something else.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include <llvm/IR/Module.h>

namespace thrum::bitcode {

// Of the functions that are not quiet, in their order, without repetition and without -1, 0 and 1; then the
// neighbours of these, as far as there is room for them.
std::vector<std::int64_t> compared_constants(const llvm::Module& module,
                                             const std::unordered_set<std::string>& quiet);

}  // namespace thrum::bitcode
