// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by driver_test.cpp.
#include "cli/flags.hpp"

#include <filesystem>

#include "verdict/error.hpp"

namespace thrum {

namespace {

// Warnings that g++ draws from the flow of values, and to which instrumented code may look wrong that is
// right. They stay warnings, whatever -Werror says.
constexpr const char* kMisled[] = {
    "array-bounds", "free-nonheap-object", "maybe-uninitialized", "null-dereference",
    "restrict",     "stringop-overflow"};

// Clang would warn of those among our flags that a step has no use for.
std::vector<std::string> without_warnings(std::vector<std::string> flags) {
  flags.insert(flags.begin(), "--start-no-unused-arguments");
  flags.emplace_back("--end-no-unused-arguments");
  return flags;
}

}  // namespace

std::vector<std::string> compile_flags(const Toolchain& toolchain) {
  // First the headers of test frameworks that stand before the frameworks' own.
  std::string include = toolchain.prefix + "/include";
  std::vector<std::string> flags = {"-fsanitize=thread", "-g", "-D__THRUM__=1",
                                    "-I" + include + "/thrum/detail/wrapped", "-I" + include};
  if (toolchain.clang) {
    for (const char* flag : {"-tsan-distinguish-volatile", "-tsan-instrument-read-before-write"})
      flags.insert(flags.end(), {"-mllvm", flag});
    return without_warnings(flags);
  }
  // g++ writes memset of a constant size in line, without a callback. And it removes a block of the heap that
  // no other code sees, together with a use after its free.
  flags.insert(flags.end(), {"--param=tsan-distinguish-volatile=1", "-fno-builtin-memset",
                             "-fno-builtin-malloc", "-fno-builtin-calloc", "-fno-builtin-free",
                             // "atomic_thread_fence is not supported": by libtsan; ours follows fences.
                             "-Wno-tsan"});
  for (const char* warning : kMisled) flags.push_back("-Wno-error=" + std::string(warning));
  return flags;
}

std::vector<std::string> counter_flags(const Toolchain& toolchain) {
  if (toolchain.clang) return {};
  return {"-fprofile-update=atomic"};
}

std::vector<std::string> link_flags(const Toolchain& toolchain) {
  std::string library = toolchain.prefix + "/lib/thrum";
  if (!std::filesystem::exists(library + "/libthrum.so")) {
    throw UserError(library + "/libthrum.so: Thrum's runtime is missing; build or install Thrum completely");
  }
  std::vector<std::string> flags = {"-L" + library, "-Wl,-rpath," + library, "-Wl,-z,now",
                                    // The program's own calls of these functions go to the runtime.
                                    "-Wl,@" + library + "/wrap.options",
                                    // Not -pthread: where a command compiles as well, it would be a
                                    // flag of the compilation, and unlike that of a precompiled header.
                                    "-Wl,--push-state,--no-as-needed,-lthrum,-lpthread,--pop-state"};
  if (toolchain.clang) {
    flags.emplace_back("-fno-sanitize-link-runtime");
    return without_warnings(flags);
  }
  // g++ instruments here under -flto. It also asks for libtsan, and finds a linker script of that name which
  // leads to our library: see cmake/runtime.cmake.
  flags.emplace_back("-fsanitize=thread");
  return flags;
}

}  // namespace thrum
