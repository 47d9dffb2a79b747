// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// deny_call NAME COMMAND...: becomes the command, for which and whose children the system call of that name
// fails, as in many containers.
#include <seccomp.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  int call = seccomp_syscall_resolve_name(argv[1]);
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  bool installed = call != __NR_SCMP_ERROR && filter != nullptr &&
                   seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0) == 0 && seccomp_load(filter) == 0;
  if (!installed) {
    std::fprintf(stderr, "deny_call: no filter can be installed for %s\n", argv[1]);
    return 2;
  }
  execvp(argv[2], argv + 2);
  std::perror(argv[2]);
  return 2;
}
