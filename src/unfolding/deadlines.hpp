// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which uses of time a search by unfolding does not cover.
//
// A short wait may end, by its deadline, between any two operations of other threads (--early-timeouts). That
// is an event of the thread, of what it waits for and of the clock, like any other: whether it can come is a
// function of its past. Not so where no thread can go on and several have deadlines, since then the earliest
// one runs out. And a deadline is no function of what its thread has seen if it is so far from now, where now
// depends on other threads; that matters where some thread reads the clock.
#pragma once

#include <set>
#include <string_view>
#include <tuple>

#include "model/trace.hpp"

namespace thrum {

class Deadlines {
 public:
  // Takes an execution. What is not covered in it, or in it together with those before; empty: nothing.
  std::string_view look_at(const Trace& trace);

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.waiting_, self.is_late_, self.is_from_now_, self.is_clock_read_);
  }

 private:
  template <typename Step>
  void look_at_one(const Step& step);  // an event, or a pending operation

  std::set<ThreadId> waiting_;  // threads that have waited with a deadline
  bool is_late_ = false;        // some wait is longer than --early-timeouts
  bool is_from_now_ = false;    // some deadline is so far from now
  bool is_clock_read_ = false;
};

}  // namespace thrum
