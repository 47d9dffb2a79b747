// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tests of a program: those of a test framework, and calls of thrum::check().
//
// A framework calls a listener of the runtime (include/thrum/detail/), and the listener calls the functions
// here; thrum::check() (include/thrum/thrum.hpp) calls them itself. The job says what the process has to do:
// announce the names of its tests and end; or check one test, so that each execution ends with the test. A
// framework knows all its tests when it begins. Calls of thrum::check() are met one after another, so the
// list of a program that has any is complete when the program ends.
//
// The state here is not part of the program's state and outlives executions. Thread safety: one system
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/job.hpp"
#include "runtime/base/forever.hpp"

namespace thrum {

class TestFramework {
 public:
  constexpr TestFramework() = default;

  // The listener exists; it will announce the tests that the program runs.
  void note_presence() { present_ = true; }
  bool is_present() const { return present_; }

  void add_test(const char* name) { tests_.push_back({name, {}}); }
  void complete_list() { listed_ = true; }
  bool list_is_complete() const { return listed_; }

  // An option of the next call of thrum::check().
  void add_option(std::string word) { options_.push_back(std::move(word)); }
  // A call of thrum::check(); before: how many came before it in this execution. Returns the test's name,
  // followed by a number if an earlier call has the same name. If an execution is run again, its calls take
  // their earlier places.
  const std::string& add_call(const char* name, std::uint32_t before);
  bool has_calls() const { return !calls_.empty(); }

  // The requested test has begun at some time. Also true if no test was requested.
  void begin() { begun_ = true; }
  bool has_begun() const;

  // A framework may run a test in parts, each from the beginning of the test: sections of Catch2. One part is
  // checked; the parts before it are passed over, without choices.
  void note_parts() { has_parts_ = true; }
  void pass_over() { passes_over_ = true; }
  void begin_part() { passes_over_ = false; }
  bool passes_over() const { return passes_over_; }
  void name_part(const char* name);
  void end_part(bool more);
  void miss_part() { part_missing_ = true; }
  // Saves the state at the snapshot, and restores it.
  void save() { saved_passes_over_ = passes_over_; }
  void restore() { passes_over_ = saved_passes_over_; }

  // The test gave itself up in an execution.
  void skip(const char* reason);

  void add_to(Report& report) const;

  // What executions have shown of the test, for a search that is resumed in another process.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);
  // A part of the search begins in this process; and what this part has seen.
  void begin_part_of_search() { skipped_ = 0; }
  void merge(ByteReader& in);

 private:
  bool present_ = false;
  bool listed_ = false;
  bool begun_ = false;
  std::vector<AnnouncedTest> tests_;  // of a framework
  std::vector<AnnouncedTest> calls_;  // of thrum::check()
  std::vector<std::string> options_;
  bool passes_over_ = false;
  bool saved_passes_over_ = false;
  bool has_parts_ = false;
  bool part_missing_ = false;
  bool saw_end_ = false;   // of the test, after this part
  bool saw_more_ = false;  // another part after this one
  std::string part_name_;
  std::uint64_t skipped_ = 0;
  std::string skip_reason_;
};

extern constinit Forever<TestFramework> the_test_framework;
inline TestFramework& test_framework() { return the_test_framework.value; }

}  // namespace thrum
