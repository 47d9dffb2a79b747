// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of the files that a program or shared library was linked from were compiled without instrumentation.
//
// The idea. The symbol table names each object file (STT_FILE), followed by its local symbols. A file that
// was compiled with -fsanitize=thread has among them the constructor that calls __tsan_init, whatever else it
// holds and however it was optimised; one that has not was compiled without.
//
// Example, with S.c compiled by the stock compiler:
//
//   FILE A.cpp   FUNC _sub_I_00099_0   FILE S.c   FUNC helper ...
//
// Under link-time optimisation what was optimised together is one file, without a name or named by the
// linker. An object file that has no STT_FILE, such as hand-written assembler or a member of an archive whose
// symbols were stripped, is named by ld.bfd where it has local symbols, by other linkers never; assembler
// shows in the debug information if it has any.
//
// Tested by instrumentation_test.cpp and tests/endtoend/objects_test.cpp.
//
// Rejected: to look for calls of __tsan_* function by function, since a function that uses no memory has
// none.
#pragma once

#include <string>
#include <vector>

namespace thrum {

struct ModuleFiles {
  bool known = false;  // false: the module's symbols do not tell
  // By name and sorted, a name once for each file; those of the toolchain are left out.
  std::vector<std::string> uninstrumented;
  // Some were compiled by clang before version 21, which leaves out accesses to a local variable whose
  // address others have where they are not to its first byte (LLVM, pull request 132756).
  bool by_old_clang = false;
};

// Reads the ELF file at path, of a module that is linked with the runtime. A file that cannot be read is not
// known.
ModuleFiles files_of_module(const std::string& path);

}  // namespace thrum
