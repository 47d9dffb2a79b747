// Faults that the program handles, before it has a second thread.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static sigjmp_buf out;
static char* page;
static int repaired;
static volatile int zero;

static void leave(int number) { siglongjmp(out, number); }

static void repair(int number, siginfo_t* information, void* context) {
  (void)context;
  printf("%d at %ld\n", number, (long)((char*)information->si_addr - page));
  ++repaired;
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

int main(void) {
  signal(SIGFPE, leave);
  signal(SIGSEGV, leave);
  int number = sigsetjmp(out, 1);
  if (number == 0) zero = 10 / zero;
  printf("left by %d\n", number);
  volatile int* volatile nothing = NULL;
  number = sigsetjmp(out, 1);
  if (number == 0) *nothing = 1;
  printf("left by %d\n", number);
  number = sigsetjmp(out, 1);
  if (number == 0) __atomic_fetch_add((int*)nothing, 1, __ATOMIC_SEQ_CST);
  printf("left by %d\n", number);

  page = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = repair;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, NULL);
  page[5] = 3;
  printf("%d %d %d\n", repaired, page[5], page[6]);
  mprotect(page, 4096, PROT_NONE);
  struct four { int a, b, c, d; } copied = {1, 2, 3, 4};
  *(struct four*)(page + 64) = copied;
  printf("%d %d\n", repaired, page[64]);
  return 0;
}
