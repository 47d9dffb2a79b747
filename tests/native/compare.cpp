// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "native/compare.hpp"

#include <algorithm>
#include <map>

#include "native/translate.hpp"

namespace thrum {

namespace {

using nlohmann::json;

std::string name_of(const ToyBug& bug) {
  return std::string(bug_kind_name(bug.kind)) + " at " + std::to_string(bug.place);
}

// What the oracle says of the executions within a limit.
struct Expected {
  std::uint64_t executions = 0;
  bool is_all = true;
  std::map<ToyBug, int> bugs;   // with the fewest preemptions
  std::map<ToyBug, int> least;  // that any execution needs, within the limit or not
};

Expected expected_of(const Findings& findings, const Search& search) {
  Expected expected;
  auto note = [](std::map<ToyBug, int>& bugs, const Ending& ending) {
    if (!ending.has_bug) return;
    auto [known, added] = bugs.try_emplace({ending.bug.kind, ending.bug.place, {}}, ending.preemptions);
    if (!added) known->second = std::min(known->second, ending.preemptions);
  };
  for (const auto& [schedule, ending] : findings.executions) {
    note(expected.least, ending);
    int cost = search.base == Base::round_robin ? ending.delays : ending.preemptions;
    if (search.limit && cost > static_cast<int>(*search.limit)) {
      expected.is_all = false;
      continue;
    }
    ++expected.executions;
    note(expected.bugs, ending);
  }
  return expected;
}

// The toy's bugs in a result, each with the fewest preemptions. Deadlocks differ by who waits where, which
// the result does not say in terms of the toy: here all of them are one.
std::string collect_bugs(const json& test, std::map<ToyBug, int>& bugs) {
  for (const json& found : test.at("bugs")) {
    auto message = found.at("message").get<std::string>();
    std::optional<ToyBug> bug = translated_bug(found.at("kind").get<std::string>(), message);
    if (!bug) return "a bug that no toy has: " + message;
    int preemptions = found.at("preemptions").get<int>();
    auto [known, added] = bugs.try_emplace(*bug, preemptions);
    if (!added) known->second = std::min(known->second, preemptions);
  }
  return "";
}

// Of a bug that was found within a limit a simpler schedule may have been found beyond it.
std::string compare_bugs(const std::map<ToyBug, int>& found, const Expected& expected,
                         bool with_costs = true) {
  for (const auto& [bug, preemptions] : found) {
    auto known = expected.bugs.find(bug);
    if (known == expected.bugs.end()) return "a bug that is none: " + name_of(bug);
    if ((with_costs && preemptions > known->second) || preemptions < expected.least.at(bug)) {
      return name_of(bug) + ": " + std::to_string(preemptions) + " preemptions instead of " +
             std::to_string(known->second);
    }
  }
  for (const auto& [bug, preemptions] : expected.bugs) {
    if (!found.contains(bug)) return "not found: " + name_of(bug);
  }
  return "";
}

// A search by preemptions proves that its numbers are the least; another may.
std::string compare_proofs(const json& test, const Expected& expected, const Search& search) {
  for (const json& found : test.at("bugs")) {
    auto message = found.at("message").get<std::string>();
    std::optional<ToyBug> bug = translated_bug(found.at("kind").get<std::string>(), message);
    bool proved = found.at("preemptions_minimal") == "proved";
    // Deadlocks are one here, but each has its own least number.
    bool is_least =
        bug && (bug->kind == BugKind::deadlock || found.at("preemptions") == expected.least.at(*bug));
    if (proved ? !is_least : search.base == Base::nonpreemptive || found.at("preemptions") == 0)
      return message + ": wrong about being proved";
  }
  return "";
}

std::string compare_claims(const json& test, const Expected& expected, const Search& search) {
  bool has_bugs = !expected.bugs.empty();
  if (test.at("verdict") != (has_bugs ? "bug" : "exhausted")) return "verdict: " + test.at("reason").dump();
  if (test.at("complete") != (expected.is_all && !has_bugs)) return "wrong about being complete";
  const json& bounds = test.at("guarantee").at("bounds");
  if (bounds.size() != 1) return "one bound is expected";
  const json& bound = bounds[0];
  if (bound.at("kind") != (search.base == Base::round_robin ? "delays" : "preemptions"))
    return "another kind of bound than asked for";
  json limit = search.limit ? json(*search.limit) : json();
  if (bound.at("limit") != limit) return "another limit than asked for";
  if (search.limit && bound.at("completed") != limit) return "the limit was not completed";
  return compare_proofs(test, expected, search);
}

}  // namespace

std::vector<std::string> Search::options() const {
  std::string bound = "none";
  if (limit) bound = (base == Base::round_robin ? "delays=" : "preemptions=") + std::to_string(*limit);
  std::vector<std::string> all = {"--strategy", strategy,  "--bound",
                                  bound,        "--races", ignores_races ? "ignore" : "report"};
  if (spurious) all.push_back("--spurious");
  return all;
}

std::string Search::text() const {
  return options()[1] + " --bound " + options()[3] + (spurious ? " --spurious" : "");
}

std::string compare_result(const json& result, const Findings& findings, const Search& search) {
  const json& test = result.at("tests").at(0);
  Expected expected = expected_of(findings, search);
  auto executions = test.at("executions").get<std::uint64_t>();
  if (executions != expected.executions) {
    return std::to_string(executions) + " executions instead of " + std::to_string(expected.executions);
  }
  std::map<ToyBug, int> bugs;
  std::string wrong = collect_bugs(test, bugs);
  if (wrong.empty()) wrong = compare_bugs(bugs, expected);
  if (wrong.empty() && !search.ignores_races) wrong = compare_claims(test, expected, search);
  return wrong;
}

std::string compare_explored(const json& result, const Findings& finest, bool with_costs) {
  json test = result.at("tests").at(0);
  json others = json::array();
  for (const json& bug : test.at("bugs")) {
    if (bug.at("kind") != bug_kind_name(BugKind::data_race)) others.push_back(bug);
  }
  bool racy = others.size() != test.at("bugs").size();
  if (racy != finest.racy) return racy ? "a race that is none" : "a race was not found";
  test["bugs"] = others;
  std::map<ToyBug, int> bugs;
  std::string wrong = collect_bugs(test, bugs);
  if (wrong.empty()) wrong = compare_bugs(bugs, expected_of(finest, {}), with_costs);
  if (!wrong.empty()) return wrong;
  return test.at("guarantee").at("text").get<std::string>().starts_with("every s")  // schedule, or state
             ? ""
             : "not all is covered: " + test.at("guarantee").dump();
}

std::string compare_sample(const json& result, const Findings& findings) {
  std::map<ToyBug, int> bugs;
  std::string wrong = collect_bugs(result.at("tests").at(0), bugs);
  if (!wrong.empty()) return wrong;
  const Expected expected = expected_of(findings, {});
  for (const auto& [bug, preemptions] : bugs) {
    auto known = expected.bugs.find(bug);
    if (known == expected.bugs.end()) return "a bug that is none: " + name_of(bug);
    if (preemptions < known->second) return name_of(bug) + ": fewer preemptions than it takes";
  }
  return "";
}

}  // namespace thrum
