// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of thrum that lie in shared libraries of their own, since what they need is large and not everywhere.
#pragma once

#include <string>

namespace thrum {

// The function of a module, which is loaded for good: what it has made stays in use. file: what is read with
// its help, for messages; packages: what has to be installed for it. Throws UserError where it is not there.
void* module_function(const std::string& file, const char* module, const char* function,
                      const char* packages);

}  // namespace thrum
