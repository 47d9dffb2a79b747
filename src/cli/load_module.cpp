// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/load_module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "cli/driver.hpp"
#include "verdict/error.hpp"

namespace thrum {

void* module_function(const std::string& file, const char* module, const char* function,
                      const char* packages) {
  std::string path = installation_prefix() + '/' + module;
  if (!std::filesystem::exists(path)) {
    throw UserError(
        fmt::format("{}: this build of thrum cannot read C for this, since Clang 19's library was not there: "
                    "install {}, and build it again",
                    file, packages));
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw UserError(fmt::format("{}: install {}, or what else is missing", dlerror(), packages));
  void* found = dlsym(library, function);
  if (found == nullptr) throw UserError(path + ": is of another version; build or install Thrum completely");
  return found;
}

}  // namespace thrum
