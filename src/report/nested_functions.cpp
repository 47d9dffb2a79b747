// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/nested_functions.hpp"

#include <dwarf.h>

#include <algorithm>

namespace thrum {

namespace {

bool may_hold_functions(int tag) {
  constexpr int kTags[] = {DW_TAG_subprogram, DW_TAG_lexical_block, DW_TAG_structure_type,
                           DW_TAG_class_type, DW_TAG_union_type,    DW_TAG_namespace};
  return std::find(std::begin(kTags), std::end(kTags), tag) != std::end(kTags);
}

bool has_code(Dwarf_Die* function) {
  return dwarf_hasattr(function, DW_AT_low_pc) != 0 || dwarf_hasattr(function, DW_AT_ranges) != 0;
}

void collect(Dwarf_Die* parent, std::vector<Dwarf_Die>& functions) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_subprogram && has_code(&child)) functions.push_back(child);
    if (may_hold_functions(tag)) collect(&child, functions);
  } while (dwarf_siblingof(&child, &child) == 0);
}

// Lexical blocks and inlined functions.
Dwarf_Die innermost(Dwarf_Die scope, Dwarf_Addr address) {
  Dwarf_Die child;
  int next = dwarf_child(&scope, &child);
  while (next == 0) {
    if (dwarf_tag(&child) != DW_TAG_subprogram && dwarf_haspc(&child, address) == 1) {
      scope = child;
      next = dwarf_child(&scope, &child);
    } else {
      next = dwarf_siblingof(&child, &child);
    }
  }
  return scope;
}

}  // namespace

std::optional<Dwarf_Die> NestedFunctions::scope_at(Dwarf_Die* unit, Dwarf_Addr address) {
  const auto [known, is_new] = functions_.try_emplace(dwarf_dieoffset(unit));
  std::vector<Dwarf_Die>& functions = known->second;
  if (is_new) collect(unit, functions);
  const auto function = std::find_if(functions.begin(), functions.end(),
                                     [&](Dwarf_Die& one) { return dwarf_haspc(&one, address) == 1; });
  if (function == functions.end()) return std::nullopt;
  return innermost(*function, address);
}

}  // namespace thrum
