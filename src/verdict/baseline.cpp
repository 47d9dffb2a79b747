// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by baseline_test.cpp.
#include "verdict/baseline.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "verdict/error.hpp"
#include "verdict/text_file.hpp"

namespace thrum {

namespace {

using Json = nlohmann::json;

}  // namespace

Baseline::Baseline(const std::string& path) {
  result_.file = path;
  try {
    Json json = Json::parse(read_file(path, "--baseline "));
    if (json.at("schema") != 1)
      throw UserError("--baseline " + path + ": is of a schema that this version does not know");
    for (const Json& test : json.at("tests")) {
      for (const Json& bug : test.at("bugs")) {
        KnownBug known;
        test.at("name").get_to(known.test);
        bug.at("kind").get_to(known.kind);
        bug.at("message").get_to(known.message);
        bug.at("fingerprint").get_to(known.fingerprint);
        bugs_.push_back(std::move(known));
      }
    }
  } catch (const Json::exception&) {
    throw UserError("--baseline " + path + ": is no result of thrum check --json");
  }
}

void Baseline::mark(TestResult& test) {
  for (BugResult& bug : test.bugs) {
    bug.known = std::any_of(bugs_.begin(), bugs_.end(), [&](const KnownBug& known) {
      return known.test == test.name && known.fingerprint == bug.fingerprint;
    });
    ++(bug.known ? result_.known : result_.fresh);
  }
  for (const KnownBug& known : bugs_) {
    bool seen = std::any_of(test.bugs.begin(), test.bugs.end(),
                            [&](const BugResult& bug) { return bug.fingerprint == known.fingerprint; });
    if (known.test == test.name && !seen) result_.not_seen.push_back(known);
  }
}

}  // namespace thrum
