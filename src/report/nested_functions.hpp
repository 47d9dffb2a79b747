// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that dwarf_getscopes() does not find, since they stand below an entry whose code does not hold
// theirs: those that are defined within others, such as the body of a lambda that was not inlined (g++), and
// those of an unnamed namespace (clang). Thread safety: none.
//
// Tested by symbolizer_test.cpp.
#pragma once

#include <elfutils/libdw.h>

#include <map>
#include <optional>
#include <vector>

namespace thrum {

class NestedFunctions {
 public:
  // The innermost scope at the address within a function of the unit; nothing where none holds it.
  std::optional<Dwarf_Die> scope_at(Dwarf_Die* unit, Dwarf_Addr address);

 private:
  std::map<Dwarf_Off, std::vector<Dwarf_Die>> functions_;  // of the units that were asked for
};

}  // namespace thrum
