// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "supervisor/process_state.hpp"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

namespace thrum {

namespace {

std::string read_proc(const std::string& name) {
  std::ifstream file("/proc/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Those that a program is found waiting in.
constexpr std::array<std::pair<int, const char*>, 22> kCalls = {{
    {SYS_read, "read"},
    {SYS_readv, "readv"},
    {SYS_pread64, "pread"},
    {SYS_write, "write"},
    {SYS_poll, "poll"},
    {SYS_ppoll, "ppoll"},
    {SYS_select, "select"},
    {SYS_pselect6, "pselect"},
    {SYS_epoll_wait, "epoll_wait"},
    {SYS_accept, "accept"},
    {SYS_accept4, "accept4"},
    {SYS_connect, "connect"},
    {SYS_recvfrom, "recvfrom"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_wait4, "wait4"},
    {SYS_waitid, "waitid"},
    {SYS_futex, "futex"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_pause, "pause"},
    {SYS_flock, "flock"},
    {SYS_openat, "openat"},
}};

}  // namespace

ProcessState process_state(pid_t process) {
  // The name, in parentheses, may hold anything; what follows it is fixed.
  std::string text = read_proc(std::to_string(process) + "/stat");
  std::size_t end_of_name = text.rfind(')');
  ProcessState result;
  if (end_of_name == std::string::npos) return result;
  std::istringstream in(text.substr(end_of_name + 1));
  in >> result.state;
  std::string skipped;
  for (int i = 0; i < 10; ++i) in >> skipped;
  double user = 0;
  double system = 0;
  in >> user >> system;
  result.cpu_seconds = (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return result;
}

std::string waiting_call(pid_t process) {
  std::istringstream in(read_proc(std::to_string(process) + "/syscall"));
  int number = -1;
  if (!(in >> number) || number < 0) return "";
  for (const auto& [known, name] : kCalls) {
    if (known == number) return name;
  }
  return "system call " + std::to_string(number);
}

void kill_children() {
  // Each round kills those that the last one's death has handed to us.
  while (true) {
    std::istringstream in(read_proc("self/task/" + std::to_string(getpid()) + "/children"));
    bool any = false;
    for (pid_t child = 0; in >> child; any = true) kill(child, SIGKILL);
    if (!any) return;
    if (waitpid(-1, nullptr, 0) < 0) return;
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
}

}  // namespace thrum
