#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <unistd.h>
static void first(void) { puts("first"); }
static void second(void) { puts("second"); }
static void third(int status, void* argument) { printf("third %d %s\n", status, (const char*)argument); }
int main(int count, char** arguments) {
  printf("%d %d %d\n", count, arguments[count] == NULL, arguments[0] != NULL);
  printf("%d ", getenv("THRUM_NO_SUCH_VARIABLE") == NULL);
  setenv("THRUM_A", "1", 0);
  setenv("THRUM_A", "2", 0);
  printf("%s ", getenv("THRUM_A"));
  setenv("THRUM_A", "3", 1);
  printf("%s ", getenv("THRUM_A"));
  static char own[] = "THRUM_B=own";
  putenv(own);
  own[8] = 'O';
  printf("%s ", getenv("THRUM_B"));
  unsetenv("THRUM_A");
  printf("%d %d %d\n", getenv("THRUM_A") == NULL, setenv("", "x", 1), errno == EINVAL);
  printf("%d %d %ld\n", getpid() == gettid(), sched_getcpu() >= 0, sysconf(_SC_PAGESIZE));
  cpu_set_t set;
  printf("%d %d\n", sched_getaffinity(0, sizeof set, &set), CPU_COUNT(&set) >= 1);
  srand48(5);
  for (int i = 0; i < 5; ++i) printf("%.17g %ld %ld ", drand48(), lrand48(), mrand48());
  unsigned short state[3] = {1, 2, 3};
  for (int i = 0; i < 5; ++i) printf("%.17g %ld %ld ", erand48(state), nrand48(state), jrand48(state));
  unsigned seed = 7;
  printf("%d %d\n", rand_r(&seed), rand_r(&seed));
  srand(42);
  for (int i = 0; i < 20; ++i) printf("%d ", rand());
  puts("");
  printf("%d %d\n", arc4random_uniform(1), access("/no/such/file", 0));
  atexit(first);
  on_exit(third, "argument");
  atexit(second);
  exit(3);
}
