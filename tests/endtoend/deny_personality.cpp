// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// deny_personality COMMAND...: becomes the command, for which and whose children the system call personality
// fails, as in many containers.
#include <seccomp.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  bool installed = filter != nullptr &&
                   seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(personality), 0) == 0 &&
                   seccomp_load(filter) == 0;
  if (!installed) {
    std::fputs("deny_personality: no filter can be installed\n", stderr);
    return 2;
  }
  execvp(argv[1], argv + 1);
  std::perror(argv[1]);
  return 2;
}
