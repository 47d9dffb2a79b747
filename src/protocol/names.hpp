// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of a program's places as bytes: a part of a report (job.hpp).
//
// Tested by job_test.cpp.
#pragma once

#include "model/program_names.hpp"
#include "support/bytes.hpp"

namespace thrum {

void write_names(ByteWriter& out, const ProgramNames& names);
ProgramNames read_names(ByteReader& in);

}  // namespace thrum
