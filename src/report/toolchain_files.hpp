// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of the object files that a program was linked from came from the toolchain and not from the user.
#pragma once

#include <string>
#include <vector>

namespace thrum {

// Of the names of the files that a module was linked from, as its symbol table has them
// ("eh_throw.o"), those that the compiler driver adds without being asked: start files and what is linked
// statically of libgcc, libstdc++, libgcov and the runtimes of clang. What they do that matters is
// intercepted, or is of no concern to the program's threads. Returned in the same order, whether each is one.
//
// A library's file names are common words ("thread.cc"), so they count only where a file that is unmistakably
// its own is there as well.
std::vector<bool> are_toolchain_files(const std::vector<std::string>& names);

}  // namespace thrum
