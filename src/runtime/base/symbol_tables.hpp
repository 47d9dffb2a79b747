// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The symbol tables of the instrumented modules, unless they were stripped.
#pragma once

#include "runtime/base/modules.hpp"

namespace thrum {

// A symbol: its mangled name, and where it lies in the process.
using SymbolVisitor = void(const char* name, const CodeRange& range);

// Calls the visitor for each defined symbol of that type (STT_FUNC, STT_OBJECT). REQUIRES: no execution runs.
void visit_symbols(unsigned char type, SymbolVisitor* visitor);

}  // namespace thrum
