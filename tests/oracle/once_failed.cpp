// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/once_failed.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace thrum {

std::vector<OnceFailed> programs_that_once_failed() {
  const std::filesystem::path folder = std::filesystem::path(THRUM_SOURCE_DIR) / "tests/oracle/regressions";
  std::vector<OnceFailed> programs;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const std::string name = entry.path().filename().string();
    std::optional<ToyCode> code = parse(text.str());
    if (!code) throw std::runtime_error("regressions/" + name + " is no toy program");
    programs.push_back({name, *code});
  }
  if (programs.empty()) throw std::runtime_error("regressions/ holds no program");
  std::sort(programs.begin(), programs.end(),
            [](const OnceFailed& a, const OnceFailed& b) { return a.name < b.name; });
  return programs;
}

}  // namespace thrum
