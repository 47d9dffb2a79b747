// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random LLVM modules whose functions have no undefined behaviour, and no poison where it is observed.
#pragma once

#include <cstdint>
#include <memory>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

// So many functions, each of which returns a digest of all values that it has made, and a main function that
// calls each with several arguments and prints a line for each call: the function's number and its digest.
// The same seed makes the same module.
std::unique_ptr<llvm::Module> random_module(llvm::LLVMContext& context, std::uint64_t seed, int functions);
