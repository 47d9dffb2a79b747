// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <utility>

namespace {

using Clock = std::chrono::steady_clock;

// What a descendant may take to notice that the command has ended.
constexpr std::chrono::seconds kGraceMax{2};
constexpr std::chrono::milliseconds kPollInterval{20};

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

struct Pipe {
  Pipe() {
    std::array<int, 2> ends;
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe");
    read_end = ends[0];
    write_end = ends[1];
  }
  ~Pipe() {
    close(read_end);
    close_write_end();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void close_write_end() {
    if (write_end >= 0) close(std::exchange(write_end, -1));
  }

  int read_end = -1;
  int write_end = -1;
};

[[noreturn]] void become(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                         int output, int errors) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const std::string& setting : environment) {
    const std::size_t equals = setting.find('=');
    setenv(setting.substr(0, equals).c_str(), setting.substr(equals + 1).c_str(), 1);
  }
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

// Takes what there is in the pipe; false at its end.
bool drain(int descriptor, std::string& text) {
  std::array<char, 65536> buffer;
  const ssize_t count = read(descriptor, buffer.data(), buffer.size());
  if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

// Children of this process, which adopts the orphans among its descendants.
std::vector<pid_t> children() {
  std::ifstream list("/proc/self/task/" + std::to_string(getpid()) + "/children");
  std::vector<pid_t> pids;
  for (pid_t pid; list >> pid;) pids.push_back(pid);
  return pids;
}

void reap_all() {
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

// Whether a descendant is still there after the grace period. It is then killed, and so are those
// that its death makes orphans.
bool kill_what_is_left() {
  const Clock::time_point deadline = Clock::now() + kGraceMax;
  for (reap_all(); !children().empty() && Clock::now() < deadline; reap_all()) {
    poll(nullptr, 0, static_cast<int>(kPollInterval.count()));
  }
  const bool left = !children().empty();
  for (std::vector<pid_t> pids = children(); !pids.empty(); pids = children()) {
    for (const pid_t pid : pids) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
  }
  return left;
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                      int timeout_seconds) {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) fail("prctl");
  Pipe output;
  Pipe errors;
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) become(command, environment, output.write_end, errors.write_end);
  output.close_write_end();
  errors.close_write_end();

  ChildResult result;
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(timeout_seconds);
  std::array<pollfd, 2> pipes{{{output.read_end, POLLIN, 0}, {errors.read_end, POLLIN, 0}}};
  int status = 0;
  bool ended = false;
  // A descendant can hold the pipes open after the command has ended, so both are waited for.
  while (!ended) {
    if (Clock::now() >= deadline) {
      result.timed_out = true;
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
    poll(pipes.data(), pipes.size(), static_cast<int>(kPollInterval.count()));
    if (pipes[0].revents != 0 && !drain(output.read_end, result.output)) pipes[0].fd = -1;
    if (pipes[1].revents != 0 && !drain(errors.read_end, result.errors)) pipes[1].fd = -1;
    ended = waitpid(child, &status, WNOHANG) == child;
  }
  const bool left = kill_what_is_left();
  result.left_processes = left && !result.timed_out;
  // Everybody who could write is dead now: what is left in the pipes ends.
  while (pipes[0].fd >= 0 && drain(output.read_end, result.output)) {
  }
  while (pipes[1].fd >= 0 && drain(errors.read_end, result.errors)) {
  }
  if (!result.timed_out && WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}
