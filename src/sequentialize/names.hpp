// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of the sequential program. Files become one, and what stood in a function stands outside it; so names
// may meet that did not.
#pragma once

#include <set>
#include <string>

namespace thrum::seq {

class Names {
 public:
  bool taken(const std::string& name) const { return names_.contains(name); }
  // The name, or it with a number behind it; taken from now on.
  std::string fresh(const std::string& name) {
    std::string result = name;
    for (unsigned i = 2; !names_.insert(result).second; ++i) result = name + "_" + std::to_string(i);
    return result;
  }

 private:
  std::set<std::string> names_;
};

}  // namespace thrum::seq
