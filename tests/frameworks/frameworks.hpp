// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of this folder share: the programs that build.sh has built, and the entries of a result.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "endtoend.hpp"

class Frameworks : public EndToEnd {
 protected:
  static std::string program(const std::string& name);

  static std::vector<std::string> lines(const std::string& text);

  // The tests of a result; each has a name of its own.
  static std::map<std::string, nlohmann::json> by_name(const nlohmann::json& result);
  static nlohmann::json test(const nlohmann::json& result, const std::string& name);
};
