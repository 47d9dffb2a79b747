// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A trace file: all that is needed to run a schedule again, and to show it where the program is not at hand.
//
// Its addresses are places (module and offset, allocating thread and number), so that it means the same in
// another process. The names of places (functions, lines, variables) stand in it, since the program may be
// gone or rebuilt when it is read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/plan.hpp"
#include "model/trace.hpp"

namespace thrum {

struct SourceLine {
  std::string function;
  std::string file;  // empty where it is not known
  std::uint32_t line = 0;
  std::string text{};  // of the line, without its indentation; empty where the file was not at hand

  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

// What the places of a trace are called, by module and offset.
struct Symbols {
  using Key = std::pair<std::uint16_t, std::uint64_t>;
  std::map<Key, std::vector<SourceLine>> code;  // by return address; innermost inlined function first
  std::map<Key, std::string> data;              // "counter", "table[2].next", "table+16"
  std::map<Place, std::string> locals;          // of places on stacks: "main::ready"
  std::map<Place, std::string> pointers;        // of places that values point to: as a whole, "table[2]"
};

// How the program under test was started.
struct Invocation {
  std::string program;  // an absolute path; empty where it was compiled from sources for this one check
  std::vector<std::string> sources;  // absolute paths
  std::string compile_flags;
  bool bitcode = false;  // they were compiled so that the program carries its bitcode
  std::vector<std::string> arguments;
  std::string directory;   // the working directory
  std::string test;        // of a program with several; empty: the program is one test
  std::uint32_t part = 0;  // of the test, as in Job
};

struct TraceFile {
  Invocation invocation;
  std::string engine = "native";  // what ran the program: "native" or "vm"
  std::string strategy;
  std::string heap;
  std::string races;
  bool leaks = false;        // lost blocks of the heap are a bug
  bool state_cache = false;  // the machine ran the code for searches of states, whose places are others
  bool spurious = false;     // condition variables might wake up for no reason
  std::uint64_t steps = 0;   // the limit of one execution
  std::uint32_t hang_seconds = 10;
  // Longer waits ran out only where nothing else could go on. Traces that do not say it are of times when
  // each wait could run out early.
  double early_timeouts_seconds = 1e9;
  std::uint64_t seed = 0;
  Plan plan;
  std::uint32_t preemptions = 0;
  bool minimal = false;
  std::optional<std::uint32_t> switches;  // of threads; nothing: not counted
  bool switches_minimal = false;          // no schedule with as few preemptions has fewer (proved)
  std::uint64_t execution = 0;
  ThreadNames names;  // of the thread ids in plan and trace
  Trace trace;
  std::vector<std::string> modules;  // paths, by module number
  Symbols symbols;

  // The lines of a place in code, innermost inlined function first; empty where nothing is known of it.
  const std::vector<SourceLine>& lines(const Place& place) const;
  // What a place in data is called: "counter", "main::ready", "block 2+8" (the second of
  // trace.details.blocks); empty for no place.
  std::string place_name(const Place& place) const;
  // The name of what a pointer points to.
  std::string pointee_name(const Place& place) const;
};

std::string to_json(const TraceFile& file);
// The same without line breaks.
std::string to_json_line(const TraceFile& file);

// Nothing, and one line that says what is wrong, where the text is no such file.
std::optional<TraceFile> trace_file_from_json(const std::string& text, std::string& problem);

}  // namespace thrum
