// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bugs that the user knows and does not want to hear of, in ThreadSanitizer's syntax
// (TSAN_OPTIONS=suppressions):
//
//   # the vendor's queue
//   race:vendor::Queue::pop
//   race_top:^fast_path$
//   deadlock:lock_both
//   called_from_lib:libvendor.so
//   leak:make_registry
//
// A line is a kind and a pattern. race suppresses data races with a matching function, file or module
// anywhere on one of their stacks; race_top looks at the innermost of the program's own functions only; mutex
// is about misused locks, deadlock about deadlocks; called_from_lib about races below a library; leak, which
// is of LeakSanitizer's syntax, about leaks of which all blocks that hang on no other were allocated below a
// match. A pattern is looked for anywhere in a name; * stands for anything, ^ and $ for the beginning and the
// end. Function names are those of reports, without arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/trace_file.hpp"

namespace thrum {

struct Suppression {
  enum class Kind : std::uint8_t { race, race_top, mutex, deadlock, called_from_lib, leak };
  Kind kind = Kind::race;
  std::string pattern;
  std::uint32_t line = 0;   // of the file
  std::uint64_t count = 0;  // bugs that it suppressed
};

const char* suppression_name(Suppression::Kind kind);

class Suppressions {
 public:
  Suppressions() = default;

  // Nothing, and in problem one line that says what is wrong where, where the text is no such file.
  static std::optional<Suppressions> parse(const std::string& text, std::string& problem);

  // Whether some line suppresses the bug; the first that does is counted.
  bool suppress(const TraceFile& bug);

  // The same without counting.
  bool matches(const TraceFile& bug) const { return Suppressions(*this).suppress(bug); }

  // Whether some line suppresses the race for the code of one of its accesses, not for who called that: then
  // it suppresses every race of the two places.
  bool matches_code(const TraceFile& race) const;

  const std::vector<Suppression>& all() const { return all_; }

 private:
  bool suppress_leak(const TraceFile& bug);

  std::vector<Suppression> all_;
};

// Whether a pattern, as above, is found in a name.
bool pattern_matches(const std::string& pattern, const std::string& name);

}  // namespace thrum
