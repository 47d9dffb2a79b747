// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of thrum that are shared libraries, because they need large libraries that not every machine has.
#pragma once

#include <string>

namespace thrum {

// A module, and what it needs.
struct ModuleOf {
  const char* path;      // in the installation
  const char* function;  // that is wanted
  const char* lacks;  // what a build without it cannot do, and why: "cannot read C, since ... was not there"
  const char* packages;  // to install
};

// The function of the module, which is never unloaded, because its results stay in use. what: it is wanted
// for, for messages. Throws UserError if the module is missing.
void* module_function(const std::string& what, const ModuleOf& module);

// Whether the module is there.
bool has_module(const ModuleOf& module);

}  // namespace thrum
