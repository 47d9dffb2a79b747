// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Switching between fibers, and entry points that record the caller's registers. x86-64, System V ABI.

        .text

// void thrum_fiber_switch(void** save_sp, void* load_sp, uint64_t fs_base)
// Saves the registers that a call preserves on the running stack and the stack pointer in *save_sp. Goes on
// where load_sp was saved. fs_base 0: the thread control block does not change. If each thread of the program
// has a system thread, the system thread with that control block goes on there, and this one waits.
        .globl  thrum_fiber_switch
        .hidden thrum_fiber_switch
        .type   thrum_fiber_switch, @function
thrum_fiber_switch:
        .cfi_startproc
        push    %rbp
        .cfi_adjust_cfa_offset 8
        push    %rbx
        .cfi_adjust_cfa_offset 8
        push    %r12
        .cfi_adjust_cfa_offset 8
        push    %r13
        .cfi_adjust_cfa_offset 8
        push    %r14
        .cfi_adjust_cfa_offset 8
        push    %r15
        .cfi_adjust_cfa_offset 8
        sub     $8, %rsp
        .cfi_adjust_cfa_offset 8
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        mov     %rsp, (%rdi)
        mov     (%rsp), %ecx
        movzwl  4(%rsp), %r8d
        mov     %rsi, %rsp
        test    %rdx, %rdx
        jz      1f
        cmpb    $2, thrum_switch_by(%rip)   // SwitchBy::wrfsbase
        jne     2f
        rdfsbase %r9                    // writing it takes ten times as long as reading it
        cmp     %r9, %rdx
        je      1f
        wrfsbase %rdx
1:      cmp     (%rsp), %ecx            // the floating-point modes mostly agree, and are slow to load
        jne     3f
        cmp     4(%rsp), %r8w
        jne     3f
4:      add     $8, %rsp
        .cfi_adjust_cfa_offset -8
        pop     %r15
        .cfi_adjust_cfa_offset -8
        pop     %r14
        .cfi_adjust_cfa_offset -8
        pop     %r13
        .cfi_adjust_cfa_offset -8
        pop     %r12
        .cfi_adjust_cfa_offset -8
        pop     %rbx
        .cfi_adjust_cfa_offset -8
        pop     %rbp
        .cfi_adjust_cfa_offset -8
        pop     %rcx                    // no ret: its target would be predicted from the other stack
        .cfi_adjust_cfa_offset -8
        jmp     *%rcx
        .cfi_adjust_cfa_offset 64
2:      cmpb    $1, thrum_switch_by(%rip)   // SwitchBy::baton
        je      5f
        mov     %rdx, %rsi              // arch_prctl(ARCH_SET_FS, fs_base)
        mov     $0x1002, %edi
        mov     $158, %eax
        mov     %rcx, %r9               // the system call destroys rcx
        syscall
        mov     %r9, %rcx
        jmp     1b
3:      ldmxcsr (%rsp)
        fldcw   4(%rsp)
        jmp     4b
// From here on nothing may touch the stack that is left: the next thread may begin another one on it.
5:      cmp     %fs:0x10, %rdx
        je      1b
        mov     thrum_mailbox@gottpoff(%rip), %r9
        lea     (%rdx,%r9), %rdi        // the mailbox of the next thread
        add     %fs:0x10, %r9           // the mailbox of this one
        mov     %rsi, 8(%rdi)
        movl    $1, (%rdi)
        mov     $129, %esi              // futex(other, FUTEX_WAKE_PRIVATE, 1)
        mov     $1, %edx
        mov     $202, %eax
        syscall
6:      cmpl    $0, (%r9)
        jne     7f
        mov     %r9, %rdi               // futex(own, FUTEX_WAIT_PRIVATE, 0, no timeout)
        mov     $128, %esi
        xor     %edx, %edx
        xor     %r10d, %r10d
        mov     $202, %eax
        syscall
        jmp     6b
7:      mov     8(%r9), %rsp
        movq    $0, 8(%r9)              // else equal states would differ by it (livelock.hpp)
        movl    $0, (%r9)
        jmp     3b
        .cfi_endproc
        .size   thrum_fiber_switch, .-thrum_fiber_switch

