// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder of its own, in which programs are compiled and checked with the real thrum.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace thrum {

// Whether the machine is to be compared, and not the native engine. Then fewer programs are, since each
// search begins with reading bitcode.
bool is_machine();

class Workshop {
 public:
  Workshop();
  ~Workshop();  // removes the folder
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  // Leaves the folder where it is.
  void keep() { kept_ = true; }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // Compiles C++ source text with the flag, or if it is empty with THRUM_NATIVE_FLAGS (-O1), to path(name).
  // The text stays at path(name + ".cpp"). Returns an empty text, or why it could not be done.
  std::string compile(const std::string& name, const std::string& source, const std::string& flag = "") const;

  // The result of `thrum check` for one of the programs in a binary, whose number is its argument. Throws
  // std::runtime_error where there is none.
  nlohmann::json check(const std::string& name, std::size_t number,
                       const std::vector<std::string>& options) const;

 private:
  std::filesystem::path folder_;
  bool kept_ = false;
};

}  // namespace thrum
