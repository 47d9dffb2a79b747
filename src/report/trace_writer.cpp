// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A trace file as JSON. Return addresses stand once, in "frames"; stacks are lists of their numbers.
//
// Tested by text_report_test.cpp.
#include <map>

#include "report/result.hpp"
#include "report/trace_file.hpp"
#include "report/trace_words.hpp"
#include "support/hex.hpp"

namespace thrum {

namespace {

class TraceWriter {
 public:
  explicit TraceWriter(const TraceFile& file) : file_(file) {}

  Json write() {
    const Trace& trace = file_.trace;
    Json json = header();
    json["plan"] = plan_json();
    json["end"] = name_of(trace.end, kEnds);
    if (!trace.lasso.empty()) json["lasso"] = {{"begin", trace.lasso.begin}, {"end", trace.lasso.end}};
    if (!trace.failure.empty()) json["failure"] = failure_json();
    json["modules"] = file_.modules;
    Json events = Json::array();
    for (std::size_t i = 0; i < trace.events.size(); ++i) events.push_back(event_json(i));
    Json choices = Json::array();
    for (const ChoicePoint& point : trace.choices) choices.push_back(choice_json(point));
    Json blocks = Json::array();
    for (const HeapBlock& block : trace.details.blocks) blocks.push_back(block_json(block));
    json["threads"] = thread_names();
    json["threads_created"] = trace.counts.threads;
    json["instrumented_operations"] = trace.counts.steps;
    json["blocks"] = std::move(blocks);
    json["events"] = std::move(events);
    json["choices"] = std::move(choices);
    Json known = Json::array();
    for (const KnownRace& race : trace.details.known_races) {
      known.push_back({{"places", stack_json({race.first, race.second})},
                       {"bytes", place_json(race.bytes)},
                       {"size", race.size}});
    }
    json["known_races"] = std::move(known);
    json["frames"] = frames_;  // all are known by now
    json["output"] = trace.details.output;
    return json;
  }

 private:
  std::string thread(ThreadId id) const { return id == kNoThread ? "" : file_.names.name(id); }

  Json thread_names() const {
    Json json = Json::array();
    for (std::size_t id = 0; id < file_.names.size(); ++id) json.push_back(thread(static_cast<ThreadId>(id)));
    return json;
  }

  Json header() const {
    const Invocation& from = file_.invocation;
    return {{"schema", kTraceSchema},
            {"thrum", kVersion},
            {"program", from.program},
            {"sources", from.sources},
            {"compile_flags", from.compile_flags},
            {"bitcode", from.bitcode},
            {"arguments", from.arguments},
            {"directory", from.directory},
            {"test", from.test},
            {"part", from.part},
            {"options",
             {{"engine", file_.engine},
              {"strategy", file_.strategy},
              {"heap", file_.heap},
              {"races", file_.races},
              {"leaks", file_.leaks},
              {"state_cache", file_.state_cache},
              {"spurious", file_.spurious},
              {"steps", file_.steps},
              {"hang", file_.hang_seconds},
              {"early_timeouts", file_.early_timeouts_seconds},
              {"seed", file_.seed}}},
            {"preemptions", file_.preemptions},
            {"preemptions_minimal", file_.minimal ? "proved" : "best-found"},
            {"switches", file_.switches ? Json(*file_.switches) : Json(nullptr)},
            {"switches_minimal", file_.switches_minimal ? "proved" : "best-found"},
            {"execution", file_.execution}};
  }

  Json option_json(ChoiceKind kind, const Option& option) const {
    Json json;
    if (kind == ChoiceKind::value) {
      json["value"] = option.value;
    } else {
      json["thread"] = thread(option.value);
    }
    if (option.via != Via::run) json["via"] = name_of(option.via, kVias);
    return json;
  }