// void thrum_wait_for_baton(): the system thread waits for the baton; does not return.
        .globl  thrum_wait_for_baton
        .hidden thrum_wait_for_baton
        .type   thrum_wait_for_baton, @function
thrum_wait_for_baton:
        mov     thrum_mailbox@gottpoff(%rip), %r9
        add     %fs:0x10, %r9
        jmp     6b
        .size   thrum_wait_for_baton, .-thrum_wait_for_baton

// A new fiber begins here: its first switch returns to this address. Unwinding ends here.
        .globl  thrum_fiber_start
        .hidden thrum_fiber_start
        .type   thrum_fiber_start, @function
thrum_fiber_start:
        .cfi_startproc
        .cfi_undefined rip
        xor     %ebp, %ebp
        call    *%rbx
        ud2
        .cfi_endproc
        .size   thrum_fiber_start, .-thrum_fiber_start

// Asks the function where to go on, and jumps there with the two arguments that the caller gave.
        .macro  jump_to_result_of function
        push    %rdi
        .cfi_adjust_cfa_offset 8
        push    %rsi
        .cfi_adjust_cfa_offset 8
        sub     $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    \function
        add     $8, %rsp
        .cfi_adjust_cfa_offset -8
        pop     %rsi
        .cfi_adjust_cfa_offset -8
        pop     %rdi
        .cfi_adjust_cfa_offset -8
        jmp     *%rax
        .endm

// int __sigsetjmp(jmp_buf, int saves_mask): keeps the mask (intercept_signal.cpp), then is libc's.
        .globl  __sigsetjmp
        .type   __sigsetjmp, @function
__sigsetjmp:
        .cfi_startproc
        jump_to_result_of thrum_save_mask
        .cfi_endproc
        .size   __sigsetjmp, .-__sigsetjmp

// A fiber that interrupt() prepared goes on here. rbx points to the frame of its switch, into which it
// returns afterwards.
        .globl  thrum_signal_entry
        .hidden thrum_signal_entry
        .type   thrum_signal_entry, @function
thrum_signal_entry:
        .cfi_startproc
        .cfi_def_cfa rbx, 64
        .cfi_offset rip, -8
        .cfi_offset rbp, -16
        .cfi_offset rbx, -24
        .cfi_offset r12, -32
        .cfi_offset r13, -40
        .cfi_offset r14, -48
        .cfi_offset r15, -56
        and     $-16, %rsp
        call    thrum_handle_signal_here
        mov     %rbx, %rsp
        ldmxcsr (%rsp)
        fldcw   4(%rsp)
        mov     8(%rsp), %r15
        mov     16(%rsp), %r14
        mov     24(%rsp), %r13
        mov     32(%rsp), %r12
        mov     48(%rsp), %rbp
        mov     56(%rsp), %rcx
        mov     40(%rsp), %rbx
        .cfi_def_cfa rsp, 64
        add     $64, %rsp
        .cfi_adjust_cfa_offset -64
        jmp     *%rcx
        .cfi_endproc
        .size   thrum_signal_entry, .-thrum_signal_entry

// A thread goes on here after a fault for which its program has a handler. rsp points to the frame for
// rt_sigreturn, whose registers are those of the instruction that has caused it: unwinding goes on there.
        .globl  thrum_fault_entry
        .hidden thrum_fault_entry
        .type   thrum_fault_entry, @function
thrum_fault_entry:
        .cfi_startproc
        .cfi_signal_frame
        .cfi_def_cfa rsp, 0
        .cfi_offset r12, 72
        .cfi_offset r13, 80
        .cfi_offset r14, 88
        .cfi_offset r15, 96
        .cfi_offset rbp, 120
        .cfi_offset rbx, 128
        .cfi_offset rsp, 160
        .cfi_offset rip, 168
        mov     %rsp, %rdi
        mov     %rsp, %rbx
        .cfi_def_cfa_register rbx
        call    thrum_handle_fault
        mov     %rbx, %rsp
        mov     $15, %eax               // rt_sigreturn
        syscall
        ud2
        .cfi_endproc
        .size   thrum_fault_entry, .-thrum_fault_entry

// void thrum_call_on_stack(void* top, handler, int signal, siginfo_t*, void* context)
        .globl  thrum_call_on_stack
        .hidden thrum_call_on_stack
        .type   thrum_call_on_stack, @function
