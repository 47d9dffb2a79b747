// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread that goes round without an operation comes to its limit, also where each round calls a function of
// the machine.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>

#include "bitcode/reader.hpp"
#include "programs/child_process.hpp"
#include "vm/machine.hpp"

namespace {

using namespace thrum;
namespace fs = std::filesystem;

// Whether main, with a limit of 100,000 rounds, ends as one that hangs. In a process of its own: the
// machine's memory lies at fixed addresses.
bool hangs(const std::string& main) {
  std::string folder = fs::temp_directory_path().string() + "/thrum-vm-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return false;
  std::ofstream(folder + "/program.c") << "#include <unistd.h>\nint main(void) {\n" << main << "}\n";
  run_child(
      {"clang-19", "-O0", "-w", "-emit-llvm", "-c", folder + "/program.c", "-o", folder + "/program.bc"}, {},
      120);
  std::ifstream in(folder + "/program.bc", std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  fs::remove_all(folder);
  const pid_t child = fork();
  if (child == 0) {
    constexpr unsigned kSeconds = 60;
    alarm(kSeconds);
    const bitcode::Linked linked = bitcode::link({{"program", bytes.str()}}, {});
    ThreadNames names;
    vm::MachineSettings settings;
    settings.arguments = {"program"};
    settings.instructions = 100'000;
    vm::Machine machine(*linked.code, settings, names);
    machine.prepare();
    const Trace& trace = *machine.trace;
    _exit(machine.ended_early() && trace.end == End::bug && trace.failure.kind == BugKind::hang ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

TEST(Patience, EndsOverCallsOfTheMachine) {
  if (run_child({"clang-19", "--version"}, {}, 120).exit_code != 0) GTEST_SKIP() << "there is no clang-19";
  EXPECT_TRUE(hangs("for (;;) {}"));
  EXPECT_TRUE(hangs("for (;;) getpid();"));
  EXPECT_FALSE(hangs("for (int i = 0; i < 10000; ++i) getpid();"));
}

}  // namespace
