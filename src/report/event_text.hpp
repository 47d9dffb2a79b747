// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events, waits and failures of a trace in words.
#pragma once

#include <cstddef>
#include <string>

#include "report/trace_file.hpp"

namespace thrum {

// An operation with its object and values: "x -> 0" is a read, "x = 1" a write, "x: 0 -> 1" both.
std::string operation_text(const TraceFile& file, std::size_t event);

// The same with the name of the operation, where the values alone do not say it: "load x = 0", "store x = 1".
std::string named_operation_text(const TraceFile& file, std::size_t event);

// Whether a thread may have to wait before an operation: for its object, or in a loop for what it reads.
bool may_block(Operation operation);

// What a thread could not do yet when it came to the event, and did later: "waits: lock savings".
std::string wait_text(const TraceFile& file, std::size_t event);

// What a thread stood before when the execution failed: "waits: lock savings, held by 0.2"; "was about to:
// ..." where it could have gone on. places: of its object.
std::string waiter_text(const TraceFile& file, const Waiter& waiter, const EventPlaces& places);

// "deadlock: no thread can go on"
std::string failure_title(const Failure& failure);

// The thread whose stack a place lies on, or "a thread".
std::string thread_text(const TraceFile& file, const Place& stack);

const EventPlaces& places_of(const TraceFile& file, std::size_t event);

}  // namespace thrum
