// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/engine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "bitcode_section/program_bitcode.hpp"
#include "campaign/strategies.hpp"
#include "cli/driver.hpp"
#include "cli/vm_library.hpp"
#include "verdict/error.hpp"

namespace thrum {

namespace {

[[noreturn]] void lacks_option(const std::string& option) {
  throw UserError("--engine vm: has no " + option + " yet; leave it out, or take --engine native");
}

// What --engine vm does not have yet.
struct LackingRow {
  const char* option;
  bool (*is_asked)(const CheckOptions& options);
};

constexpr const char* kSystemThreads = "--threads system";
constexpr LackingRow kLacking[] = {
    {"--coverage values", [](const CheckOptions& o) { return o.coverage == "values"; }},
    {kSystemThreads, [](const CheckOptions& o) { return o.threads == "system"; }},
    {"--strategy with a solver, such as mcr", [](const CheckOptions& o) { return runs_outside(o.strategy); }},
    {"--focus-method", [](const CheckOptions& o) { return !o.focus_methods.empty(); }},
    {"--focus-var", [](const CheckOptions& o) { return !o.focus_variables.empty(); }},
};

}  // namespace

std::string vm_path() { return installation_prefix() + "/lib/thrum/thrum-vm"; }

void refuse_what_engine_lacks(const CheckOptions& options) {
  if (options.engine != kVmEngine) return;
  for (const LackingRow& row : kLacking) {
    if (row.is_asked(options)) lacks_option(row.option);
  }
}

void refuse_threads_on_engine(const std::string& engine, Threads threads) {
  if (engine == kVmEngine && threads == Threads::system) lacks_option(kSystemThreads);
}

void require_engine(const std::string& engine) {
  if (engine != kVmEngine || access(vm_path().c_str(), X_OK) == 0) return;
  throw UserError("--engine vm: " + vm_path() +
                  " is not there; build Thrum with LLVM 19 (llvm-19-dev) and install it completely");
}

void require_code_for_engine(const std::string& engine, const std::string& program) {
  if (engine != kVmEngine) return;
  if (const std::string problem = bitcode_problem(program); !problem.empty())
    throw UserError("--engine vm: " + problem);
}

void use_engine(const std::string& engine, WorkerSettings& settings) {
  if (engine == kVmEngine) settings.interpreter = vm_path();
}

void take_libraries(const std::string& engine, Job& job) {
  if (engine != kVmEngine) return;
  static const VmLibrary library = find_vm_library();  // it asks a compiler
  build_vm_functions(library, 0);
  job.c_bitcode = library.c();
  if (library.has_cpp()) job.cpp_bitcode = library.cpp();
}

}  // namespace thrum
