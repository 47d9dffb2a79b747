// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions in assembly, in this program itself: which registers are live behind one of their calls. The
// label of a return address is the function's name with _back.
#include "disassembly/liveness.hpp"

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

        // Words 2 and 3 of the frame are overwritten, though their address is passed to a function that only
        // reports an access; word 4 is read, word 5 may be: on one path something is called before.
        begin words
        sub     $24, %rsp
        .cfi_adjust_cfa_offset 24
        call_something words
        lea     8(%rsp), %rdi
        call    __tsan_write4@PLT
        mov     %rax, 8(%rsp)
        mov     16(%rsp), %eax
        test    %eax, %eax
        jne     1f
        call    test_callee
1:      movl    $0, 20(%rsp)
        movb    $0, 16(%rsp)
        add     $24, %rsp
        .cfi_adjust_cfa_offset -24
        ret
        end

        // Behind a return the frame is gone, but not what lies above it.
        begin gone
        sub     $16, %rsp
        .cfi_adjust_cfa_offset 16
        call_something gone
        push    %rax
        pop     %rax
        add     $16, %rsp
        .cfi_adjust_cfa_offset -16
        ret
        end

        // A pointer may point to the stack.
        begin pointer
        sub     $16, %rsp
        .cfi_adjust_cfa_offset 16
        call_something pointer
        mov     (%rax), %eax
        movq    $0, (%rsp)
        add     $16, %rsp
        .cfi_adjust_cfa_offset -16
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
        .weak   __tsan_write4
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
LABEL(words);
LABEL(gone);
LABEL(pointer);
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

LiveState state_at(const char* label) { return Liveness().at("/proc/self/exe", in_file(label)); }
RegisterSet live_at(const char* label) { return state_at(label).registers; }
WordSet dead_words_at(const char* label) { return ~state_at(label).words; }

TEST(Liveness, WhatIsOverwrittenIsDead) { EXPECT_EQ(live_at(test_loop_back), kCallers | kRbx); }

TEST(Liveness, WhatSomePathUsesIsLive) { EXPECT_EQ(live_at(test_branch_back), kCallers | kR12); }

TEST(Liveness, APartThatIsWrittenLeavesTheRest) { EXPECT_EQ(live_at(test_part_back), kCallers | kRbx); }

TEST(Liveness, AConditionalMoveMayLeaveTheOldValue) {
  EXPECT_EQ(live_at(test_conditional_back), kCallers | kR12);
}

TEST(Liveness, AComputedJumpGoesAnywhere) { EXPECT_EQ(live_at(test_computed_back), kAllRegisters & ~kRbx); }

TEST(Liveness, AnExceptionHandsOnTheCallersRegisters) { EXPECT_EQ(live_at(test_last_back), kCallers); }

TEST(Liveness, AHandlerMayGoOnBehindAFault) { EXPECT_EQ(live_at(test_trap_back), kCallers | kR12); }

TEST(Liveness, JumpsIntoOtherPartsAreFollowed) { EXPECT_EQ(live_at(test_cold_back), kR13); }

TEST(Liveness, WhereNothingIsKnownAllAreLive) {
  EXPECT_EQ(live_at(nullptr), kAllRegisters);
  EXPECT_EQ(dead_words_at(nullptr), 0u);
  for (const char* path : {"/no/such/file", "/etc/passwd"}) {
    EXPECT_EQ(Liveness().at(path, 0x1000).registers, kAllRegisters);
    EXPECT_EQ(Liveness().at(path, 0x1000).words, kAllWords);
  }
}

constexpr WordSet words(std::int64_t begin, std::int64_t end) { return words_from(begin) & ~words_from(end); }

TEST(Liveness, AWordThatIsOverwrittenIsDead) { EXPECT_EQ(dead_words_at(test_words_back), words(2, 4)); }

TEST(Liveness, AFrameEndsWithItsFunction) { EXPECT_EQ(dead_words_at(test_gone_back), words(0, 4)); }

TEST(Liveness, APointerMayPointToTheFrame) { EXPECT_EQ(dead_words_at(test_pointer_back), 0u); }

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
