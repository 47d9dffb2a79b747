// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program has said of its tests: calls of thrum::check(), and the names that the listener of a test
// framework announces (include/thrum/detail/thrum_tests.h). It belongs to no execution. A program that has
// tests and is asked for none lists them: then nothing is searched.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace thrum::vm {

struct Tests {
  struct Test {
    std::string name;
    std::vector<std::string> options;  // words of the command line
  };

  std::vector<Test> announced;       // by a framework
  std::vector<Test> calls;           // of thrum::check()
  std::vector<std::string> options;  // of the next call
  bool is_present = false;           // a framework, or calls
  bool is_listed = false;            // the list is complete
  bool has_begun = false;            // the test that was asked for, in some execution
  std::uint64_t skipped = 0;         // executions that the test gave up
  std::string skip_reason;           // of the first of them
  // A framework may run a test in parts, each from the beginning of the test: sections of Catch2. One part is
  // checked; the parts before it are passed over, without choices (Course::passes_over).
  bool has_parts = false;
  bool saw_end = false;          // of the test, after this part
  bool saw_more = false;         // another part after this one
  bool part_is_missing = false;  // the test has no such part, or does not reach it
  std::string part_name;

  // A call of thrum::check(); before: how many came before it in this execution. The test's name: that of the
  // call, with a number behind it if an earlier call has the same.
  const std::string& add_call(const std::string& name, std::uint32_t before);
};

}  // namespace thrum::vm
