// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which addresses mean what in the memory of a program that the machine runs. They are real addresses of the
// machine's process. The heap lies where the native engine has it.
#pragma once

#include <cstdint>

namespace thrum::vm {

// All memory that the program can access. Behind it, at a constant distance, lies the shadow: a byte for each
// byte.
inline constexpr std::uint64_t kArena = 0x1000'0000'0000;
inline constexpr unsigned kArenaBits = 44;
inline constexpr std::uint64_t kArenaSize = std::uint64_t{1} << kArenaBits;
inline constexpr std::uint64_t kShadowDistance = kArenaSize;

// The heap: a region for each thread, by its slot.
inline constexpr std::uint64_t kHeap = kArena;
inline constexpr std::uint64_t kHeapRegion = std::uint64_t{1} << 33;
inline constexpr std::uint32_t kHeapRegions = 1025;

inline constexpr std::uint64_t kGlobals = 0x1a00'0000'0000;
inline constexpr std::uint64_t kGlobalsSize = std::uint64_t{1} << 36;

// Functions have addresses here, behind which nothing can be read. An instruction has the address of its
// function plus its number.
inline constexpr std::uint64_t kCode = 0x1b00'0000'0000;
inline constexpr unsigned kFunctionBits = 20;
inline constexpr std::uint32_t kFunctionsMax = 1 << 20;
constexpr std::uint64_t code_address(std::uint32_t function, std::uint64_t instruction = 0) {
  return kCode + (std::uint64_t{function} << kFunctionBits) + instruction;
}
constexpr bool is_code(std::uint64_t address) {
  return address - kCode < std::uint64_t{kFunctionsMax} << kFunctionBits;
}
constexpr std::uint32_t function_at(std::uint64_t address) {
  return static_cast<std::uint32_t>((address - kCode) >> kFunctionBits);
}

// What each thread has, by its slot: its stack, which grows downwards from the end of its part, and its
// thread-local storage behind that.
inline constexpr std::uint64_t kThreads = 0x1c00'0000'0000;
inline constexpr std::uint64_t kThreadSize = std::uint64_t{1} << 28;
inline constexpr std::uint64_t kStackEnd = std::uint64_t{1} << 27;   // from the begin of a thread's part
inline constexpr std::uint64_t kStackSize = std::uint64_t{8} << 20;  // unless another one is asked for
inline constexpr std::uint64_t kStackSizeMax = std::uint64_t{120} << 20;
inline constexpr std::uint64_t kLocalStorage = kStackEnd + (1 << 16);
constexpr std::uint64_t thread_part(std::uint32_t slot) { return kThreads + slot * kThreadSize; }

// The machine's own state, which the program cannot access: it has no shadow.
inline constexpr std::uint64_t kMachine = 0x1d00'0000'0000;
// Frames and registers of each thread, by its slot.
inline constexpr std::uint64_t kFrames = 0x1e00'0000'0000;
inline constexpr std::uint64_t kFramesSize = std::uint64_t{1} << 28;
inline constexpr std::uint64_t kRecordsSize = std::uint64_t{1} << 26;  // of it: records; the rest: registers

inline constexpr std::uint32_t kThreadSlots = 1024;

// What the program maps itself: a window for each thread, by its slot.
inline constexpr std::uint64_t kMappings = 0x1f00'0000'0000;
inline constexpr std::uint64_t kMappingWindow = std::uint64_t{1} << 30;
constexpr bool is_mapping(std::uint64_t address) {
  return address - kMappings < kThreadSlots * kMappingWindow;
}
static_assert(kMappings + kThreadSlots * kMappingWindow <= kArena + kArenaSize);

}  // namespace thrum::vm
