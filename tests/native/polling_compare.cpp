// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "native/polling_compare.hpp"

#include <set>

namespace thrum {

using nlohmann::json;

std::string compare(const json& test, const PollingFindings& findings, bool& ended) {
  std::set<std::string> ends;
  std::set<std::string> checks;
  bool deadlock = false;
  bool livelock = false;
  bool misuse = false;
  for (const json& bug : test.at("bugs")) {
    const std::string kind = bug.at("kind");
    const std::string message = bug.at("message");
    if (kind == "deadlock") {
      deadlock = true;
    } else if (kind == "livelock") {
      livelock = true;
    } else if (kind == "lock-misuse") {
      misuse = true;
    } else if (const std::size_t at = message.find("\"end ");
               kind == "assertion" && at != std::string::npos) {
      ends.insert(message.substr(at + 1, message.find('"', at + 1) - at - 1));
    } else if (const std::size_t check = message.find("\"check ");
               kind == "assertion" && check != std::string::npos) {
      checks.insert(message.substr(check + 1, message.find('"', check + 1) - check - 1));
    } else {
      return "a bug that is none: " + kind + ": " + message;
    }
  }
  std::set<std::string> expected;
  for (std::size_t i = 0; i < findings.ends.size(); ++i) expected.insert("end " + std::to_string(i));
  for (const std::string& end : ends)
    if (!expected.contains(end)) return "a final state that is none: " + end;
  for (const std::string& check : checks)
    if (!findings.checks.contains(check)) return "it cannot fail: " + check;
  if (deadlock && !findings.deadlock) return "a deadlock that is none";
  if (livelock && !findings.endless) return "a livelock that is none";
  if (misuse && !findings.misuse) return "a misuse that is none";
  const std::string covered = test.at("guarantee").at("text");
  const bool has_assertions = covered.starts_with("every failed assertion");  // by --strategy rf
  ended = (covered.starts_with("every schedule") || has_assertions) &&
          covered.find(" with ") == std::string::npos;
  if (!ended) return "";
  for (const std::string& end : expected)
    if (!ends.contains(end)) return "it ended, but without this final state: " + end;
  for (const std::string& check : findings.checks)
    if (!checks.contains(check)) return "it ended, but it does not fail: " + check;
  if (has_assertions) return "";
  if (findings.deadlock != deadlock) return "every schedule, but no deadlock";
  if (findings.stuck && !livelock) return "every schedule, but no livelock";
  if (findings.misuse != misuse) return "every schedule, but no misuse";
  return "";
}

}  // namespace thrum
