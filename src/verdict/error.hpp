// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrong usage or environment: one line for the user, which main() prints, and exit code 2.
#pragma once

#include <stdexcept>

namespace thrum {

class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum ExitCode : int {
  kExitDone = 0,  // no bug, or only the user's own budget ended
  kExitBug = 1,
  kExitUsage = 2,
  kExitInconclusive = 3,  // for another reason than the user's own budget
  kExitInternal = 4,
};

}  // namespace thrum
