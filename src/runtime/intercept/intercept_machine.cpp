// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Properties of the machine that would otherwise differ between executions, or be read from files.

#include <sched.h>
#include <stdlib.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "runtime/intercept/intercept.hpp"
#include "runtime/libc/libc_calls.hpp"
#include "support/raw_syscall.hpp"

using namespace thrum;

// std::random_device::_M_getval: libstdc++ would take the processor's random numbers.
THRUM_EXPORT unsigned _ZNSt13random_device9_M_getvalEv(void* device) {
  if (!searching()) {
    static auto* const real =
        reinterpret_cast<unsigned (*)(void*)>(next_function("_ZNSt13random_device9_M_getvalEv"));
    return real(device);
  }
  world.wrote = true;  // a loop that draws numbers is no spin
  return static_cast<unsigned>(draw_random().next());
}

// libc's generators whose state belongs to the caller (intercept_random.cpp has those with shared state).
// They write the state unseen, so a loop that draws from one is no spin.
#define DRAW(result, name, parameters, ...)        \
  THRUM_EXPORT result name parameters {            \
    THRUM_REAL(name);                              \
    if (world.running) world.wrote = true;         \
    name##_call{THRUM_CALLER}.before(__VA_ARGS__); \
    return real(__VA_ARGS__);                      \
  }

DRAW(int, rand_r, (unsigned* seed), seed)
DRAW(double, erand48, (unsigned short state[3]), state)
DRAW(long, nrand48, (unsigned short state[3]), state)
DRAW(long, jrand48, (unsigned short state[3]), state)

// The processor on which a thread runs.
THRUM_EXPORT int sched_getcpu() {
  THRUM_FORWARD(sched_getcpu)
  return 0;
}
THRUM_EXPORT int getcpu(unsigned* processor, unsigned* node) {
  THRUM_FORWARD(getcpu, processor, node)
  if (processor) *processor = 0;
  if (node) *node = 0;
  return 0;
}

// Called by std::thread::hardware_concurrency.
THRUM_EXPORT int get_nprocs() {
  THRUM_FORWARD(get_nprocs)
  cpu_set_t set;
  long bytes = raw_syscall(SYS_sched_getaffinity, 0, sizeof set, reinterpret_cast<long>(&set));
  return bytes > 0 ? CPU_COUNT_S(static_cast<std::size_t>(bytes), &set) : 1;
}
