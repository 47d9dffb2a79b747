// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: inconclusive
// args: --races ignore --heap fresh
//
// What comes of tests/programs/wrong/heap/treiber_lifo.cpp where no memory is used again.
#include "../../wrong/heap/treiber_lifo.cpp"
