// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/load_module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "cli/driver.hpp"
#include "verdict/error.hpp"

namespace thrum {

namespace {

std::string path_of(const ModuleOf& module) { return installation_prefix() + '/' + module.path; }

}  // namespace

bool has_module(const ModuleOf& module) { return std::filesystem::exists(path_of(module)); }

void* module_function(const std::string& what, const ModuleOf& module) {
  const std::string path = path_of(module);
  if (!has_module(module)) {
    throw UserError(fmt::format("{}: this build of thrum {}: install {}, and build it again", what,
                                module.lacks, module.packages));
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw UserError(fmt::format("{}: install {}, or what else is missing", dlerror(), module.packages));
  void* found = dlsym(library, module.function);
  if (found == nullptr) throw UserError(path + ": is of another version; build or install Thrum completely");
  return found;
}

}  // namespace thrum
