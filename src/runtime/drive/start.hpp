// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process under test and its search begin.
#pragma once

namespace thrum {

// The program's first choice: takes the snapshot and begins the search. Returns at the beginning of each
// execution. In between the search runs; at its end the process ends.
void begin_search();

}  // namespace thrum
