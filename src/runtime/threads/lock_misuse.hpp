// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Misuse of locks, condition variables, barriers and semaphores: uses whose behaviour is undefined (bugs of
// kind lock-misuse). The checks run in rare calls only, or after a comparison has shown that something is
// wrong.
#pragma once

#include <cstdint>
#include <string>

#include "objects/objects.hpp"
#include "runtime/base/thread.hpp"

namespace thrum {

// The running thread misuses a lock. what: a sentence without its subject, the thread.
[[noreturn, gnu::cold]] void fail_misuse(std::string what, std::uint64_t code);
// The same, with " that it holds", " that another thread holds" or " that nobody holds" added.
[[noreturn, gnu::cold]] void fail_held(std::string what, ThreadId holder, std::uint64_t code);
// The same, with " that has been destroyed" added.
[[noreturn, gnu::cold]] void fail_destroyed(const char* what, std::uint64_t code);

// Fails if the object is marked as destroyed. what: as above.
template <typename State>
inline void check_alive(const State& object, const char* what, std::uint64_t code) {
  if (__builtin_expect(object.is_destroyed(), 0)) fail_destroyed(what, code);
}

// A thread that locks a lock which it already holds waits for itself for ever, while others go on. Called
// when the execution ends: no thread is enabled, the process ends, or the steps are used up. Fails if such a
// thread exists: it is the bug, whichever other threads wait.
void check_self_locks();
// Describes the operation by which the thread waits for itself; nullptr if it does not.
const char* self_lock(Wait wait, std::uint64_t object, ThreadId thread, std::uint16_t slot);

// The running thread is about to destroy or initialise the condition variable. Fails while other threads wait
// for it. does: "destroys", "initialises".
void check_condition_unused(std::uint64_t condition, const char* does, std::uint64_t code);
void check_barrier_unused(std::uint64_t barrier, const char* does, std::uint64_t code);
// The value that marks an initialised barrier until it is destroyed. It exists only if the barrier lies in
// memory where a new object is noticed: a variable of the program, or a heap block. Each has its own mark. 0:
// other memory, such as a stack.
std::uint32_t barrier_mark(std::uint64_t barrier);
// The running thread is about to initialise the barrier. Fails if the barrier is initialised already.
void check_barrier_new(std::uint64_t barrier, std::uint64_t code);
void check_semaphore_unused(std::uint64_t semaphore, const char* does, std::uint64_t code);
void check_mutex_unused(std::uint64_t mutex, const char* does, std::uint64_t code);
// The running thread is about to initialise the lock, whose memory reads as if `holder` held it, or perhaps
// as if it was read-locked. Fails if a live thread holds it. Memory that another object had before may read
// like that too. So there is no failure for a lock on a stack, where frames come and go unseen, or for one
// whose memory was freed or written plainly since it was last locked. The latter is known if races are
// searched for.
void check_not_held(std::uint64_t lock, const char* name, ThreadId holder, bool may_be_read,
                    std::uint64_t code);

// The running thread initialises or destroys an object without a scheduling point. For the race detector it
// is a plain write: an unordered use of the object by another thread is a race.
void begin_anew(std::uint64_t object, std::uint64_t code);

// The running thread is about to wait for the condition variable with that mutex. Fails if other threads wait
// with another mutex.
void check_same_mutex(std::uint64_t condition, std::uint64_t mutex, std::uint64_t code);

}  // namespace thrum
