// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a command to its end or to a deadline, and sees to it that nothing of it stays behind.
//
// Not thread safe: it makes the calling process the reaper of all its descendants.
#pragma once

#include <optional>
#include <string>
#include <vector>

struct ChildResult {
  std::optional<int> exit_code;  // nothing where it was killed or ended by a signal
  bool timed_out = false;
  bool left_processes = false;  // descendants that lived on were killed
  std::string output;
  std::string errors;
};

// `command` is looked for in PATH; its standard input is empty. `environment` holds "NAME=value" to
// set. Throws std::system_error where the machine refuses a pipe or a process.
ChildResult run_child(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                      int timeout_seconds);
