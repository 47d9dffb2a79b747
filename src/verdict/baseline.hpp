// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bugs of an earlier result (--baseline): a check fails on others only.
#pragma once

#include <string>
#include <vector>

#include "report/result.hpp"

namespace thrum {

class Baseline {
 public:
  // Reads the result that `thrum check --json` wrote. Throws UserError where the file is none.
  explicit Baseline(const std::string& path);

  // Marks the bugs of a test's result that are known, and notes which of the known ones were not seen again.
  void mark(TestResult& test);

  // Of all tests so far.
  const BaselineResult& result() const { return result_; }

 private:
  std::vector<KnownBug> bugs_;
  BaselineResult result_;
};

}  // namespace thrum