  Json plan_json() const {
    Json departures = Json::array();
    for (const Departure& departure : file_.plan.departures) {
      departures.push_back({{"at", thread(departure.key.thread)},
                            {"index", departure.key.index},
                            {"kind", name_of(departure.key.kind, kChoiceKinds)},
                            {"option", option_json(departure.key.kind, departure.option)}});
    }
    const Policy& policy = file_.plan.policy;
    Json json = {{"text", to_string(file_.plan, file_.names)},
                 {"policy", row_of(policy.kind).name},
                 {"base", name_of(policy.base, kBases)},
                 {"seed", policy.seed},
                 {"departures", departures}};
    if (policy.fairness != Fairness::off) json["fairness"] = name_of(policy.fairness, kFairness);
    if (policy.waiting != Waiting::spins) json["waiting"] = name_of(policy.waiting, kWaiting);
    if (policy.rounds != Rounds::repeat) json["rounds"] = name_of(policy.rounds, kRounds);
    const PolicyRow& row = row_of(policy.kind);
    for (std::size_t i = 0; i < row.parameters.size(); ++i)
      json[std::string(row.parameters[i].name)] = policy.parameter(i);
    if (row.has_counts) {
      json["counts"] = Json::array();
      for (const ThreadCount& entry : policy.counts)
        json["counts"].push_back({{"thread", thread(entry.thread)}, {"count", entry.count}});
    }
    for (const InputValue& input : file_.plan.inputs) {
      json["inputs"].push_back({{"thread", thread(input.thread)},
                                {"number", input.number},
                                {"bits", input.bits},
                                {"bytes", to_hex(input.bytes)}});
    }
    return json;
  }

  Json place_json(const Place& place) const {
    Json json = {{"space", name_of(place.space, kSpaces)}};
    if (place.space == Place::Space::module) json["module"] = place.owner;
    if (place.space == Place::Space::heap) json["block"] = place.number;
    if (place.space == Place::Space::heap || place.space == Place::Space::stack)
      json["thread"] = thread(place.owner);
    if (place.space == Place::Space::stack && place.number != 0) json["frame"] = place.number;
    json["offset"] = place.offset;
    return json;
  }

  // A value: a number, or a place with its name.
  Json value_json(std::uint64_t number, const Place& place) const {
    if (place.space == Place::Space::none) return number;
    Json json = place_json(place);
    json["name"] = file_.place_name(place);
    return json;
  }

  // The same for what may be a pointer to something, or the second object of an event.
  Json pointer_json(std::uint64_t number, const Place& place) const {
    Json json = value_json(number, place);
    auto known = file_.symbols.pointers.find(place);
    if (known != file_.symbols.pointers.end()) json["points_to"] = known->second;
    return json;
  }

  Json stack_json(const std::vector<Place>& stack) {
    Json json = Json::array();
    for (const Place& place : stack) {
      std::string key = place_json(place).dump();
      auto [entry, is_new] = frame_numbers_.try_emplace(key, frames_.size());
      if (is_new) frames_.push_back(frame_json(place));
      json.push_back(entry->second);
    }
    return json;
  }

  Json frame_json(const Place& place) const {
    Json lines = Json::array();
    for (const SourceLine& line : file_.lines(place)) {
      lines.push_back(
          {{"function", line.function}, {"file", line.file}, {"line", line.line}, {"text", line.text}});
    }
    Json json = place_json(place);
    json["lines"] = lines;
    return json;
  }

  Json event_json(std::size_t i) {
    const Event& event = file_.trace.events[i];
    const EventPlaces places =
        i < file_.trace.details.places.size() ? file_.trace.details.places[i] : EventPlaces{};
    Json json = {{"thread", thread(event.thread)},
                 {"index", event.index},
                 {"operation", operation_name(event.operation)}};
    if (event.outcome != Outcome::done) json["outcome"] = name_of(event.outcome, kOutcomes);
    if (event.size != 0) json["size"] = event.size;
    json["object"] = value_json(event.object, places.object);
    json["value"] = pointer_json(event.value, places.value);
    json["operand"] = pointer_json(event.operand, places.operand);
    json["stack"] = stack_json(places.stack);
    return json;
  }

