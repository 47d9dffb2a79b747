// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of functions and variables as debug information and symbol tables hold them.
#pragma once

#include <elfutils/libdw.h>

#include <string>

namespace thrum {

// A name of C++ as people write it; any other as it is.
std::string demangle(const char* name);

// What a person calls a function: without arguments, return type and the insides of template brackets.
std::string short_function_name(const std::string& demangled);

// The short name of a function, inlined or not. Empty where it has none.
std::string function_name(Dwarf_Die* die);

bool is_function(Dwarf_Die* die);

}  // namespace thrum
