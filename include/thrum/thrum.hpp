// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// thrum.h for C++: the same, in a namespace, and choices among things.
#ifndef THRUM_THRUM_HPP
#define THRUM_THRUM_HPP

#include <initializer_list>
#include <iterator>

#include "thrum/thrum.h"

namespace thrum {

inline unsigned choose(unsigned n) { return thrum_choose(n); }
// One of both: the search tries false and true. Outside a search, false.
inline bool choose() { return thrum_choose(2) != 0; }
// An element: the search tries each. Outside a search, the first. REQUIRES: there is one.
template <class Container>
auto choose(Container& elements) -> decltype(*std::begin(elements)) {
  const auto size = std::distance(std::begin(elements), std::end(elements));
  return *std::next(std::begin(elements), thrum_choose(static_cast<unsigned>(size)));
}
template <class T>
T choose(std::initializer_list<T> elements) {
  return choose<const std::initializer_list<T>>(elements);
}

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
