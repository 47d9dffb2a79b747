// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process under test begins, and its search.
#pragma once

namespace thrum {

// The program's first choice: takes the snapshot and begins the search. Returns at the beginning of each
// execution; in the meantime the search goes on, and at its end the process ends.
void begin_search();

}  // namespace thrum
