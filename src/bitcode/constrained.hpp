// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point operations of functions that may change how is rounded (#pragma STDC FENV_ACCESS ON, and
// -frounding-math). LLVM has functions of their own for them, so that no optimization moves or folds them.
// The machine does each operation when its turn comes, rounded as the thread has chosen. So they become
// ordinary operations. Exceptions' flags are not kept.
#pragma once

#include <llvm/IR/Function.h>

namespace thrum::bitcode {

// Replaces those that have an ordinary operation; others stay.
void replace_constrained(llvm::Function& function);

}  // namespace thrum::bitcode
