// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libstdc++'s own bits/atomic_wait.h, where a waiting thread looks once before it goes to sleep.
//
// std::atomic::wait, latches, barriers and semaphores look 16 times, to save the system call. Each look is a
// visible operation that does nothing, so schedules multiply by where it stands among those of others; what
// can come of it is the same: an unsuccessful look changes nothing, and the last one before the sleep is
// kept.
//
// The real header is included each time: this one may stand on the path twice, and then finds itself first.
#pragma GCC system_header
#include_next <bits/atomic_wait.h>

#ifndef THRUM_WRAPPED_ATOMIC_WAIT
#define THRUM_WRAPPED_ATOMIC_WAIT
// Later versions look in the library, or by other functions.
#if defined(__THRUM__) && defined(__cpp_lib_atomic_wait) && _GLIBCXX_RELEASE >= 11 && _GLIBCXX_RELEASE <= 14

namespace std {
_GLIBCXX_BEGIN_NAMESPACE_VERSION
namespace __detail {

// Called in place of the template for any policy, since it is more specialised.
template <typename _Pred>
bool __atomic_spin(_Pred& __pred, __default_spin_policy) noexcept {
  return __pred();
}

}  // namespace __detail
_GLIBCXX_END_NAMESPACE_VERSION
}  // namespace std

#endif
#endif
