// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's code: the bitcode that it carries, linked with what it needs of the libraries.
#pragma once

#include <string>

#include "bitcode/reader.hpp"
#include "protocol/job.hpp"

namespace thrum {

// Throws vm::Refused, with one line that names the program.
bitcode::Linked load_program(const std::string& program, const Job& job);

}  // namespace thrum
