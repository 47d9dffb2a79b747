// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The symbol tables of the instrumented modules, as far as they were not stripped.
#pragma once

#include "runtime/base/modules.hpp"

namespace thrum {

// A symbol, with its name as in the table (mangled) and where it lies in the process.
using SymbolVisitor = void(const char* name, const CodeRange& range);

// Calls the visitor for each symbol of that type (STT_FUNC, STT_OBJECT) that is defined there. REQUIRES: no
// execution runs.
void visit_symbols(unsigned char type, SymbolVisitor* visitor);

}  // namespace thrum
