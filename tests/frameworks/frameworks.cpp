// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frameworks.hpp"

#include <sstream>

using nlohmann::json;

std::string Frameworks::program(const std::string& name) {
  return std::string(FRAMEWORK_PROGRAMS) + "/" + name;
}

std::vector<std::string> Frameworks::lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

std::map<std::string, json> Frameworks::by_name(const json& result) {
  std::map<std::string, json> tests;
  for (const json& test : result["tests"]) {
    EXPECT_FALSE(tests.contains(test["name"])) << "twice: " << test["name"];
    tests[test["name"]] = test;
  }
  return tests;
}

json Frameworks::test(const json& result, const std::string& name) {
  auto tests = by_name(result);
  EXPECT_TRUE(tests.contains(name)) << name;
  return tests[name];
}
