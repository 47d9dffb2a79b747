// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who ended a wait: which event of another thread let a thread go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "report/trace_file.hpp"

namespace thrum {

// What an event touched, by its lasting name where it has one. A place on a stack is the same in whichever
// function's frame it was seen.
using ObjectName = std::pair<Place, std::uint64_t>;
ObjectName object_name(const Place& place, std::uint64_t number);

// The last event before `event` and behind `from` by which another thread made `event` possible: an unlock, a
// signal, the end of the thread that is joined, a write to what a loop waits for. Nothing where there is
// none, as for what a timeout ended.
std::optional<std::size_t> wait_ended_by(const TraceFile& file, std::size_t from, std::size_t event);

}  // namespace thrum
