// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that are defined within others, and have code of their own: such as the body of a lambda that was
// not inlined. In g++'s debug information they stand below the function around them, whose code does not hold
// theirs; dwarf_getscopes() does not look for them there. Thread safety: none.
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
  // The innermost scope at the address within such a function of the unit; nothing where none holds it.
  std::optional<Dwarf_Die> scope_at(Dwarf_Die* unit, Dwarf_Addr address);

 private:
  std::map<Dwarf_Off, std::vector<Dwarf_Die>> functions_;  // of the units that were asked for
};

}  // namespace thrum
