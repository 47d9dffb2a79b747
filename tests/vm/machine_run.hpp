// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program in the machine, in a process of its own: the machine's memory lies at fixed addresses. A program
// with threads is executed twice, by the same schedule.
#pragma once

#include <string>
#include <vector>

struct MachineRun {
  int status = -1;      // of the program's exit; -1: it did not get that far
  std::string output;   // of the program
  std::string problem;  // why it was not run to its end; empty: it was
};

// program, libraries: files of bitcode.
MachineRun run_in_machine(const std::vector<std::string>& program, const std::vector<std::string>& libraries);
