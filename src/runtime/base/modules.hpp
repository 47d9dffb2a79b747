// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The executable and the shared libraries in the process.
#pragma once

#include <link.h>
#include <cstdint>
#include <string>
#include <vector>

#include "model/place.hpp"
#include "protocol/job.hpp"
#include "support/bytes.hpp"

namespace thrum {

std::vector<Module> modules();

// Whether one of the module's segments holds the address.
bool holds(const dl_phdr_info& module, std::uint64_t address);

// Finds the module that holds the address, and the offset in it; false if none holds it.
bool find_in_modules(std::uint64_t address, Place& place);
// The inverse: the address of a place; 0 if its module is not loaded.
std::uint64_t address_in_module(const Place& place);

// The name of the module that holds the address, if its threads cannot be controlled: it is not instrumented,
// and it is not the C++ library, which only passes on what instrumented code asks for. Else nullptr.
const char* uncontrolled_module(std::uint64_t address);

// Whether the address lies in a shared C++ library (libstdc++, libc++).
bool is_cxx_library(std::uint64_t address);

// Whether some module other than libc, a shared C++ library and the runtime has thread-local storage.
bool others_have_storage();

// Whether the address lies in code that was built with the driver. Cheap if the last addresses asked for lay
// in the same modules.
bool is_instrumented(std::uint64_t address);

// Whether an instrumented module that is loaded at the first call imports a function of that name.
bool imported(const char* name);

// What identifies the content of a module; parts that the process may change are left out.
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

// The range of the runtime itself.
const CodeRange& runtime_range();

// The range of the dynamic loader.
const CodeRange& loader_range();

// The range of the shared C++ library, if the program uses one. It initialises its own parts by pthread_once,
// such as the locale of every stream. This is not part of the program's schedules.
const CodeRange& cpp_library_range();

// The range of the unwinder. Its locks and initialisations are not part of the program's schedules.
const CodeRange& unwinder_range();

// Writes a code address as module and offset, which are the same in each process; 0 if it lies in no module.
void put_code(ByteWriter& out, std::uint64_t address);
std::uint64_t get_code(ByteReader& in);

}  // namespace thrum
