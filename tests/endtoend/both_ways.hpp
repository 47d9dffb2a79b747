// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches of a program by a short cut and without it, which must come to the same.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "endtoend.hpp"

class BothWays : public EndToEnd {
 protected:
  using json = nlohmann::json;

  // without: the option that does without the short cut; counter: what of a result says how many executions
  // took it.
  BothWays(std::string without, std::string counter)
      : without_(std::move(without)), counter_(std::move(counter)) {}

  // By each of these strategies; by the first with that result.
  void check_both(const std::string& program, int exit_code, const std::vector<const char*>& strategies,
                  const std::string& executions = "2000");
  // The same for a program of that text, behind kBegin. takes: whether any execution takes the short cut.
  void check_program(const std::string& text, int exit_code, const std::vector<const char*>& strategies,
                     bool takes = true, const std::string& executions = "2000");

  static const std::string kBegin;

 private:
  int compare(std::vector<std::string> options);
  json run_all(const std::vector<std::string>& options, int& found);

  std::string without_;
  std::string counter_;
  int taken_ = 0;  // in all
};
