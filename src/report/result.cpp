// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/result.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace thrum {

namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <typename T, typename ToJson>
Json list(const std::vector<T>& values, ToJson to_json_value) {
  Json array = Json::array();
  for (const T& value : values) array.push_back(to_json_value(value));
  return array;
}

Json location_json(const Location& location) {
  return {{"role", location.role},
          {"thread", location.thread},
          {"file", location.file},
          {"line", location.line},
          {"function", location.function}};
}

Json consequence_json(const ConsequenceResult& consequence) {
  Json json = {{"executions", consequence.executions}};
  if (consequence.kind.empty()) return json;
  json["kind"] = consequence.kind;
  json["message"] = consequence.message;
  json["locations"] = list(consequence.locations, location_json);
  json["trace"] = consequence.trace;
  return json;
}

Json bug_json(const BugResult& bug) {
  Json json = {{"id", bug.id},
               {"kind", bug.kind},
               {"message", bug.message},
               {"fingerprint", bug.fingerprint},
               {"preemptions", bug.preemptions},
               {"preemptions_minimal", bug.minimal ? "proved" : "best-found"},
               {"switches", or_null(bug.switches)},
               {"switches_minimal", bug.switches_minimal ? "proved" : "best-found"},
               {"execution", bug.execution},
               {"seconds", bug.seconds},
               {"locations", list(bug.locations, location_json)},
               {"trace", bug.trace},
               {"heap", bug.heap}};
  json["confirmed"] = bug.unconfirmed.empty();
  if (!bug.unconfirmed.empty()) json["unconfirmed"] = bug.unconfirmed;
  if (bug.is_native) json["native"] = *bug.is_native;
  json["simplified"] = bug.simplified;
  if (!bug.strategy.empty()) json["strategy"] = bug.strategy;
  if (bug.known) json["known"] = true;
  if (!bug.without.empty()) json["without"] = bug.without;
  if (bug.leads_to) json["leads_to"] = consequence_json(*bug.leads_to);
  return json;
}

Json checkpoint_json(const CheckpointResult& checkpoint) {
  Json before = nullptr;
  if (checkpoint.executions_before) before = *checkpoint.executions_before;
  return {{"file", checkpoint.file}, {"executions_before", before}, {"can_go_on", checkpoint.can_go_on}};
}

Json suite_json(const SuiteResult& suite) {
  return {{"file", suite.file}, {"schedules", suite.schedules}, {"exhausted", suite.exhausted}};
}

Json baseline_json(const BaselineResult& baseline) {
  return {{"file", baseline.file},
          {"known", baseline.known},
          {"new", baseline.fresh},
          {"not_seen", list(baseline.not_seen, [](const KnownBug& bug) {
             return Json{{"test", bug.test},
                         {"kind", bug.kind},
                         {"message", bug.message},
                         {"fingerprint", bug.fingerprint}};
           })}};
}

Json suppression_json(const SuppressionResult& suppression) {
  return {{"kind", suppression.kind},
          {"pattern", suppression.pattern},
          {"line", suppression.line},
          {"count", suppression.count}};
}

Json bound_json(const BoundResult& bound) {
  return {{"kind", bound.kind},
          {"limit", or_null(bound.limit)},
          {"completed", or_null(bound.completed)},
          {"covers", bound.covers}};
}

Json cut_json(const CutResult& cut) { return {{"kind", cut.kind}, {"count", cut.count}}; }

Json warning_json(const WarningResult& warning) {
  return {{"kind", warning.kind},
          {"count", warning.count},
          {"text", warning.text},
          {"locations", list(warning.locations, location_json)}};
}

Json line_json(const Location& location) {
  return {{"file", location.file}, {"line", location.line}, {"function", location.function}};
}

Json assumption_json(const Assumption& assumption) {
  Json json = {{"kind", assumption.kind}, {"count", assumption.count}, {"text", assumption.text}};
  if (assumption.locations.empty()) return json;
  json["locations"] = list(assumption.locations, line_json);
  return json;
}

Json divergence_json(const DivergenceResult& divergence) {
  auto side = [](const DivergenceResult::Side& one) {
    return Json{{"thread", one.thread}, {"operation", one.operation}, {"stack", list(one.stack, line_json)}};
  };
  return {{"event", divergence.event},
          {"first", side(divergence.first)},
          {"second", side(divergence.second)},
          {"likely_cause", divergence.cause}};
}

Json probability_json(const ProbabilityResult& probability) {
  bool has_depth = probability.depth > 0;
  return {{"of", probability.of},
          {"per_execution", or_null(probability.per_execution)},
          {"depth", has_depth ? Json(probability.depth) : Json(nullptr)},
          {"threads", has_depth ? Json(probability.threads) : Json(nullptr)},
          {"steps", probability.steps},
          {"executions", probability.executions},
          {"text", probability.text}};
}

