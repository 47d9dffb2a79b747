// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exceptions: what the system's unwinder does for a compiled program. libsupc++ runs as bitcode, unchanged,
// and calls these functions (Itanium C++ ABI, Exception Handling, level I); the machine knows from each
// frame's call which landing pad it has, so there are no tables.
#pragma once

#include <cstdint>

#include "vm/externals.hpp"

namespace thrum::vm {

// _Unwind_RaiseException and _Unwind_Resume_or_Rethrow.
Next raise_exception(Call& call);
// A landing pad has cleaned up, and the exception goes on. False: the execution has failed.
bool resume_unwinding(Machine& machine, Thread& thread, std::uint64_t exception);
// The same from that frame on.
bool go_on_unwinding(Machine& machine, Thread& thread, Frame* from, std::uint64_t exception);
// The phase of a pthread_once whose routine was left by an exception, which stands in kept[0].
inline constexpr std::uint32_t kOnceFails = 10;
// Whether that is the exception by which the thread ends.
bool is_forced_exception(const Thread& thread, std::uint64_t exception);
// The thread is ending: if the innermost of C's cleanup handlers was pushed by that frame, it goes there.
bool goes_to_cleanup(Machine& machine, Thread& thread, Frame& frame);
// The thread ends by unwinding all its frames: pthread_exit, cancellation.
Next unwind_thread(Machine& machine, Thread& thread);

}  // namespace thrum::vm
