// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a search by constraint solving has shown of the places where threads go on as a value says
// (thrum check --decisions).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/thread_names.hpp"

namespace thrum {

// A place in the program where a thread reads. Each way there, by what the thread has read before, is a
// decision by itself.
struct ShownRead {
  ThreadId thread = kMainThread;
  std::uint64_t code = 0;               // where; 0: not known
  std::uint64_t object = 0;             // what is read; 0: several things
  std::uint32_t size = 0;               // in bytes
  std::vector<std::uint64_t> values{};  // that it gave, each once, in ascending order
  std::uint64_t ways = 0;
  std::uint64_t undecided = 0;  // of the ways: nobody knows whether another value is possible
  std::string reason{};         // why, of the first of these
};

// Something that a thread might do, and nobody knows whether it can.
struct UndecidedPlace {
  ThreadId thread = kMainThread;
  std::uint64_t code = 0;  // of the last place before it that is known; 0: none is
  std::string reason{};
};

struct ShownDecisions {
  std::vector<ShownRead> reads{};           // by thread and place
  std::vector<UndecidedPlace> undecided{};  // each once
};

}  // namespace thrum
