// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "supervisor/launch.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "protocol/channel.hpp"

namespace thrum {

namespace {

std::vector<std::string> worker_environment(int channel) {
  constexpr std::string_view kTunables = "GLIBC_TUNABLES=";
  // The kernel writes the area of restartable sequences at the thread pointer, which fibers move.
  constexpr std::string_view kNoRseq = "glibc.pthread.rseq=0";
  const std::string channel_variable = std::string(kChannelVariable) + "=";
  std::vector<std::string> result;
  std::string tunables(kTunables);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view text = *entry;
    if (text.starts_with(channel_variable) || text.starts_with("LD_BIND_NOW=") ||
        text.starts_with("LLVM_PROFILE_FILE="))
      continue;
    if (text.starts_with(kTunables)) {
      tunables = std::string(text) + ":";
      continue;
    }
    result.emplace_back(text);
  }
  result.push_back(tunables.append(kNoRseq));
  // Bindings made late would be lost when the memory is restored.
  result.emplace_back("LD_BIND_NOW=1");
  // What clang's counters of coverage say of executions is of no use to anybody.
  result.emplace_back("LLVM_PROFILE_FILE=/dev/null");
  // Always as long, as the addresses on the stack depend on it.
  const std::string number = std::to_string(channel);
  result.push_back(channel_variable + std::string(10 - number.size(), '0') + number);
  return result;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

void lift_limit(int resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(resource, &limit);
}

bool is_limited(int resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 && limit.rlim_max != RLIM_INFINITY;
}

// Where a file that is our standard input stood when the first worker was started; -1: it is no file.
off_t input_offset() {
  static const off_t offset = [] {
    struct stat status {};
    const bool is_file = fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode);
    return is_file ? lseek(STDIN_FILENO, 0, SEEK_CUR) : off_t{-1};
  }();
  return offset;
}

// Each worker reads the file from there on, whatever others have read.
void open_input_anew(off_t offset) {
  const int file = offset < 0 ? -1 : open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  lseek(file, offset, SEEK_SET);
  dup2(file, STDIN_FILENO);
}

// In the child, between fork and exec.
void prepare_child(const Launch& what, pid_t parent, off_t input) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it died before it could be watched
  int persona = personality(0xffffffff);
  // May be forbidden; then addresses differ from run to run, and are told apart by their places.
  if (persona >= 0) personality(static_cast<unsigned long>(persona) | ADDR_NO_RANDOMIZE);
  // A group in the background that uses the terminal would be stopped; so its reads fail and its writes go
  // through.
  std::signal(SIGTTIN, SIG_IGN);
  std::signal(SIGTTOU, SIG_IGN);
  open_input_anew(input);
  if (what.output >= 0) {
    dup2(what.output, STDOUT_FILENO);
    dup2(what.output, STDERR_FILENO);
  }
  fcntl(what.channel, F_SETFD, 0);
  sigset_t bell;  // which we hold back
  sigemptyset(&bell);
  sigaddset(&bell, bell_signal());
  sigprocmask(SIG_UNBLOCK, &bell, nullptr);
}

}  // namespace

std::string address_space_problem() {
  if (is_limited(RLIMIT_AS))
    return "the address space is limited, and addresses (hardly memory) are needed without limit: ulimit -v "
           "unlimited";
  if (is_limited(RLIMIT_DATA))
    return "the data segment is limited, and addresses (hardly memory) are needed without limit: ulimit -d "
           "unlimited";
  lift_limit(RLIMIT_AS);
  lift_limit(RLIMIT_DATA);
  constexpr std::size_t kTrial = std::size_t{1} << 40;
  void* memory =
      mmap(nullptr, kTrial, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    return std::string("addresses cannot be reserved beyond the memory there is (") + std::strerror(errno) +
           "): set vm.overcommit_memory to 0 or 1";
  }
  munmap(memory, kTrial);
  return {};
}

Launched launch(const Launch& what) {
  std::vector<std::string> environment = worker_environment(what.channel);
  std::vector<std::string> words = {what.program};
  words.insert(words.end(), what.arguments.begin(), what.arguments.end());
  std::vector<char*> argument_pointers = pointers(words);
  std::vector<char*> environment_pointers = pointers(environment);

  Launched result;
  result.problem = address_space_problem();
  if (!result.problem.empty()) return result;
  std::array<int, 2> failure{};  // closes by itself when exec succeeds
  if (pipe2(failure.data(), O_CLOEXEC) != 0) {
    result.problem = std::string("pipe: ") + std::strerror(errno);
    return result;
  }
  pid_t parent = getpid();
  const off_t input = input_offset();
  pid_t child = fork();
  if (child == 0) {
    prepare_child(what, parent, input);
    execve(what.program.c_str(), argument_pointers.data(), environment_pointers.data());
    int error = errno;
    if (write(failure[1], &error, sizeof error) < 0) {
      // The exit code says it too.
    }
    _exit(127);
  }
  close(failure[1]);
  int error = child < 0 ? errno : 0;
  while (child > 0 && read(failure[0], &error, sizeof error) < 0 && errno == EINTR) {
  }
  close(failure[0]);
  if (error != 0) {
    if (child > 0) waitpid(child, nullptr, 0);
    result.problem = what.program + ": cannot be started: " + std::strerror(error);
    return result;
  }
  result.process = child;
  result.process_descriptor = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  return result;
}

}  // namespace thrum
