// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the state of the C library and of the system lies that the program cannot access.
#pragma once

#include <cstdint>

#include "vm/address_space.hpp"

namespace thrum::vm {

// State of libc that the program cannot access, in the machine's part of the memory.
enum class LibraryState : std::uint8_t {
  token,
  locales,
  streams,
  settings,
  random,
  environment,
  concurrency,
  robust_mutexes,
  semaphores,
  mappings,
  limits,
  signals,
  thread_signals,
  timers,
  invariants,
  handlers  // 32 MB, so the last
};
constexpr std::uint64_t state_place(LibraryState part) {
  return kMachine + (std::uint64_t{32} << 32) + (static_cast<std::uint64_t>(part) << 24);
}

}  // namespace thrum::vm
