// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions in assembly, in this program itself: which registers are live behind one of their calls. The
// label of a return address is the function's name with _back.
#include "disassembly/live_registers.hpp"

#include <gtest/gtest.h>
#include <link.h>

#include "disassembly/code_file.hpp"

asm(R"(
        .text
        .macro  begin name
        .globl  test_\name
        .type   test_\name, @function
test_\name:
        .cfi_startproc
        .endm
        .macro  call_something name
        call    test_callee
        .globl  test_\name\()_back
test_\name\()_back:
        .endm
        .macro  end
        .cfi_endproc
        .endm
        .macro  save register number
        push    %\register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %\register, 0
        .endm
        .macro  give_back register
        pop     %\register
        .cfi_adjust_cfa_offset -8
        .cfi_restore %\register
        .endm

        begin callee
        ret
        end

        // rbx is used, r12 is overwritten before it is used, and the others belong to the caller.
        begin loop
        save rbx
        save r12
1:      call_something loop
        mov     %rbx, %rdi
        mov     $1, %r12d
        add     %r12, %rdi
        test    %eax, %eax
        jne     1b
        give_back r12
        give_back rbx
        ret
        end

        // r12 is overwritten on one path only.
        begin branch
        save rbx
        save r12
        call_something branch
        test    %eax, %eax
        jne     1f
        xor     %r12d, %r12d
1:      mov     %r12, %rax
        give_back r12
        give_back rbx
        ret
        end

        // To write a part of a register leaves the rest.
        begin part
        save rbx
        save r12
        call_something part
        mov     %al, %bl
        mov     %rbx, %rax
        movzwl  %ax, %r12d
        cmovne  %r12, %rax
        give_back r12
        give_back rbx
        ret
        end

        // A conditional move may leave the old value.
        begin conditional
        save rbx
        save r12
        call_something conditional
        cmovne  %rax, %r12
        lea     (%r12,%r12), %rbx
        mov     %rbx, %rax
        give_back r12
        give_back rbx
        ret
        end

        // A jump whose target is computed may go anywhere.
        begin computed
        save rbx
        call_something computed
        mov     $1, %ebx
        jmp     *%rax
        end

        // The last call of a function does not return: nothing but what an exception hands on is live.
        begin last
        save rbx
        save r12
        call_something last
        mov     $1, %ebx
        call    test_callee
        end

        // A handler may go on behind a fault.
        begin trap
        save rbx
        save r12
        call_something trap
        ud2
        mov     %r12, %rax
        give_back r12
        give_back rbx
        ret
        end

        // Code in another place: the cold part of a function.
        begin cold
        save rbx
        save r12
        save r13
        save r14
        save r15
        save rbp
        call_something cold
        test    %eax, %eax
        jne     test_cold_part
1:      jmp     1b
        end
        .section .text.unlikely, "ax"
        .cfi_startproc
        .type   test_cold_part, @function
test_cold_part:
        mov     %r13, (%rax)
        ud2
        .cfi_endproc
        .text
        .hidden test_callee
)");

#define LABEL(name) extern "C" const char test_##name##_back[]
LABEL(loop);
LABEL(branch);
LABEL(part);
LABEL(conditional);
LABEL(computed);
LABEL(last);
LABEL(cold);
LABEL(trap);
#undef LABEL

namespace thrum {
namespace {

constexpr RegisterSet kRbx = set_of(Preserved::rbx);
constexpr RegisterSet kRbp = set_of(Preserved::rbp);
constexpr RegisterSet kR12 = set_of(Preserved::r12);
constexpr RegisterSet kR13 = set_of(Preserved::r13);
constexpr RegisterSet kCallers = kAllRegisters & ~(kRbx | kR12);

std::uint64_t in_file(const void* address) {
  std::uint64_t bias = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* argument) {
        *static_cast<std::uint64_t*>(argument) = info->dlpi_addr;
        return 1;
      },
      &bias);
  return reinterpret_cast<std::uint64_t>(address) - bias;
}

RegisterSet live_at(const char* label) { return LiveRegisters().at("/proc/self/exe", in_file(label)); }

TEST(LiveRegisters, WhatIsOverwrittenIsDead) { EXPECT_EQ(live_at(test_loop_back), kCallers | kRbx); }

TEST(LiveRegisters, WhatSomePathUsesIsLive) { EXPECT_EQ(live_at(test_branch_back), kCallers | kR12); }

TEST(LiveRegisters, APartThatIsWrittenLeavesTheRest) { EXPECT_EQ(live_at(test_part_back), kCallers | kRbx); }

TEST(LiveRegisters, AConditionalMoveMayLeaveTheOldValue) {
  EXPECT_EQ(live_at(test_conditional_back), kCallers | kR12);
}

TEST(LiveRegisters, AComputedJumpGoesAnywhere) {
  EXPECT_EQ(live_at(test_computed_back), kAllRegisters & ~kRbx);
}

TEST(LiveRegisters, AnExceptionHandsOnTheCallersRegisters) { EXPECT_EQ(live_at(test_last_back), kCallers); }

TEST(LiveRegisters, AHandlerMayGoOnBehindAFault) { EXPECT_EQ(live_at(test_trap_back), kCallers | kR12); }

TEST(LiveRegisters, JumpsIntoOtherPartsAreFollowed) { EXPECT_EQ(live_at(test_cold_back), kR13); }

TEST(LiveRegisters, WhereNothingIsKnownAllAreLive) {
  EXPECT_EQ(live_at(nullptr), kAllRegisters);
  EXPECT_EQ(LiveRegisters().at("/no/such/file", 0x1000), kAllRegisters);
  EXPECT_EQ(LiveRegisters().at("/etc/passwd", 0x10), kAllRegisters);
}

// ---- Handlers, of functions that the compiler made

[[gnu::noinline]] int throws(int value) {
  if (value > 0) throw value;
  return value;
}

// Keeps the return address of its call: a handler in this function gets what throws() throws.
[[gnu::noinline]] int catches(int value, const void*& back) {
  try {
    asm volatile("lea 1f(%%rip), %0" : "=r"(back));
    value = throws(value);
    asm volatile("1:" ::: "memory");
  } catch (int caught) {
    value = -caught;
  }
  return value;
}

TEST(CodeFile, KnowsTheHandlersOfCalls) {
  const CodeFile file("/proc/self/exe");
  const auto* function = file.function_at(in_file(reinterpret_cast<const void*>(&catches)));
  ASSERT_NE(function, nullptr);
  EXPECT_NE(function->handlers, 0u);
  int handlers = 0;
  for (std::uint64_t at = function->begin + 1; at <= function->end; ++at) {
    const CodeFile::Handler handler = file.handler_of(*function, at);
    ASSERT_TRUE(handler.is_known);
    if (handler.address == 0) continue;
    ++handlers;
    EXPECT_NE(file.function_at(handler.address), nullptr);
  }
  EXPECT_GT(handlers, 0);
  const void* back = nullptr;
  EXPECT_EQ(catches(3, back), -3);
  const auto* none = file.function_at(in_file(test_loop_back));
  ASSERT_NE(none, nullptr);
  EXPECT_TRUE(file.handler_of(*none, in_file(test_loop_back)).leaves);
}

TEST(CodeFile, KnowsWhatStillBelongsToTheCaller) {
  const CodeFile file("/proc/self/exe");
  EXPECT_EQ(file.callers_registers(in_file(test_loop_back) - 1), kCallers);
  EXPECT_EQ(file.callers_registers(in_file(test_cold_back) - 1), 0);
  EXPECT_EQ(kCallers & kRbp, kRbp);
}

}  // namespace
}  // namespace thrum
