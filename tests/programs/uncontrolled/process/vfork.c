// expect: inconclusive
// reason: the program calls vfork, which is not under control (in main, vfork.c:
#define _DEFAULT_SOURCE
#include <unistd.h>

int main(void) {
  if (vfork() == 0) _exit(0);
  return 0;
}