Json level_json(const LevelResult& level) {
  return {{"cost", level.cost},
          {"executions", level.executions},
          {"classes", or_null(level.classes)},
          {"bugs", level.bugs},
          {"completed_seconds", or_null(level.completed)}};
}

Json growth_json(const GrowthResult& point) {
  Json json = {
      {"executions", point.executions}, {"classes", or_null(point.classes)}, {"seconds", point.seconds}};
  if (point.local_states) json["local_states"] = *point.local_states;
  if (point.value_sequences) json["value_sequences"] = *point.value_sequences;
  return json;
}

Json member_json(const MemberResult& member) {
  return {{"name", member.name},
          {"executions", member.executions},
          {"bugs", member.bugs},
          {"seconds", member.seconds}};
}

Json loop_json(const LoopResult& loop) {
  return {{"file", loop.where.file},
          {"line", loop.where.line},
          {"function", loop.where.function},
          {"kind", loop.kind},
          {"text", loop.text}};
}

Json unfolding_json(const UnfoldingResult& unfolding) {
  return {{"in_vain", unfolding.vain},  {"restarts", unfolding.restarts}, {"queries", unfolding.queries},
          {"denied", unfolding.denied}, {"pairs", unfolding.pairs},       {"bytes", unfolding.bytes}};
}

void add_stateful(Json& json, const StatefulResult& stateful) {
  json["states"] = stateful.states;
  json["stateful"] = {{"ends", stateful.ends},
                      {"steps", stateful.steps},
                      {"depth", stateful.depth},
                      {"blocking", stateful.blocking},
                      {"preemptions", stateful.preemptions},
                      {"bytes", stateful.bytes},
                      {"restarts", stateful.restarts},
                      {"expected_collisions", stateful.expected_collisions},
                      {"seconds", stateful.seconds},
                      {"symmetry", stateful.is_symmetric ? "heap" : "none"},
                      {"bounds", list(stateful.bounds, [](const StatefulResult::Bound& bound) {
                         return Json{{"states", bound.states}, {"steps", bound.steps}};
                       })}};
  if (stateful.curves.empty()) return;
  json["stateful"]["curves"] = list(stateful.curves, [](const StatefulResult::Curve& curve) {
    return Json{{"order", curve.name}, {"points", list(curve.points, [](const auto& point) {
                                          return Json{{"executions", point.first}, {"states", point.second}};
                                        })}};
  });
}

Json undecided_json(const UndecidedResult& undecided) {
  return {{"file", undecided.where.file},
          {"line", undecided.where.line},
          {"function", undecided.where.function},
          {"thread", undecided.where.thread},
          {"reason", undecided.reason}};
}

Json read_json(const ReadResult& read) {
  Json json = {{"file", read.where.file},           {"line", read.where.line},
               {"function", read.where.function},   {"object", read.object},
               {"threads", read.threads},           {"values", read.values},
               {"values_count", read.values_count}, {"ways", read.ways},
               {"undecided", read.undecided}};
  if (read.undecided > 0) json["reason"] = read.reason;
  return json;
}

void add_causality(Json& json, const CausalityResult& causality) {
  json["decisions"] = {{"places", causality.decisions},
                       {"shown", causality.shown},
                       {"unreachable", causality.unreachable},
                       {"undecided", causality.undecided},
                       {"undecided_places", list(causality.undecided_places, undecided_json)},
                       {"nodes", causality.nodes},
                       {"states", causality.states},
                       {"restarts", causality.restarts}};
  if (causality.reads) json["decisions"]["reads"] = list(*causality.reads, read_json);
  json["solver"] = {{"queries", causality.queries},     {"sat", causality.satisfiable},
                    {"unsat", causality.unsatisfiable}, {"unknown", causality.unknown},
                    {"clauses", causality.clauses},     {"seconds", causality.seconds}};
}

Json statistics_json(const StatisticsResult& statistics) {
  Json json = {{"cost", statistics.cost},
               {"classes", or_null(statistics.classes)},
               {"in_vain", statistics.in_vain},
               {"waited_in_vain", statistics.waited},
               {"before", statistics.before},
               {"levels", list(statistics.levels, level_json)},
               {"growth", list(statistics.growth, growth_json)},
               {"strategies", list(statistics.strategies, member_json)},
               {"waiting_loops", list(statistics.loops, loop_json)}};
  if (statistics.unfolding) {
    json["local_states"] = statistics.unfolding->local_states;
    json["unfolding"] = unfolding_json(*statistics.unfolding);
  }
  if (statistics.stateful) add_stateful(json, *statistics.stateful);
  if (statistics.causality) add_causality(json, *statistics.causality);
  if (const auto& states = statistics.local_states) {
    json["local_states"] = states->count;
    json["local_states_exact"] = states->is_exact;
    json["last_new_local_state"] = states->last_new;
  }
  if (const auto& sequences = statistics.value_sequences) {
    json["value_sequences"] = sequences->count;
    json["value_sequences_exact"] = sequences->is_exact;
    json["last_new_value_sequence"] = sequences->last_new;
  }
  return json;
}

