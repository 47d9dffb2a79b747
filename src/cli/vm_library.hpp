// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bitcode that the machine links to programs: the C functions of libraries/c, and libstdc++, compiled on
// the user's machine, once, into the user's cache. Where it lies depends on the versions of GCC's headers,
// clang and Thrum, and on what stands in libraries/; so a change of any of these is another library.
//
// Tested by tests/endtoend/vm_library_test.cpp.
#pragma once

#include <string>

#include "cli/machine.hpp"

namespace thrum {

struct VmLibraryOptions {
  bool where = false;
  std::string sources = "/usr/src";  // the folder that has gcc-N/
  int jobs = 0;                      // compilers at a time; 0: as many as processors
};

// Where the library is, or will be.
struct VmLibrary {
  std::string folder;
  std::string gcc;  // the version of libstdc++'s headers, such as "12"; empty: clang++-19 finds none

  std::string c() const { return folder + "/thrum-vm.bc"; }
  std::string cpp() const { return folder + "/libstdc++.bc"; }
  bool has_c() const;
  bool has_cpp() const;
};

// Asks clang++-19. Throws UserError if it cannot be run, or if the user has no cache.
VmLibrary find_vm_library();

// Builds the C functions, which takes a second, if they are not there. Progress is told on standard error.
// Throws UserError.
void build_vm_functions(const VmLibrary& library, int jobs);

// Builds libstdc++, which takes half a minute, if it is not there. Throws UserError.
void build_vm_libstdcpp(const VmLibrary& library, const VmLibraryOptions& options);

// The row of thrum doctor.
Finding examine_vm_library();

// `thrum vm-library`. Returns the exit code.
int vm_library_command(const VmLibraryOptions& options);

}  // namespace thrum
