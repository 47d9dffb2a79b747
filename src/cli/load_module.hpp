// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of thrum that are shared libraries, because they need large libraries that not every machine has.
#pragma once

#include <string>

namespace thrum {

// A function of a module. The module is never unloaded, because its results stay in use. file: the file that
// is read with its help, for messages; packages: the packages to install. Throws UserError if the module is
// missing.
void* module_function(const std::string& file, const char* module, const char* function,
                      const char* packages);

}  // namespace thrum
