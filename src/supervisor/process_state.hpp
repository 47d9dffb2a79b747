// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernel says about another process.
#pragma once

#include <sys/types.h>

#include <string>

namespace thrum {

struct ProcessState {
  char state = '?';        // as in /proc/PID/stat: R runs, S sleeps, T is stopped, t is traced
  double cpu_seconds = 0;  // used so far

  bool stopped() const { return state == 'T' || state == 't'; }
};

ProcessState process_state(pid_t process);

// The system call in which the process waits, such as "read"; empty where it cannot be told.
std::string waiting_call(pid_t process);

// Kills all children of this process and waits for them, and for those that they leave behind.
// REQUIRES: this process inherits orphans (PR_SET_CHILD_SUBREAPER).
void kill_children();

}  // namespace thrum
