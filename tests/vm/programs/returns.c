// main's result is the status of the process, and what runs at its end is told of it.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

static void say(int status, void* what) { printf("%s %d\n", (const char*)what, status); }

int main(void) {
  on_exit(say, "status");
  puts("returns 5");
  return 5;
}
