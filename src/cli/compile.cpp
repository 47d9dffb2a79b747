// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `thrum c++`, `thrum cc` and `thrum flags`.
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "cli/bitcode_driver.hpp"
#include "cli/commands.hpp"
#include "cli/driver.hpp"
#include "verdict/error.hpp"

namespace thrum {

namespace {

// An environment variable that a driver sets for the compiler that it runs.
constexpr const char* kInsideDriver = "THRUM_INSIDE_DRIVER";

// Ends by the signal that ended it, if one did.
int bitcode_command_line(const Toolchain& toolchain, const std::vector<std::string>& words) {
  int signal = 0;
  int code = 0;
  {
    const SignalRelay relay;
    code = compile_with_bitcode(toolchain, words, true);
    signal = SignalRelay::signal();
  }
  if (signal != 0) raise(signal);
  return code;
}

}  // namespace

int driver_command_line(const std::string& name, const std::vector<std::string>& arguments) {
  if (std::getenv(kInsideDriver) != nullptr) {
    throw UserError(
        "THRUM_CC or THRUM_CXX names a compiler that leads back to Thrum's driver; name a stock compiler");
  }
  setenv(kInsideDriver, "1", 1);
  std::vector<std::string> words = expand_response_files(arguments);
  const bool bitcode = asks_for_bitcode(words);
  const Language language = name == "thrum-cc" ? Language::c : Language::cpp;
  const Toolchain toolchain = bitcode ? find_bitcode_toolchain(language) : find_toolchain(language);
  Command command;
  if (name == "thrum-cc" || name == "thrum-c++") {
    if (bitcode && makes_bitcode(words)) return bitcode_command_line(toolchain, words);
    command = driver_command(toolchain, bitcode ? words : arguments);
  } else {
    std::optional<Command> archiver = archiver_command(name, toolchain, arguments);
    if (!archiver) throw UserError(name + ": Thrum has no program of this name");
    command = *archiver;
  }
  become(command);
  throw UserError(command[0] + ": cannot be run: " + std::strerror(errno));
}

int flags_command(const std::string& step, const std::string& compiler) {
  Toolchain toolchain;
  if (compiler.empty()) {
    toolchain = find_toolchain(Language::cpp);
  } else {
    toolchain.clang = compiler == "clang";
    toolchain.prefix = installation_prefix();
  }
  std::vector<std::string> flags = step == "compile" ? compile_flags(toolchain) : link_flags(toolchain);
  if (step == "compile")
    for (const std::string& flag : counter_flags(toolchain)) flags.push_back(flag);
  for (const std::string& flag : flags) fmt::print("{}\n", flag);
  return kExitDone;
}

}  // namespace thrum
