#include <stdio.h>
#include <stdlib.h>
static void first(void) { puts("first"); }
static void second(void) { puts("second"); fflush(stdout); }
static void never(void) { puts("never"); fflush(stdout); }
int main(void) {
  puts("main");
  fflush(stdout);
  atexit(never);
  at_quick_exit(second);
  at_quick_exit(first);
  quick_exit(0);
}
