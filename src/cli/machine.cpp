// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/machine.hpp"

#include <asm/hwcap2.h>
#include <fmt/format.h>
#include <linux/prctl.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <thread>

#include "cli/driver.hpp"
#include "cli/process.hpp"
#include "supervisor/launch.hpp"

namespace thrum {

namespace {

// Whether it works. It is tried in a child process, so that it has no effect on this one.
template <typename Attempt>
bool works_in_child(Attempt attempt) {
  pid_t child = fork();
  if (child == 0) _exit(attempt() ? 0 : 1);
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Finding system() {
  utsname name{};
  uname(&name);
  std::string text = fmt::format("{} {} {}, {} processors", name.sysname, name.release, name.machine,
                                 std::max(1U, std::thread::hardware_concurrency()));
  if (std::strcmp(name.machine, "x86_64") == 0) return {"system", State::good, text};
  return {"system", State::missing, text + ": programs are checked on x86-64 only"};
}

Finding thread_switching() {
  constexpr int kSetFs = 0x1002;
  constexpr int kGetFs = 0x1003;
  if ((getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE) != 0)
    return {"fsgsbase", State::good, "yes: threads are switched without the kernel"};
  bool by_call = works_in_child([] {
    unsigned long base = 0;
    return syscall(SYS_arch_prctl, kGetFs, &base) == 0 && syscall(SYS_arch_prctl, kSetFs, base) == 0;
  });
  if (by_call) {
    return {
        "fsgsbase", State::fallback,
        "no: as fast all the same, but for programs with thread_local variables, where each switch between "
        "threads is a system call"};
  }
  return {"fsgsbase", State::fallback,
          "no, and arch_prctl is refused: threads are system threads (--threads system), some seventy times "
          "as slow"};
}

Finding randomisation() {
  bool off = works_in_child([] { return personality(ADDR_NO_RANDOMIZE) >= 0; });
  if (off)
    return {"address randomisation", State::good, "can be switched off: addresses repeat from run to run"};
  return {"address randomisation", State::fallback,
          "cannot be switched off: schedules replay all the same, but addresses differ from run to run"};
}

Finding user_dispatch() {
  static char selector = 0;  // SYSCALL_DISPATCH_FILTER_ALLOW
  bool there = works_in_child(
      [] { return prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &selector) == 0; });
  if (there) return {"syscall user dispatch", State::good, "yes: every system call of a program is seen"};
  return {"syscall user dispatch", State::fallback,
          "no (it needs Linux 5.11): system calls are not watched, so that a search without a bug is "
          "inconclusive"};
}

Finding address_space() {
  std::string problem = address_space_problem();
  if (problem.empty())
    return {"address space", State::good, "as much as the runtime reserves and hardly uses"};
  return {"address space", State::missing, problem};
}

Finding runtime() {
  std::string path = installation_prefix() + "/lib/thrum/libthrum.so";
  if (std::filesystem::exists(path)) return {"runtime", State::good, path};
  return {"runtime", State::missing, path + " is not there: build or install Thrum completely"};
}

}  // namespace

std::vector<Finding> examine_machine() {
  return {system(), thread_switching(), randomisation(), user_dispatch(), address_space(), runtime()};
}

Finding examine_tool(const std::string& name, State missing, const std::string& why) {
  Command command = split_words(name);
  command.emplace_back("--version");
  std::optional<std::string> version = output_of(command);
  if (version) return {name, State::good, version->substr(0, version->find('\n'))};
  return {name, missing, "not found: " + why};
}

}  // namespace thrum
