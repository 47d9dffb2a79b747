// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the calls on signals share: thread ids, and system calls that libc makes itself.
#pragma once

#include <sys/types.h>

namespace thrum {

struct Thread;

// The id that gettid() gives a thread: the process's for main, as in Linux, and the next ones for the others
// in the order of their creation.
pid_t thread_id(const Thread& thread);
// nullptr where no thread has it.
Thread* thread_of_id(pid_t id);

// A system call on signals that libc makes itself (siglongjmp's mask, a raise of its own), answered here;
// false for other calls. Signals that it sends are handled at the next scheduling point.
bool answer_signal_call(long number, const long* arguments, long& result);

}  // namespace thrum
