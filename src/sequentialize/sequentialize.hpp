// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A concurrent C program becomes a sequential one, whose choices stand for the schedules of the other.
// docs/sequentialize.md says which C is read, what the four forms are and which executions each covers.
#pragma once

#include <string>
#include <vector>

#include "sequentialize/options.hpp"

namespace thrum::seq {

// Reads the files and writes them as one program. Throws SourceError where they do not compile or hold what
// is not supported.
Sequential sequentialize(const std::vector<std::string>& files, const Options& options);

}  // namespace thrum::seq
