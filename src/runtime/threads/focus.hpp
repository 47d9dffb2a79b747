// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The methods and variables in focus (--focus-method, --focus-var), as addresses of the executable: whether
// the running stack, or an object, lies in focus. Walking a stack takes microseconds; it is done only if a
// method is in focus.
//
// Thread safety: one thread runs at a time. Tested by tests/endtoend/best_first_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "model/place.hpp"
#include "runtime/base/forever.hpp"
#include "runtime/base/modules.hpp"

namespace thrum {

class Focus {
 public:
  constexpr Focus() = default;

  // The search begins.
  void begin(const std::vector<OffsetRange>& code, const std::vector<OffsetRange>& data);

  bool is_on() const { return on_; }
  bool is_on_code() const { return !code_.empty(); }

  // kFocusMethod if a function on the stack is in focus; else 0.
  std::uint8_t of_running_stack() const;
  // kFocusVariable if the bytes overlap a variable in focus; else 0. size 0: a synchronization object.
  std::uint8_t of_object(std::uint64_t object, std::uint32_t size) const;

 private:
  bool on_ = false;
  std::vector<CodeRange> code_;
  std::vector<CodeRange> data_;
};

extern constinit Forever<Focus> the_focus;
inline Focus& focus() { return the_focus.value; }

}  // namespace thrum
