// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the calls on signals: thread ids, and system calls that libc makes itself.
#pragma once

#include <sys/types.h>

namespace thrum {

struct Thread;

// The id that gettid() returns: for main the id of the process, as in Linux; for the others the next ids in
// the order of creation.
pid_t thread_id(const Thread& thread);
// nullptr if no thread has the id.
Thread* thread_of_id(pid_t id);

// Answers a system call on signals that libc makes itself (the mask of siglongjmp, a raise); false for other
// calls. Signals that it sends are handled at the next scheduling point.
bool answer_signal_call(long number, const long* arguments, long& result);

}  // namespace thrum
