// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tests of a program: those of a test framework, and calls of thrum::check().
//
// A framework calls a listener of ours (include/thrum/wrapped/), and the listener calls here; thrum::check()
// (include/thrum/thrum.hpp) does so itself. What a process is asked for stands in its job: either it ends
// with the names of its tests, or it checks one test, each execution of which ends with the test. A framework
// knows all its tests when it begins. Calls of thrum::check() are met one after another, so the list of a
// program that has any is complete where the program ends.
//
// What is kept here is no part of the program's state and outlives executions. Thread safety: one system
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

  // A listener is there, and will announce tests if the program comes to it.
  void note_presence() { present_ = true; }
  bool is_present() const { return present_; }

  void add_test(const char* name) { tests_.push_back({name, {}}); }
  void complete_list() { listed_ = true; }
  bool list_is_complete() const { return listed_; }

  // An option of the call of thrum::check() that comes next.
  void add_option(std::string word) { options_.push_back(std::move(word)); }
  // A call of thrum::check(); before: how many came before it in this execution. Returns the test's name:
  // where an earlier call has the same, a number follows. Where an execution is run again, its calls take the
  // places that they had.
  const std::string& add_call(const char* name, std::uint32_t before);
  bool has_calls() const { return !calls_.empty(); }

  // The test that was asked for has begun at some time; true as well where none was asked for.
  void begin() { begun_ = true; }
  bool has_begun() const;

  // A framework may run a test in parts, each from its beginning: sections of Catch2. One part is checked;
  // those before it are passed over, without choices.
  void note_parts() { has_parts_ = true; }
  void pass_over() { passes_over_ = true; }
  void begin_part() { passes_over_ = false; }
  bool passes_over() const { return passes_over_; }
  void name_part(const char* name);
  void end_part(bool more);
  void miss_part() { part_missing_ = true; }
  // What is so at the snapshot, and back to that.
  void save() { saved_passes_over_ = passes_over_; }
  void restore() { passes_over_ = saved_passes_over_; }

  // An execution in which the test gave itself up.
  void skip(const char* reason);

  void add_to(Report& report) const;

  // What was learned of the test by executions, for a search that is taken up in another process.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);
  // A part of the search begins in this process; and what such a part has learned.
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
  bool saw_end_ = false;   // of the test, behind this part
  bool saw_more_ = false;  // another part behind this one
  std::string part_name_;
  std::uint64_t skipped_ = 0;
  std::string skip_reason_;
};

extern constinit Forever<TestFramework> the_test_framework;
inline TestFramework& test_framework() { return the_test_framework.value; }

}  // namespace thrum
