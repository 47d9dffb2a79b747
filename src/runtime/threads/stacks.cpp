// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/stacks.hpp"

#include <unwind.h>
#include <iterator>
#include <utility>

#include "runtime/base/modules.hpp"

namespace thrum {

namespace {

constexpr std::size_t kDepthMax = 64;
constexpr int kBasePointer = 6;  // DWARF's number of rbp

struct FrameWalk {
  std::vector<RawFrame> frames;
  bool open = false;  // the end of the last frame is not known yet
};

_Unwind_Reason_Code collect_frame(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<FrameWalk*>(argument);
  std::vector<RawFrame>& frames = walk.frames;
  // The unwinder's frame address here is the end of the callee's frame.
  if (walk.open) frames.back().end = _Unwind_GetCFA(context);
  walk.open = false;
  int interrupted = 0;  // by a signal: then the address is the instruction's own, not that behind a call
  std::uint64_t address = _Unwind_GetIPInfo(context, &interrupted);
  if (interrupted) ++address;
  if (address == 0 || frames.size() == kDepthMax) return _URC_END_OF_STACK;
  if (!runtime_range().holds(address)) {
    frames.push_back({address, _Unwind_GetCFA(context), _Unwind_GetGR(context, kBasePointer)});
    walk.open = true;
  }
  return _URC_NO_REASON;
}

struct CodeWalk {
  std::span<std::uint64_t> code;
  std::size_t depth = 0;
};

_Unwind_Reason_Code collect_code(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<CodeWalk*>(argument);
  std::uint64_t address = _Unwind_GetIP(context);
  if (address == 0 || walk.depth == walk.code.size()) return _URC_END_OF_STACK;
  if (!runtime_range().holds(address)) walk.code[walk.depth++] = address;
  return _URC_NO_REASON;
}

_Unwind_Reason_Code collect_registers(_Unwind_Context* context, void* argument) {
  auto& frame = *static_cast<CallerState*>(argument);
  if (_Unwind_GetCFA(context) != frame.stack_pointer) return _URC_NO_REASON;
  static constexpr int kKept[] = {3, kBasePointer, 12, 13, 14, 15};  // rbx and r12 to r15
  for (std::size_t i = 0; i < std::size(kKept); ++i) frame.registers[i] = _Unwind_GetGR(context, kKept[i]);
  return _URC_END_OF_STACK;
}

// Where to go on when the unwinder faults.
volatile bool g_unwinding = false;
void* g_escape[5];  // in the format of __builtin_setjmp

// Walks as far as the stack can be read: the program may have overwritten it.
[[gnu::noinline]] void walk_stack(_Unwind_Trace_Fn visit, void* argument) {
  if (__builtin_setjmp(g_escape) == 0) {
    g_unwinding = true;
    _Unwind_Backtrace(visit, argument);
  }
  g_unwinding = false;
}

}  // namespace

std::vector<RawFrame> running_frames() {
  FrameWalk walk;
  walk_stack(collect_frame, &walk);
  return std::move(walk.frames);
}

void running_code(std::span<std::uint64_t> code) {
  CodeWalk walk{code};
  walk_stack(collect_code, &walk);
}

CallerState kept_registers(const void* stack_pointer) {
  CallerState frame{{}, reinterpret_cast<std::uint64_t>(stack_pointer)};
  walk_stack(collect_registers, &frame);
  return frame;
}

void leave_unwinding() {
  if (g_unwinding) __builtin_longjmp(g_escape, 1);
}

}  // namespace thrum
