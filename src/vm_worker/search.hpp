// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The worker from the program's first choice to its report: it searches, or runs one schedule again.
#pragma once

#include "protocol/job.hpp"
#include "vm_worker/vm_process.hpp"
#include "vm_worker/world.hpp"

namespace thrum {

// Report::refused of a program that cannot be run, or what its search or its one execution gave.
Report run_vm_search(const VmWorld& world, VmProcess& process);

}  // namespace thrum
