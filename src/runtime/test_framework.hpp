// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tests of a program that was written with a test framework.
//
// The framework calls a listener of ours (include/thrum/wrapped/), and the listener calls here. What a
// process is asked for stands in its job: either it ends with the names of its tests, or it checks one test,
// each execution of which ends with the test.
//
// What is kept here is no part of the program's state and outlives executions. Thread safety: one system
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/job.hpp"
#include "runtime/forever.hpp"

namespace thrum {

class TestFramework {
 public:
  constexpr TestFramework() = default;

  // A listener is there, and will announce tests if the program comes to it.
  void note_presence() { present_ = true; }
  bool is_present() const { return present_; }

  void add_test(const char* name) { names_.emplace_back(name); }
  void complete_list() { listed_ = true; }
  bool list_is_complete() const { return listed_; }

  // The test that was asked for has begun at some time; true as well where none was asked for.
  void begin() { begun_ = true; }
  bool has_begun() const;

  // An execution in which the test gave itself up.
  void skip(const char* reason);

  void add_to(Report& report) const;

 private:
  bool present_ = false;
  bool listed_ = false;
  bool begun_ = false;
  std::vector<std::string> names_;
  std::uint64_t skipped_ = 0;
  std::string skip_reason_;
};

extern constinit Forever<TestFramework> the_test_framework;
inline TestFramework& test_framework() { return the_test_framework.value; }

}  // namespace thrum
