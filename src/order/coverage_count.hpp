// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What came of counting something that executions meet.
#pragma once

#include <cstdint>

namespace thrum {

struct CoverageCount {
  std::uint64_t count = 0;
  bool is_exact = true;        // else an estimate
  std::uint64_t last_new = 0;  // the execution that met the last new one, from 1; 0: none did
};

}  // namespace thrum
