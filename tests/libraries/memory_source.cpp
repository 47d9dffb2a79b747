// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "functions.hpp"

extern "C" void* vm_malloc(std::size_t size) { return thrum::no_memory ? nullptr : std::malloc(size); }
