// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The worker's side of a reduced test suite: the schedules are recorded in the file that the supervisor has
// opened (Board::suite_file), or read from it and run, one after the other.
//
// Where the next line goes is in this process's memory. So a copy that takes over from a worker that died
// writes over what that worker has recorded since.
//
// Thread safety: one thread. Tested by tests/endtoend/suite_test.cpp.
#pragma once

#include <cstdint>
#include <string_view>

#include "campaign/suite.hpp"
#include "protocol/job.hpp"
#include "runtime/base/forever.hpp"
#include "runtime/drive/native_program.hpp"

namespace thrum {

class SuiteFile final : public SuiteTaker {
 public:
  constexpr SuiteFile() = default;

  // The process begins: moves the file's descriptor out of the program's way.
  void initialize();

  void add(const SuiteSchedule& schedule) override;
  void begin_again() override;

  // Runs the schedules in the file until one fails or the time is over. before_each: called with each plan
  // before it runs.
  SuiteRun replay(NativeProgram& program, void (*before_each)(const Plan&, double done));

 private:
  void write(std::string_view bytes);
  void publish() const;

  long file_ = -1;
  std::uint64_t size_ = 0;
};

extern constinit Forever<SuiteFile> the_suite_file;
inline SuiteFile& suite_file() { return the_suite_file.value; }

}  // namespace thrum