  Json block_json(const HeapBlock& block) {
    return {{"thread", thread(block.thread)},
            {"block", block.number},
            {"size", block.size},
            {"allocated", stack_json(block.allocated)}};
  }

  Json accesses_json() {
    Json json = Json::array();
    for (std::size_t i = 0; i < file_.trace.failure.accesses.size(); ++i) {
      const MemoryAccess& access = file_.trace.failure.accesses[i];
      const EventPlaces places =
          i < file_.trace.details.access_places.size() ? file_.trace.details.access_places[i] : EventPlaces{};
      json.push_back({{"thread", thread(access.thread)},
                      {"kind", access_kind_name(access.kind)},
                      {"object", value_json(access.address, places.object)},
                      {"size", access.size},
                      {"events_before", access.events},
                      {"learned_by", access.learned_by},
                      {"stack", stack_json(places.stack)}});
    }
    return json;
  }

  Json waiters_json(const std::vector<Waiter>& waiters, const std::vector<EventPlaces>& all_places) {
    Json json = Json::array();
    for (std::size_t i = 0; i < waiters.size(); ++i) {
      const Waiter& waiter = waiters[i];
      const EventPlaces places = i < all_places.size() ? all_places[i] : EventPlaces{};
      json.push_back({{"thread", thread(waiter.thread)},
                      {"operation", operation_name(waiter.operation)},
                      {"object", value_json(waiter.object, places.object)},
                      {"holder", thread(waiter.holder)},
                      {"spinning", waiter.spinning},
                      {"ready", waiter.ready},
                      {"stack", stack_json(places.stack)}});
    }
    return json;
  }

  Json lost_json() {
    Json json = Json::array();
    for (const LostBlocks& lost : file_.trace.details.lost) {
      json.push_back({{"thread", thread(lost.thread)},
                      {"blocks", lost.blocks},
                      {"bytes", lost.bytes},
                      {"with_another", lost.with_another},
                      {"allocated", stack_json(lost.stack)}});
    }
    return json;
  }

  Json failure_json() {
    const Trace& trace = file_.trace;
    Json json = {{"kind", bug_kind_name(trace.failure.kind)},
                 {"message", trace.failure.message},
                 {"thread", thread(trace.failure.thread)},
                 {"stack", stack_json(trace.details.failure_stack)},
                 {"accesses", accesses_json()},
                 {"waiters", waiters_json(trace.failure.waiters, trace.details.waiter_places)},
                 {"others", waiters_json(trace.details.others, trace.details.other_places)}};
    if (!trace.details.lost.empty()) json["lost"] = lost_json();
    if (!trace.failure.file.empty()) {
      json["file"] = trace.failure.file;
      json["line"] = trace.failure.line;
    }
    return json;
  }

  Json choice_json(const ChoicePoint& point) const {
    std::span<const Option> options = file_.trace.options_of(point);
    Json list = Json::array();
    for (const Option& option : options) list.push_back(option_json(point.key.kind, option));
    bool preempts = option_cost(point, options, point.taken, Base::nonpreemptive) > 0;
    return {{"at", thread(point.key.thread)},
            {"index", point.key.index},
            {"kind", name_of(point.key.kind, kChoiceKinds)},
            {"running_enabled", point.running_enabled},
            {"yielded", point.yielded},
            {"enabled", point.enabled},
            {"round", point.round},
            {"cost_before", point.cost_before},
            {"options", list},
            {"taken", point.taken},
            {"preemption", preempts}};
  }

  const TraceFile& file_;
  Json frames_ = Json::array();
  std::map<std::string, std::size_t> frame_numbers_;
};

}  // namespace

std::string to_json_line(const TraceFile& file) {
  return TraceWriter(file).write().dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_json(const TraceFile& file) {
  return TraceWriter(file).write().dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace thrum
