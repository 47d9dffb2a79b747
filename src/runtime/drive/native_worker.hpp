// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// This process as the worker of a search (worker/): how the runtime's world, its snapshot's parts and the
// system calls are shared, saved and read.
//
// Thread safety: one thread.
#pragma once

#include "runtime/drive/native_program.hpp"
#include "worker/search_state.hpp"
#include "worker/suite_file.hpp"
#include "worker/worker_process.hpp"

namespace thrum {

// The process begins: moves the descriptors that the supervisor has given out of the program's way.
void initialize_worker();

// These exist for good. REQUIRES: initialize_worker() was called.
NativeProgram& native_program();
WorkerProcess& worker_process();
SearchState& search_state();
SuiteFile& suite_file();

}  // namespace thrum
