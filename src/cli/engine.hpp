// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --engine vm: the worker is PREFIX/lib/thrum/thrum-vm, which interprets the bitcode that the program
// carries.
//
// Tested by tests/endtoend/engine_test.cpp.
#pragma once

#include <string>

#include "protocol/job.hpp"
#include "supervisor/worker.hpp"
#include "verdict/check_options.hpp"

namespace thrum {

// What runs the program, as --engine names it.
inline constexpr char kNativeEngine[] = "native";
inline constexpr char kVmEngine[] = "vm";

// The path of thrum-vm in this installation, whether it is there or not.
std::string vm_path();

// Throw UserError for an option that the engine does not have yet, which engine.cpp lists.
void refuse_what_engine_lacks(const CheckOptions& options);
void refuse_threads_on_engine(const std::string& engine, Threads threads);

// Throws UserError where the engine is not installed.
void require_engine(const std::string& engine);
// Throws UserError where the engine cannot run the program, since its objects lack bitcode.
void require_code_for_engine(const std::string& engine, const std::string& program);

// Makes the engine run settings.program.
void use_engine(const std::string& engine, WorkerSettings& settings);
// What the engine links to the program. The C functions are built first, if they are not there. Throws
// UserError.
void take_libraries(const std::string& engine, Job& job);

}  // namespace thrum
