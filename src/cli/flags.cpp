// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by driver_test.cpp.
#include "cli/flags.hpp"

#include <filesystem>

#include "verdict/error.hpp"

namespace thrum {

namespace {

// Warnings for which g++ follows the flow of values: correct code may look wrong to them once it is
// instrumented. They are not made errors by -Werror.
constexpr const char* kMisled[] = {
    "array-bounds", "free-nonheap-object", "maybe-uninitialized", "null-dereference",
    "restrict",     "stringop-overflow"};

// Clang would warn of flags that a step does not use.
std::vector<std::string> without_warnings(std::vector<std::string> flags) {
  flags.insert(flags.begin(), "--start-no-unused-arguments");
  flags.emplace_back("--end-no-unused-arguments");
  return flags;
}

}  // namespace

std::vector<std::string> compile_flags(const Toolchain& toolchain) {
  // Our headers of test frameworks are found before the frameworks' own.
  std::string include = toolchain.prefix + "/include";
  // A call in tail position would come from its caller's caller, and reports would name that one's line.
  std::vector<std::string> flags = {"-fsanitize=thread",
                                    "-g",
                                    "-fno-optimize-sibling-calls",
                                    "-D__THRUM__=1",
                                    "-I" + include + "/thrum/detail/wrapped",
                                    "-I" + include};
  if (toolchain.clang) {
    // Without the last, calls of several lines become one, of one line.
    for (const char* flag :
         {"-tsan-distinguish-volatile", "-tsan-instrument-read-before-write", "-enable-tail-merge=0"})
      flags.insert(flags.end(), {"-mllvm", flag});
    flags.insert(flags.end(), {"-imacros", include + "/thrum/detail/clang_atomics.h"});
    return without_warnings(flags);
  }
  // g++ expands memset of a constant size in place, without a callback. And it removes a block of the heap
  // that no other code sees, together with a use after its free.
  flags.insert(flags.end(), {"--param=tsan-distinguish-volatile=1", "-fno-builtin-memset",
                             "-fno-builtin-malloc", "-fno-builtin-calloc", "-fno-builtin-free",
                             // "atomic_thread_fence is not supported" by libtsan; our runtime supports it.
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
                                    // Not -pthread: in a command that also compiles it would be a flag of
                                    // the compilation, and differ from those of a precompiled header.
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
