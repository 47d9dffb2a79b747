// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `thrum plot`: one picture of several results, such as those of several strategies on one program.
#include "report/plot.hpp"

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "verdict/error.hpp"
#include "verdict/text_file.hpp"

namespace thrum {

namespace {

using Json = nlohmann::ordered_json;

template <typename T>
std::optional<T> optional_at(const Json& json, const char* key) {
  const Json& value = json.at(key);
  return value.is_null() ? std::nullopt : std::optional(value.get<T>());
}

StatisticsResult statistics_at(const Json& json) {
  StatisticsResult statistics;
  json.at("cost").get_to(statistics.cost);
  statistics.classes = optional_at<std::uint64_t>(json, "classes");
  for (const Json& level : json.at("levels")) {
    statistics.levels.push_back(
        {level.at("cost").get<std::uint32_t>(), level.at("executions").get<std::uint64_t>(),
         optional_at<std::uint64_t>(level, "classes"), level.at("bugs").get<std::uint64_t>(),
         optional_at<double>(level, "completed_seconds")});
  }
  for (const Json& point : json.at("growth")) {
    statistics.growth.push_back({point.at("executions").get<std::uint64_t>(),
                                 optional_at<std::uint64_t>(point, "classes"),
                                 point.at("seconds").get<double>()});
    if (point.contains("local_states"))
      statistics.growth.back().local_states = point["local_states"].get<std::uint64_t>();
    if (point.contains("value_sequences"))
      statistics.growth.back().value_sequences = point["value_sequences"].get<std::uint64_t>();
  }
  return statistics;
}

// The verdict of a result or of one of its heaps: here it only matters whether everything was run.
Verdict verdict_at(const Json& json) {
  return json.at("verdict") == verdict_name(Verdict::exhausted) ? Verdict::exhausted : Verdict::inconclusive;
}

// The parts of a test's result that a picture shows.
TestResult test_at(const Json& json) {
  TestResult test;
  json.at("name").get_to(test.name);
  json.at("strategy").get_to(test.strategy);
  test.verdict = verdict_at(json);
  if (json.contains("statistics")) test.statistics = statistics_at(json["statistics"]);
  const Json& guarantee = json.at("guarantee");
  if (!guarantee.contains("heaps")) return test;
  for (const Json& one : guarantee["heaps"]) {
    HeapResult heap;
    one.at("heap").get_to(heap.heap);
    heap.verdict = verdict_at(one);
    if (one.contains("statistics")) heap.statistics = statistics_at(one["statistics"]);
    test.heaps.push_back(std::move(heap));
  }
  return test;
}

void add_result(const std::string& path, Result& all) {
  bool has_any = false;
  try {
    Json json = Json::parse(read_file(path));
    if (json.at("schema") != 1) throw UserError(path + ": is of a schema that this version does not know");
    for (const Json& one : json.at("tests")) {
      TestResult test = test_at(one);
      has_any = has_any || test.statistics || !test.heaps.empty();
      all.tests.push_back(std::move(test));
    }
  } catch (const Json::exception&) {
    throw UserError(path + ": is no result of thrum check --json");
  }
  if (!has_any) throw UserError(path + ": holds no statistics of a search, so there is nothing to show");
}

}  // namespace

int plot_command(const std::vector<std::string>& results, const std::string& out) {
  Result all;
  for (const std::string& path : results) add_result(path, all);
  write_file(out, coverage_plot(all));
  return kExitDone;
}

}  // namespace thrum
