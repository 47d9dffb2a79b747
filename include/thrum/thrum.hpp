// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// thrum.h for C++: the same, in a namespace.
#ifndef THRUM_THRUM_HPP
#define THRUM_THRUM_HPP

#include "thrum/thrum.h"

namespace thrum {

inline unsigned choose(unsigned n) { return thrum_choose(n); }
inline void assume(bool condition) { thrum_assume(condition ? 1 : 0); }
inline void point() { thrum_point(); }
inline void progress() { thrum_progress(); }
inline bool is_active() { return thrum_is_active() != 0; }

// One operation that no other thread interrupts, for as long as it lives.
class AtomicSection {
 public:
  AtomicSection() { thrum_atomic_begin(); }
  ~AtomicSection() { thrum_atomic_end(); }
  AtomicSection(const AtomicSection&) = delete;
  AtomicSection& operator=(const AtomicSection&) = delete;
};

}  // namespace thrum

#endif  // THRUM_THRUM_HPP
