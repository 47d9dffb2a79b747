// Actions, masks and sets of signals; handlers that nest, jump and run on a stack of their own.
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile int depth;
static volatile int nested;
static char alternate[1 << 16];
static sigjmp_buf out;

static void nests(int number) {
  printf("handler of %d at depth %d\n", number, depth);
  ++depth;
  if (++nested < 4) raise(number == SIGUSR1 ? SIGUSR2 : SIGUSR1);
  --depth;
  printf("left %d\n", depth);
}

static void told(int number, siginfo_t* info, void* context) {
  char here;
  const uintptr_t place = (uintptr_t)&here;
  const int on_it = place >= (uintptr_t)alternate && place < (uintptr_t)alternate + sizeof alternate;
  printf("told %d %d %d %d %d\n", number, info->si_signo, info->si_pid == getpid(), context != NULL, on_it);
  stack_t stack;
  printf("%d ", sigaltstack(NULL, &stack));
  printf("%d\n", stack.ss_flags == SS_ONSTACK);
}

static void queued(int number, siginfo_t* info, void* context) {
  (void)context;
  printf("queued %d %d %d\n", number - SIGRTMIN, info->si_value.sival_int, info->si_code == SI_QUEUE);
}

static void leaves(int number) { siglongjmp(out, number); }

static void print_mask(const char* what) {
  sigset_t now;
  sigprocmask(SIG_SETMASK, NULL, &now);
  printf("%s:", what);
  for (int i = 1; i < 32; ++i) {
    if (sigismember(&now, i)) printf(" %d", i);
  }
  puts("");
}

static void jump_many(int left) {
  static jmp_buf place;
  volatile int count = 0;
  const int got = setjmp(place);
  ++count;
  printf("setjmp %d %d\n", got, count);
  if (count < left) longjmp(place, count - 1);
}

static void sets(void) {
  sigset_t set;
  sigemptyset(&set);
  printf("%d %d %d %d\n", sigaddset(&set, SIGINT), sigismember(&set, SIGINT), sigismember(&set, SIGTERM),
         sigdelset(&set, SIGINT));
  sigfillset(&set);
  printf("%d %d ", sigismember(&set, SIGTERM), sigaddset(&set, 1000));
  printf("%d %d\n", errno == EINVAL, SIGRTMAX - SIGRTMIN);
}

static void actions(void) {
  struct sigaction action = {.sa_handler = nests}, old;
  printf("%d\n", sigaction(SIGUSR1, &action, NULL));
  printf("%d %d\n", sigaction(SIGUSR2, &action, &old), old.sa_handler == SIG_DFL);
  raise(SIGUSR1);
  printf("%d %d\n", signal(SIGUSR1, SIG_IGN) == nests, raise(SIGUSR1));
  printf("%d %d\n", signal(SIGKILL, SIG_IGN) == SIG_ERR, errno == EINVAL);
  struct sigaction once = {.sa_sigaction = told, .sa_flags = SA_SIGINFO | SA_RESETHAND | SA_ONSTACK};
  stack_t small = {.ss_sp = alternate, .ss_size = 16}, stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
  printf("%d %d\n", sigaltstack(&small, NULL), errno == ENOMEM);
  printf("%d\n", sigaltstack(&stack, NULL));
  sigaction(SIGUSR1, &once, NULL);
  raise(SIGUSR1);
  sigaction(SIGUSR1, NULL, &old);
  printf("%d\n", old.sa_handler == SIG_DFL);
}

static void masks(void) {
  struct sigaction action = {.sa_sigaction = queued, .sa_flags = SA_SIGINFO};
  sigaction(SIGRTMIN, &action, NULL);
  sigaction(SIGRTMIN + 1, &action, NULL);
  sigset_t set, pending;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN);
  sigaddset(&set, SIGRTMIN + 1);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, NULL);
  print_mask("blocked");
  sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = 1});
  for (int i = 0; i < 3; ++i) sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i});
  raise(SIGTERM);
  raise(SIGTERM);
  sigpending(&pending);
  printf("%d %d\n", sigismember(&pending, SIGTERM), sigismember(&pending, SIGRTMIN + 1));
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  siginfo_t info;
  const struct timespec none = {0, 0};
  printf("%d ", sigtimedwait(&term, &info, &none));
  printf("%d %d\n", sigtimedwait(&term, &info, &none), errno == EAGAIN);
  // Of several that are unblocked at once, the kernel begins the handlers in the other order.
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGRTMIN);
  sigprocmask(SIG_UNBLOCK, &one, NULL);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  print_mask("unblocked");
}

static void jumps(void) {
  signal(SIGUSR1, leaves);
  for (int i = 0; i < 2; ++i) {
    const int number = sigsetjmp(out, 1);
    if (number == 0) raise(SIGUSR1);
    printf("jumped with %d\n", number);
    print_mask("after");
  }
  if (sigsetjmp(out, 0) == 0) raise(SIGUSR1);
  print_mask("not restored");
  jump_many(4);
}

int main(void) {
  sets();
  actions();
  masks();
  jumps();
}
