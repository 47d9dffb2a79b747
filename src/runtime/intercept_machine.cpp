// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program may ask of the machine that would otherwise differ from one execution to the next, or be
// read from files.

#include <sched.h>
#include <sys/sysinfo.h>

#include "runtime/intercept.hpp"
#include "runtime/raw_syscall.hpp"

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

// std::thread::hardware_concurrency asks this.
THRUM_EXPORT int get_nprocs() {
  THRUM_FORWARD(get_nprocs)
  cpu_set_t set;
  long bytes = raw_syscall(SYS_sched_getaffinity, 0, sizeof set, reinterpret_cast<long>(&set));
  return bytes > 0 ? CPU_COUNT_S(static_cast<std::size_t>(bytes), &set) : 1;
}
