// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sleep sets while an execution runs: behind its plan no sleeping step is taken. If nothing else can go on,
// the execution is redundant and stops; or it runs on, if it is to end by itself (race_flip.hpp).
//
// A sleeping step wakes when a step is taken that does not commute with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "execution/advisor.hpp"
#include "search/reduction/path.hpp"

namespace thrum {

class SleepAdvisor final : public Advisor {
 public:
  // What an execution does where only sleeping steps can be taken.
  enum class Otherwise : std::uint8_t { stops, runs_on };
  explicit SleepAdvisor(Otherwise otherwise = Otherwise::stops) : otherwise_(otherwise) {}

  // Of the next execution: what sleeps before the event of that number. The sleepers must stay where they are
  // until it has ended.
  void set(std::span<const Path::Sleeper> sleepers, std::size_t event);
  bool empty() const { return sleepers_.empty(); }

  void begin() override;
  Advice at_point(const View& view) override;

 private:
  Otherwise otherwise_;
  std::span<const Path::Sleeper> sleepers_;
  std::size_t event_ = 0;
  std::vector<const Path::Sleeper*> asleep_;  // those that did not wake yet
  std::size_t seen_ = 0;                      // events of the trace
};

}  // namespace thrum
