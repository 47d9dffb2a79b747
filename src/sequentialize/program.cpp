// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sequentialize/program.hpp"

#include <algorithm>

namespace thrum::seq {

unsigned Program::thread_number(const std::string& function) {
  auto found = std::find(thread_functions.begin(), thread_functions.end(), function);
  if (found == thread_functions.end()) {
    found = thread_functions.insert(found, function);
    const Defined& defined = functions.at(function);
    if (defined.declaration->getNumParams() == 1 && defined.declaration->getParamDecl(0)->isUsed())
      features.insert(Feature::arguments);
  }
  return static_cast<unsigned>(found - thread_functions.begin());
}

void Program::close() {
  // A pointer may lead to whatever an address was taken of.
  std::set<std::string> pointed;
  for (const auto& [name, function] : functions) {
    if (function.address_taken) pointed.insert(name);
  }
  for (auto& [name, function] : functions) {
    if (function.calls_pointers) function.callees.insert(pointed.begin(), pointed.end());
    function.visible = function.has_points;
  }
  for (bool more = true; more;) {
    more = false;
    for (auto& [name, function] : functions) {
      if (function.visible) continue;
      function.visible = function.calls_pointers ||
                         std::any_of(function.callees.begin(), function.callees.end(),
                                     [&](const std::string& callee) { return functions.at(callee).visible; });
      more = more || function.visible;
    }
  }
  // A call may come back to its caller.
  for (const auto& [name, function] : functions) {
    std::set<std::string> reached;
    std::vector<std::string> next(function.callees.begin(), function.callees.end());
    while (!next.empty()) {
      std::string callee = next.back();
      next.pop_back();
      if (!reached.insert(callee).second) continue;
      for (const std::string& each : functions.at(callee).callees) next.push_back(each);
    }
    for (const std::string& each : reached) {
      if (functions.at(each).callees.contains(name)) recursive_calls.insert(each + ' ' + name);
    }
  }
}

}  // namespace thrum::seq
