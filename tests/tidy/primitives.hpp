// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of docs/primitives.md against the programs that it names and the names that the runtime
// interposes.
#pragma once

#include "tidy/rules.hpp"

namespace tidy {

// A row whose tests are missing or do not mention its call, one that says "visible", "invisible" or "virtual"
// of a name that the runtime does not define, one that says "forwarded" or "through" of one that it does; and
// a name that the runtime defines and that stands in no row and is described nowhere else, or stands in one
// and elsewhere too. Nothing where the tree has no runtime.
Findings faulty_primitives(const Tree& tree);

}  // namespace tidy