thrum_call_on_stack:
        .cfi_startproc
        push    %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_offset rbx, -16
        mov     %rsp, %rbx
        .cfi_def_cfa rbx, 16
        mov     %rdi, %rsp
        and     $-16, %rsp
        mov     %rsi, %rax
        mov     %edx, %edi
        mov     %rcx, %rsi
        mov     %r8, %rdx
        call    *%rax
        mov     %rbx, %rsp
        .cfi_def_cfa rsp, 16
        pop     %rbx
        .cfi_adjust_cfa_offset -8
        ret
        .cfi_endproc
        .size   thrum_call_on_stack, .-thrum_call_on_stack

// A signal handler returns here. Unwinders recognise a signal frame by these very instructions.
        .globl  thrum_signal_return
        .hidden thrum_signal_return
        .type   thrum_signal_return, @function
        nop
thrum_signal_return:
        movq    $15, %rax               // rt_sigreturn
        syscall
        .size   thrum_signal_return, .-thrum_signal_return

// vfork: the child returns first, on its parent's stack, so no frame of the runtime may lie below the return
// address.
        .macro  vfork_entry name
        .globl  \name
        .type   \name, @function
\name:
        .cfi_startproc
        sub     $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    thrum_vfork_target
        add     $8, %rsp
        .cfi_adjust_cfa_offset -8
        jmp     *%rax
        .cfi_endproc
        .size   \name, .-\name
        .endm

        .hidden thrum_vfork_target
        vfork_entry vfork
        vfork_entry __vfork

// void* dlopen(const char* name, int mode): the loader finds the caller's module by the return address, so no
// frame of the runtime may lie between.
        .hidden thrum_dlopen_target
        .globl  dlopen
        .type   dlopen, @function
dlopen:
        .cfi_startproc
        mov     (%rsp), %rdx
        jump_to_result_of thrum_dlopen_target
        .cfi_endproc
        .size   dlopen, .-dlopen

// Entry points of calls that a waiting loop may contain. They record the registers that may hold the state of
// the caller's loop, and then jump to name_impl as if the caller had called it.
        .macro  loop_entry name
        .globl  \name
        .type   \name, @function
\name:
        .cfi_startproc
        mov     %rbx, thrum_caller+0(%rip)
        mov     %rbp, thrum_caller+8(%rip)
        mov     %r12, thrum_caller+16(%rip)
        mov     %r13, thrum_caller+24(%rip)
        mov     %r14, thrum_caller+32(%rip)
        mov     %r15, thrum_caller+40(%rip)
        mov     %rsp, thrum_caller+48(%rip)
        jmp     \name\()_impl
        .cfi_endproc
        .size   \name, .-\name
        .hidden \name\()_impl
        .endm

        .macro  atomic_entries bits
        .irp    operation, load, store, exchange, fetch_add, fetch_sub, fetch_and, fetch_or, fetch_xor, fetch_nand, compare_exchange_strong, compare_exchange_weak, compare_exchange_val
        loop_entry __tsan_atomic\bits\()_\operation
        .endr
        .endm

        atomic_entries 8
        atomic_entries 16
        atomic_entries 32
        atomic_entries 64
        atomic_entries 128

        .irp    size, 1, 2, 4, 8, 16
        loop_entry __tsan_volatile_read\size
        loop_entry __tsan_unaligned_volatile_read\size
        .endr

        .hidden thrum_attentive_read
        loop_entry thrum_attentive_read

        .irp    call, sigpending, sigtimedwait, timer_gettime, timer_getoverrun, getitimer, pthread_testcancel, pthread_join, thrd_join, pthread_mutex_lock, mtx_lock, pthread_rwlock_rdlock, pthread_rwlock_wrlock, pthread_spin_lock, pthread_mutex_trylock, mtx_trylock, pthread_tryjoin_np, timespec_get, clock, thrd_yield, thrd_sleep, pthread_rwlock_tryrdlock, pthread_rwlock_trywrlock, pthread_spin_trylock, sem_trywait, sem_getvalue, sched_yield, clock_gettime, gettimeofday, time, nanosleep, clock_nanosleep, usleep, sleep
        loop_entry \call
        .endr

        .section .note.GNU-stack, "", @progbits
