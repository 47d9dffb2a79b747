// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the instructions of executions: takes hold of a worker that is searching and goes through it step by
// step (ptrace). callgrind cannot, since a worker reserves parts of the address space.
//
//     instructions PID ADDRESS EXECUTIONS
//
// ADDRESS: in hexadecimal, of the function that each execution begins with. Prints an address and how often
// an instruction was done there, a line each. A repeated one (rep movsb) counts once. About 25 us a step.

#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>

namespace {

using Address = std::uint64_t;

// One step; where that leads. signal: to be delivered with it, and then what came meanwhile: a page of the
// snapshot is written by way of SIGSEGV.
Address step(pid_t process, int& signal) {
  int status = 0;
  if (ptrace(PTRACE_SINGLESTEP, process, nullptr, signal) != 0 ||
      waitpid(process, &status, __WALL) != process || !WIFSTOPPED(status)) {
    std::fprintf(stderr, "instructions: process %d is gone\n", process);
    std::exit(1);
  }
  signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
  return static_cast<Address>(ptrace(PTRACE_PEEKUSER, process, offsetof(user_regs_struct, rip), nullptr));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "instructions PID ADDRESS EXECUTIONS\n");
    return 2;
  }
  const pid_t process = std::atoi(argv[1]);
  const Address first = std::strtoull(argv[2], nullptr, 16);
  const long executions = std::atol(argv[3]);
  if (ptrace(PTRACE_ATTACH, process, nullptr, nullptr) != 0) {
    std::perror("instructions: ptrace");
    return 1;
  }
  waitpid(process, nullptr, __WALL);
  std::unordered_map<Address, std::uint64_t> counts;
  Address last = 0;
  int signal = 0;
  for (long begun = 0;;) {
    const Address at = step(process, signal);
    if (at == first && ++begun > executions) break;
    if (begun > 0 && at != last) ++counts[at];
    last = at;
  }
  ptrace(PTRACE_DETACH, process, nullptr, nullptr);
  for (const auto& [address, count] : counts)
    std::printf("%lx %lu\n", static_cast<unsigned long>(address), static_cast<unsigned long>(count));
  return 0;
}
