// State of the C library that changes behind the first choice: the next execution begins with the old one.
#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

static char words[] = "one two three four";
static int rounds;

static void at_end(void) { printf("end %d\n", rounds); }

static void change(const char* who) {
  printf("%s %s\n", who, rounds == 0 ? strtok(words, " ") : strtok(NULL, " "));
  printf("%.17g %ld %d\n", drand48(), lrand48(), rand());
  printf("%s\n", getenv("THRUM_UNDONE") ? getenv("THRUM_UNDONE") : "unset");
  setenv("THRUM_UNDONE", who, 1);
  printf("%d\n", ungetc('a' + rounds, stdin));
  printf("%d %d\n", getchar(), getchar());
  printf("%d %d\n", feof(stdin), ferror(stdin));
  printf("%d\n", uselocale(NULL) == LC_GLOBAL_LOCALE);
  uselocale(newlocale(LC_ALL_MASK, "C", NULL));
  char name[16];
  pthread_getname_np(pthread_self(), name, sizeof name);
  printf("%s\n", rounds == 1 && strcmp(name, "named") != 0 ? "own name" : name[0] != 0 ? "a name" : "?");
  pthread_setname_np(pthread_self(), "named");
  const time_t moment = 1000000 * (rounds + 1);
  printf("%s", asctime(localtime(&moment)));
  printf("%s %s\n", strerror(7000 + rounds), strerror(rounds));
  char content[] = "abc";
  FILE* file = fmemopen(content, 3, "r");
  printf("%d\n", fgetc(file));
  fclose(file);
  volatile double one = 1, three = 3;
  printf("%a %d\n", one / three, fegetround() == FE_TONEAREST);
  fesetround(FE_UPWARD);
  printf("%a\n", one / three);
  errno = 0;
  printf("%ld %d\n", strtol("99999999999999999999", NULL, 10), errno);
  atexit(at_end);
  ++rounds;
}

static void* run(void* who) {
  change(who);
  return NULL;
}

int main(void) {
  pthread_t thread;
  srand48(3);
  pthread_create(&thread, NULL, run, "first");
  pthread_join(thread, NULL);
  change("main");
  pthread_create(&thread, NULL, run, "second");
  pthread_join(thread, NULL);
  return 0;
}
