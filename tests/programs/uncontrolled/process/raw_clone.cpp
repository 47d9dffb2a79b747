// expect: inconclusive
// reason: the program calls fork, which is not under control (in main, raw_clone.cpp:
#include <sys/syscall.h>
#include <unistd.h>

int main() {
  if (syscall(SYS_fork) == 0) _exit(0);
}
