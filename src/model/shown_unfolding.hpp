// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The events of an unfolding that executions have shown (src/unfolding/prefix.hpp), for a picture of it.
#pragma once

#include <cstdint>
#include <vector>

#include "model/trace.hpp"

namespace thrum {

struct ShownUnfolding {
  static constexpr std::uint32_t kNone = 0xffffffff;

  // How an event hangs together with the ones before it. Numbers of events are places in the list.
  struct Link {
    std::uint32_t previous = kNone;  // of its thread; of a thread's first one: the thread's creation
    std::uint32_t object = kNone;    // the number of what it is about: a variable, a mutex; kNone: nothing
    std::uint32_t source = kNone;    // whose change of the object it read or consumed; kNone: none before
    bool consumes = false;           // it changes the object; else it reads it
    std::uint32_t joined = kNone;    // of a join that reads how the thread has ended: its last event
    bool is_late = false;            // a join of a thread, whatever that did
    bool fails = false;              // its thread fails there
    std::vector<std::uint32_t> behind{};  // reads that it comes behind; of an ordinary unfolding only
  };

  // One for each event of the trace; those before it come first.
  std::vector<Link> links;
  // Only its events with their places, frames and blocks. They are of several executions.
  Trace trace;
  std::uint64_t events = 0;  // also those that are left out here, since there are too many
};

}  // namespace thrum
