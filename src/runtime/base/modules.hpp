// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The executable and the shared libraries in the process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/place.hpp"
#include "protocol/job.hpp"
#include "support/bytes.hpp"

namespace thrum {

std::vector<Module> modules();

// The module that holds the address and where in it; false where none does.
bool find_in_modules(std::uint64_t address, Place& place);
// The other way; 0 where there is no such module.
std::uint64_t address_in_module(const Place& place);

// The name of the module that holds the address if its threads cannot be controlled: it is neither
// instrumented nor the C++ library, which only hands on what instrumented code asks of it. Else nullptr.
const char* uncontrolled_module(std::uint64_t address);

// Whether the address lies in a shared C++ library (libstdc++, libc++).
bool is_cxx_library(std::uint64_t address);

// Whether a module has thread-local storage that is neither libc, a shared C++ library nor the runtime.
bool others_have_storage();

// Whether the address lies in code that was built with the driver. Cheap where the last addresses that were
// asked for lie in the same modules.
bool is_instrumented(std::uint64_t address);

// Whether some instrumented module of those that are there when it is first asked calls a function of that
// name by way of the dynamic linker.
bool imported(const char* name);

// What a module is made of, without what the process may change of it.
struct ModuleContent {
  std::string name;  // of its file
  std::uint64_t digest = 0;
};
// Of all modules but the kernel's own.
std::vector<ModuleContent> module_contents();

struct CodeRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool holds(std::uint64_t address) const { return address - begin < end - begin; }
};

// Where the runtime itself lies.
const CodeRange& runtime_range();

// Where the dynamic loader lies.
const CodeRange& loader_range();

// Where the C++ library lies, where the program has it as a shared library. It initialises its own parts,
// such as the locale that every stream asks for, by pthread_once; that is no business of the program's
// either.
const CodeRange& cpp_library_range();

// Where the unwinder lies. What it locks and initialises is no business of the program's schedules.
const CodeRange& unwinder_range();

// Code by module and offset: the same in each process. 0 where it lies in no module.
void put_code(ByteWriter& out, std::uint64_t address);
std::uint64_t get_code(ByteReader& in);

}  // namespace thrum
