// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locks, condition variables, barriers and semaphores that the program uses in a way that has no meaning:
// bugs of kind lock-misuse. What is asked here is asked of rare calls, or where a comparison has shown that
// something is wrong.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/base/objects.hpp"
#include "runtime/base/thread.hpp"

namespace thrum {

// The running thread uses a lock wrongly. what: a sentence without its subject, the thread.
[[noreturn, gnu::cold]] void fail_misuse(std::string what, std::uint64_t code);
// The same with " that it holds" behind, or " that another thread holds", or " that nobody holds".
[[noreturn, gnu::cold]] void fail_held(std::string what, ThreadId holder, std::uint64_t code);
// The same with " that has been destroyed" behind.
[[noreturn, gnu::cold]] void fail_destroyed(const char* what, std::uint64_t code);

// Fails where the object says that it has been destroyed. what: as above.
template <typename State>
inline void check_alive(const State& object, const char* what, std::uint64_t code) {
  if (__builtin_expect(object.is_destroyed(), 0)) fail_destroyed(what, code);
}

// A thread that locks again what it holds waits for itself, for ever, while others go on. Where the execution
// ends, because nobody can go on, the process ends or its steps are used up, this fails if there is such a
// thread: it is what is wrong, whoever else waits.
void check_self_locks();
// What a thread does that waits so; nullptr where it does not wait for itself.
const char* self_lock(Wait wait, std::uint64_t object, ThreadId thread, std::uint16_t slot);

// The running thread is about to destroy the object, or to initialise it anew: fails while others wait there,
// or, of a mutex, are to have it again after a condition wait. does: "destroys", "initialises".
void check_condition_unused(std::uint64_t condition, const char* does, std::uint64_t code);
void check_barrier_unused(std::uint64_t barrier, const char* does, std::uint64_t code);
// What the barrier's memory says from its initialisation to its destruction, where that is memory of which
// one can tell whether another object has come to lie there: a variable of the program's, or a block of the
// heap, of each its own. 0: it is other memory, such as a stack.
std::uint32_t barrier_mark(std::uint64_t barrier);
// It is about to initialise the barrier: fails where that is initialised already.
void check_barrier_new(std::uint64_t barrier, std::uint64_t code);
void check_semaphore_unused(std::uint64_t semaphore, const char* does, std::uint64_t code);
void check_mutex_unused(std::uint64_t mutex, const char* does, std::uint64_t code);
// It is about to initialise the lock, whose memory reads as if the holder had it, or perhaps somebody to
// read: fails where a thread that lives has it. Memory that another object had before may read like that as
// well. So a lock on a stack, where frames come and go unseen, may be initialised, and so may one whose
// memory was freed or written plainly since it was last locked; that is known where races are looked for.
void check_not_held(std::uint64_t lock, const char* name, ThreadId holder, bool may_be_read,
                    std::uint64_t code);

// It initialises or destroys an object without a scheduling point: whoever uses that afterwards or before,
// and not in order, is told so as of other memory that is written.
void begin_anew(std::uint64_t object, std::uint64_t code);

// It is about to wait for the condition variable with that mutex: fails where others wait with another one.
void check_same_mutex(std::uint64_t condition, std::uint64_t mutex, std::uint64_t code);

}  // namespace thrum
