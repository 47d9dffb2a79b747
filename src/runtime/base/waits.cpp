// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/waits.hpp"

#include "objects/objects.hpp"

namespace thrum {

bool object_is_free(Wait wait, std::uint64_t object) {
  switch (wait) {
    case Wait::lock: return lock_is_free(object);
    case Wait::shared_lock: return shared_lock_is_free(object);
    case Wait::spin_lock: return spin_lock_is_free(object);
    case Wait::semaphore: return semaphore_count(object) != 0;
    case Wait::once: return !once_is_running(object);
    case Wait::guard: return !guard_is_running(object);
    default: return true;
  }
}

}  // namespace thrum
