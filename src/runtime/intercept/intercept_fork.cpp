// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// New processes. Under a search this process is never copied for the program: the copy would run the search,
// and write into the memory shared with the supervisor. So fork and the like, and exec, end the search and
// are named in the result, in an execution and before the first choice.
//
// Before the first choice a program may start another one (system, popen, posix_spawn): this is part of the
// set-up, which is done once. In an execution this ends the search too, since it cannot be undone.

#include <cstdarg>

#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <termios.h>
#include <unistd.h>

#include "runtime/base/engine.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/intercept/intercept.hpp"

using namespace thrum;

#define REFUSE(name) \
  if (searching()) lose_control_by_call(#name);

#define REFUSE_IN_EXECUTION(name) \
  if (searching() && world.running) lose_control_by_call(#name);

// Not declared in all headers.
extern "C" {
pid_t _Fork();
pid_t __fork();
pid_t __libc_fork();
int daemon(int, int);
int forkpty(int*, char*, const struct termios*, const struct winsize*);
int execveat(int, const char*, char* const[], char* const[], int);
int clone(int (*)(void*), void*, int, void*, ...);
}

#define FORK(name)            \
  THRUM_EXPORT pid_t name() { \
    REFUSE(name)              \
    THRUM_REAL(name);         \
    return real();            \
  }

FORK(fork)
FORK(_Fork)
FORK(__fork)
FORK(__libc_fork)

// vfork returns twice on one stack. So vfork itself (switch.S) has to jump to the address that this returns.
extern "C" __attribute__((visibility("hidden"))) void* thrum_vfork_target() {
  REFUSE(vfork)
  static void* const real = next_function("vfork");
  return real;
}

THRUM_EXPORT int clone(int (*body)(void*), void* stack, int flags, void* argument, ...) {
  REFUSE(clone)
  va_list list;
  va_start(list, argument);
  auto* parent_id = va_arg(list, pid_t*);
  void* storage = va_arg(list, void*);
  auto* child_id = va_arg(list, pid_t*);
  va_end(list);
  THRUM_REAL(clone);
  return real(body, stack, flags, argument, parent_id, storage, child_id);
}

THRUM_EXPORT int daemon(int keep_directory, int keep_output) {
  REFUSE(daemon)
  THRUM_REAL(daemon);
  return real(keep_directory, keep_output);
}

THRUM_EXPORT int forkpty(int* terminal, char* name, const struct termios* modes, const struct winsize* size) {
  REFUSE(forkpty)
  THRUM_REAL(forkpty);
  return real(terminal, name, modes, size);
}

// ---- Replacing this program ----------------------------------------------------------------------

THRUM_EXPORT int execve(const char* path, char* const arguments[], char* const environment[]) {
  REFUSE(execve)
  THRUM_REAL(execve);
  return real(path, arguments, environment);
}
THRUM_EXPORT int execveat(int folder, const char* path, char* const arguments[], char* const environment[],
                          int flags) {
  REFUSE(execveat)
  THRUM_REAL(execveat);
  return real(folder, path, arguments, environment, flags);
}
THRUM_EXPORT int fexecve(int file, char* const arguments[], char* const environment[]) {
  REFUSE(fexecve)
  THRUM_REAL(fexecve);
  return real(file, arguments, environment);
}
THRUM_EXPORT int execv(const char* path, char* const arguments[]) {
  REFUSE(execv)
  THRUM_REAL(execv);
  return real(path, arguments);
}
THRUM_EXPORT int execvp(const char* file, char* const arguments[]) {
  REFUSE(execvp)
  THRUM_REAL(execvp);
  return real(file, arguments);
}
THRUM_EXPORT int execvpe(const char* file, char* const arguments[], char* const environment[]) {
  REFUSE(execvpe)
  THRUM_REAL(execvpe);
  return real(file, arguments, environment);
}

namespace {

using Execute = int (*)(const char*, char* const[], char* const[]);

// The variants whose arguments are in the call. environment: one follows the arguments.
int execute_listed(Execute real, const char* file, const char* first, va_list list, bool environment) {
  va_list counted;
  va_copy(counted, list);
  std::size_t count = 1;
  for (const char* word = first; word; word = va_arg(counted, const char*)) ++count;
  va_end(counted);
  auto** words = static_cast<char**>(__builtin_alloca(count * sizeof(char*)));
  std::size_t at = 0;
  for (const char* word = first; word; word = va_arg(list, const char*))
    words[at++] = const_cast<char*>(word);
  words[at] = nullptr;
  return real(file, words, environment ? va_arg(list, char* const*) : environ);
}

}  // namespace

#define EXECUTE_LISTED(name, vector_form, environment)                                            \
  THRUM_EXPORT int name(const char* file, const char* first, ...) {                               \
    REFUSE(name)                                                                                  \
    THRUM_REAL(vector_form);                                                                      \
    va_list list;                                                                                 \
    va_start(list, first);                                                                        \
    int result = execute_listed(reinterpret_cast<Execute>(real), file, first, list, environment); \
    va_end(list);                                                                                 \
    return result;                                                                                \
  }

EXECUTE_LISTED(execl, execve, false)
EXECUTE_LISTED(execle, execve, true)
EXECUTE_LISTED(execlp, execvpe, false)

// ---- Starting another program --------------------------------------------------------------------

THRUM_EXPORT int system(const char* command) {
  REFUSE_IN_EXECUTION(system)
  THRUM_REAL(system);
  return real(command);
}
THRUM_EXPORT FILE* popen(const char* command, const char* mode) {
  REFUSE_IN_EXECUTION(popen)
  THRUM_REAL(popen);
  return real(command, mode);
}
THRUM_EXPORT int posix_spawn(pid_t* process, const char* path, const posix_spawn_file_actions_t* actions,
                             const posix_spawnattr_t* attributes, char* const arguments[],
                             char* const environment[]) {
  REFUSE_IN_EXECUTION(posix_spawn)
  THRUM_REAL(posix_spawn);
  return real(process, path, actions, attributes, arguments, environment);
}
THRUM_EXPORT int posix_spawnp(pid_t* process, const char* file, const posix_spawn_file_actions_t* actions,
                              const posix_spawnattr_t* attributes, char* const arguments[],
                              char* const environment[]) {
  REFUSE_IN_EXECUTION(posix_spawnp)
  THRUM_REAL(posix_spawnp);
  return real(process, file, actions, attributes, arguments, environment);
}
