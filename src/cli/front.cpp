// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which program this is, the compiler drivers or thrum, and how errors reach the user.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>

#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "report/result.hpp"
#include "verdict/error.hpp"

namespace thrum {

namespace {

int run_command(const std::vector<std::string>& words) {
  // The drivers' arguments are the compiler's, not ours.
  std::string name = std::filesystem::path(words[0]).filename().string();
  if (name.starts_with("thrum-")) return driver_command_line(name, {words.begin() + 1, words.end()});
  if (words.size() > 1 && (words[1] == "c++" || words[1] == "cc")) {
    return driver_command_line("thrum-" + words[1], {words.begin() + 2, words.end()});
  }
  return CommandLine().run(words);
}

}  // namespace

int thrum_main(const std::vector<std::string>& words) {
  try {
    return run_command(words);
  } catch (const UserError& error) {
    fmt::print(stderr, "thrum: {}\n", error.what());
    return kExitUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "thrum: internal error: {}\n", error.what());
    return kExitInternal;
  }
}

}  // namespace thrum
