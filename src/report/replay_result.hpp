// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `thrum replay` answers, for one schedule or a suite of them, and its JSON: the stable contract with
// other programs, described by docs/replay.schema.json. Fields may be added, none renamed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace thrum {

enum class ReplayVerdict : std::uint8_t {
  passed,        // no schedule failed, and each could be followed
  bug,           // one failed
  departed,      // none did, and one could not be followed, or ended in another way
  inconclusive,  // for another reason
};
const char* verdict_name(ReplayVerdict verdict);

struct ReplayResult {
  struct Departed {
    std::uint64_t schedule = 0;
    std::string text;
  };
  struct Bug {
    std::uint64_t schedule = 0;
    std::string test;
    std::string kind;
    std::string message;
    std::string command;  // that runs this schedule alone
  };

  std::vector<std::string> command;
  std::string file;
  std::string engine = "native";  // what ran the program: "native" or "vm"
  ReplayVerdict verdict = ReplayVerdict::passed;
  std::string reason;           // one line
  std::string details;          // further lines, each with its end; for people only
  std::uint64_t schedules = 1;  // in the file
  std::uint64_t run = 0;        // of those
  double seconds = 0;
  std::vector<Departed> departed;
  std::vector<std::uint64_t> changed;  // schedules that passed by other operations than then
  std::optional<Bug> bug;
  std::optional<bool> exhausted;  // of a suite: the search that made it was
};

std::string to_json(const ReplayResult& result);

}  // namespace thrum
