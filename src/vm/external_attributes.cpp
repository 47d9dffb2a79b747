// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of mutexes, read-write locks, condition variables and barriers: libc's own functions change
// them, in a copy of the object.
#include <pthread.h>

#include "vm/library.hpp"

namespace thrum::vm {

Next do_mutexattr_init(Call& call) {
  return change_attributes<pthread_mutexattr_t>(call, pthread_mutexattr_init);
}
Next do_mutexattr_settype(Call& call) { return set_attribute(call, pthread_mutexattr_settype); }
Next do_mutexattr_setrobust(Call& call) { return set_attribute(call, pthread_mutexattr_setrobust); }
Next do_mutexattr_setprotocol(Call& call) { return set_attribute(call, pthread_mutexattr_setprotocol); }
Next do_mutexattr_setprioceiling(Call& call) { return set_attribute(call, pthread_mutexattr_setprioceiling); }
Next do_mutexattr_setpshared(Call& call) { return set_attribute(call, pthread_mutexattr_setpshared); }
Next do_mutexattr_gettype(Call& call) { return get_attribute(call, pthread_mutexattr_gettype); }
Next do_mutexattr_getrobust(Call& call) { return get_attribute(call, pthread_mutexattr_getrobust); }
Next do_mutexattr_getprotocol(Call& call) { return get_attribute(call, pthread_mutexattr_getprotocol); }
Next do_mutexattr_getprioceiling(Call& call) { return get_attribute(call, pthread_mutexattr_getprioceiling); }
Next do_mutexattr_getpshared(Call& call) { return get_attribute(call, pthread_mutexattr_getpshared); }

Next do_rwlockattr_init(Call& call) {
  return change_attributes<pthread_rwlockattr_t>(call, pthread_rwlockattr_init);
}
Next do_rwlockattr_setkind_np(Call& call) { return set_attribute(call, pthread_rwlockattr_setkind_np); }
Next do_rwlockattr_setpshared(Call& call) { return set_attribute(call, pthread_rwlockattr_setpshared); }
Next do_rwlockattr_getkind_np(Call& call) { return get_attribute(call, pthread_rwlockattr_getkind_np); }
Next do_rwlockattr_getpshared(Call& call) { return get_attribute(call, pthread_rwlockattr_getpshared); }

Next do_condattr_init(Call& call) {
  return change_attributes<pthread_condattr_t>(call, pthread_condattr_init);
}
Next do_condattr_setclock(Call& call) { return set_attribute(call, pthread_condattr_setclock); }
Next do_condattr_setpshared(Call& call) { return set_attribute(call, pthread_condattr_setpshared); }
Next do_condattr_getclock(Call& call) { return get_attribute(call, pthread_condattr_getclock); }
Next do_condattr_getpshared(Call& call) { return get_attribute(call, pthread_condattr_getpshared); }

Next do_barrierattr_init(Call& call) {
  return change_attributes<pthread_barrierattr_t>(call, pthread_barrierattr_init);
}
Next do_barrierattr_setpshared(Call& call) { return set_attribute(call, pthread_barrierattr_setpshared); }
Next do_barrierattr_getpshared(Call& call) { return get_attribute(call, pthread_barrierattr_getpshared); }

}  // namespace thrum::vm
