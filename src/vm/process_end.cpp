// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program as a process: where it begins after its libraries, and how it ends.
#include <string>
#include <utility>

#include "vm/externals.hpp"
#include "vm/machine.hpp"

namespace thrum::vm {

// What libraries have allocated before is not the program's.
void Machine::begin_program() {
  if (std::exchange(has_begun_program_, true)) return;
  leaks.begin_program();
}

Next Machine::leave_process(Thread& me, int status, Exit how) {
  if (in_execution) {
    if (me.phase == 0) {
      me.phase = 1;
      if (arrive(Operation::process_exit, 0, 0)) return Next::arrived;
      if (over) return Next::over;
    }
    done(true, static_cast<std::uint64_t>(status));
  }
  if (in_execution && live().size() > 1 && fail_by_self_lock()) return Next::over;
  if (status == 0 && settings.test.empty() && !tests.calls.empty()) tests.is_listed = true;
  if (status != 0) {
    fail(BugKind::nonzero_exit, "the program exits with status " + std::to_string(status));
  } else if (!in_execution || how == Exit::at_once || !leaks.find()) {
    finish(End::finished);
  }
  return Next::over;
}

}  // namespace thrum::vm
