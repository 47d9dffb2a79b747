// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Holds threads before a step while the others run: what can they do without it? The execution ends, as
// stopped, where nobody else can go on. And the process exits only when nothing else can happen, so that
// nobody's steps are cut off.
//
// Tested by tests/oracle/reads_from_search_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "execution/advisor.hpp"

namespace thrum {

// The thread does so many steps, and no more.
struct Hold {
  ThreadId thread = kMainThread;
  std::uint32_t steps = 0;
};

class HoldAdvisor final : public Advisor {
 public:
  void set(std::vector<Hold> holds) { holds_ = std::move(holds); }

  void begin() override;
  Advice at_point(const View& view) override;

 private:
  bool is_held(ThreadId thread) const;

  std::vector<Hold> holds_;
  std::vector<std::uint32_t> steps_;  // of each hold's thread, so far
  std::size_t seen_ = 0;              // events of the trace
};

}  // namespace thrum
