// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/replay_result.hpp"

#include <nlohmann/json.hpp>

#include "report/result.hpp"
#include "report/trace_words.hpp"

namespace thrum {

namespace {

Json departures_json(const std::vector<ReplayResult::Departed>& departed) {
  Json json = Json::array();
  for (const ReplayResult::Departed& one : departed)
    json.push_back({{"schedule", one.schedule}, {"text", one.text}});
  return json;
}

}  // namespace

const char* verdict_name(ReplayVerdict verdict) {
  switch (verdict) {
    case ReplayVerdict::passed: return "passed";
    case ReplayVerdict::bug: return "bug";
    case ReplayVerdict::departed: return "departed";
    case ReplayVerdict::inconclusive: break;
  }
  return "inconclusive";
}

std::string to_json(const ReplayResult& result) {
  Json json = {{"schema", 1},
               {"thrum", kVersion},
               {"command", result.command},
               {"file", result.file},
               {"engine", result.engine},
               {"verdict", verdict_name(result.verdict)},
               {"reason", result.reason},
               {"schedules", result.schedules},
               {"run", result.run},
               {"seconds", result.seconds},
               {"departed", departures_json(result.departed)},
               {"changed", result.changed}};
  if (result.exhausted) json["exhausted"] = *result.exhausted;
  if (result.bug) {
    json["bug"] = {{"schedule", result.bug->schedule},
                   {"test", result.bug->test},
                   {"kind", result.bug->kind},
                   {"message", result.bug->message},
                   {"replay", result.bug->command}};
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace thrum
