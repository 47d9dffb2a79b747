// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts the program under test as a worker.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace thrum {

struct Launch {
  std::string program;
  std::vector<std::string> arguments;  // without the program's own name
  int channel = -1;                    // a descriptor that the worker inherits
  int output = -1;                     // becomes its standard output and error; -1: ours
};

struct Launched {
  pid_t process = -1;
  int process_descriptor = -1;  // readable when the process has ended; the caller closes it
  std::string problem;          // not empty: there is no process
};

// One line that says why a worker could not reserve the terabytes of addresses that the runtime needs; empty
// if it can. Raises this process's own limits as far as possible.
std::string address_space_problem();

// The worker leads a process group of its own, and dies with this process.
Launched launch(const Launch& what);

}  // namespace thrum