Json heap_json(const HeapResult& heap) {
  Json json = {{"heap", heap.heap},
               {"verdict", verdict_name(heap.verdict)},
               {"reason", heap.reason},
               {"complete", heap.complete},
               {"text", heap.guarantee},
               {"bounds", list(heap.bounds, bound_json)},
               {"executions", heap.executions}};
  if (heap.statistics) json["statistics"] = statistics_json(*heap.statistics);
  return json;
}

// Of a search for more than one kind of bug by what threads see by themselves: each by its name.
Json covers_json(const std::string& covers) {
  if (covers == "deadlocks-and-races") return Json::array({"local-states", "deadlocks", "data-races"});
  return covers;
}

Json test_json(const TestResult& test) {
  Json guarantee = {{"text", test.guarantee},
                    {"memory_model", test.memory_model},
                    {"heap", test.heap},
                    {"inputs", test.inputs},
                    {"covers", covers_json(test.covers)},
                    {"bounds", list(test.bounds, bound_json)},
                    {"cut", list(test.cut, cut_json)},
                    {"assumptions", list(test.assumptions, assumption_json)}};
  if (test.probability) guarantee["probability"] = probability_json(*test.probability);
  if (!test.heaps.empty()) guarantee["heaps"] = list(test.heaps, heap_json);
  Json json = {{"name", test.name},
               {"verdict", verdict_name(test.verdict)},
               {"reason", test.reason},
               {"complete", test.complete},
               {"guarantee", guarantee},
               {"strategy", test.strategy},
               {"engine", test.engine},
               {"threads", test.threads},
               {"executions", test.executions},
               {"steps", test.steps},
               {"seconds", test.seconds},
               {"happens_before_classes", or_null(test.happens_before_classes)},
               {"threads_max", test.threads_max},
               {"workers", test.workers},
               {"bugs", list(test.bugs, bug_json)}};
  if (!test.advice.empty()) json["advice"] = test.advice;
  if (!test.next.empty()) json["next"] = test.next;
  json["warnings"] = list(test.warnings, warning_json);
  if (test.statistics) json["statistics"] = statistics_json(*test.statistics);
  if (test.suppressed > 0) json["suppressed"] = test.suppressed;
  if (!test.priorities.empty()) json["priority"] = test.priorities;
  if (test.search_memory) {
    json["search_memory"] = {{"waiting", test.search_memory->waiting},
                             {"nodes", test.search_memory->nodes},
                             {"nodes_max", test.search_memory->nodes_max},
                             {"spilled", test.search_memory->spilled}};
    if (test.search_memory->uncompressed > 0)
      json["search_memory"]["uncompressed"] = test.search_memory->uncompressed;
    if (test.search_memory->remembered > 0)
      json["search_memory"]["remembered"] = test.search_memory->remembered;
    if (test.search_memory->apart > 0) json["search_memory"]["apart"] = test.search_memory->apart;
    if (test.search_memory->complete > 0) json["search_memory"]["complete"] = test.search_memory->complete;
  }
  if (test.trace_digest) json["trace_digest"] = *test.trace_digest;
  if (test.workers_killed > 0) json["workers_killed"] = test.workers_killed;
  if (!test.one_worker.empty()) json["one_worker"] = test.one_worker;
  json["midway"] = test.midway;
  json["trusted"] = test.trusted;
  json["audited"] = test.audited;
  if (test.divergence) json["divergence"] = divergence_json(*test.divergence);
  return json;
}

}  // namespace

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::skipped: return "skipped";
    case Verdict::exhausted: return "exhausted";
    case Verdict::inconclusive: return "inconclusive";
    case Verdict::bug: break;
  }
  return "bug";
}

Verdict Result::verdict() const {
  Verdict worst = Verdict::skipped;
  for (const TestResult& test : tests) worst = std::max(worst, test.verdict);
  return worst;
}

std::string to_json(const Result& result) {
  Json json = {{"schema", 1},
               {"thrum", kVersion},
               {"command", result.command},
               {"verdict", verdict_name(result.verdict())},
               {"tests", list(result.tests, test_json)}};
  if (result.baseline) json["baseline"] = baseline_json(*result.baseline);
  if (result.suppressions) json["suppressions"] = list(*result.suppressions, suppression_json);
  if (result.checkpoint) json["checkpoint"] = checkpoint_json(*result.checkpoint);
  if (result.suite) json["suite"] = suite_json(*result.suite);
  // What is no UTF-8 (a message of the program's own) must not spoil the document.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace thrum
