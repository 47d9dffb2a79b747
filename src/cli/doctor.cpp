// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `thrum doctor` and `thrum strategies`: what this machine can do, and what there is.
#include <asm/hwcap2.h>
#include <fmt/format.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "cli/commands.hpp"
#include "cli/driver.hpp"
#include "cli/error.hpp"
#include "search/strategies.hpp"

namespace thrum {

namespace {

void line(const char* what, const std::string& state) { fmt::print("{:<24}{}\n", what, state); }

// Tried in a child, so that nothing of it stays.
bool randomisation_can_be_switched_off() {
  pid_t child = fork();
  if (child == 0) _exit(personality(ADDR_NO_RANDOMIZE) < 0 ? 1 : 0);
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void compiler_line(const char* name, const char* version_option) {
  std::optional<std::string> version = output_of({name, version_option});
  line(name, version ? version->substr(0, version->find('\n')) : "not found");
}

}  // namespace

int doctor_command() {
  utsname system{};
  uname(&system);
  line("kernel", fmt::format("{} {} {}", system.sysname, system.release, system.machine));
  bool fsgsbase = (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE) != 0;
  line("fsgsbase", fsgsbase ? "yes" : "no: switches between threads take about ten times as long");
  line("address randomisation", randomisation_can_be_switched_off()
                                    ? "can be switched off"
                                    : "cannot be switched off: addresses in reports differ from run to run");
  std::string runtime = installation_prefix() + "/lib/thrum/libthrum.so";
  line("runtime", std::filesystem::exists(runtime)
                      ? runtime
                      : runtime + " is missing: build or install Thrum completely");
  for (const char* name : {"gcc", "g++", "clang", "clang++", "clang++-19"}) compiler_line(name, "--version");
  for (const char* name : {"gdb"}) compiler_line(name, "--version");
  return kExitDone;
}

int strategies_command() {
  for (const StrategyRow& row : strategies()) fmt::print("{:<12}{}\n", row.name, row.help);
  return kExitDone;
}

}  // namespace thrum
