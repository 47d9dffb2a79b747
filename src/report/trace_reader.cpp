// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A trace file from its JSON. Reading trusts nothing: every number that later is an index or an enumerator is
// checked.
//
// Tested by text_report_test.cpp.
#include <stdexcept>

#include "report/trace_file.hpp"
#include "report/trace_words.hpp"

namespace thrum {

namespace {

class TraceReader {
 public:
  explicit TraceReader(const Json& json) : json_(json) {}

  TraceFile read() {
    if (json_.at("schema").get<int>() != kTraceSchema)
      throw std::runtime_error("a schema that this version does not know");
    for (const Json& name : json_.at("threads")) thread(name);  // so that they are numbered as they were
    read_header();
    read_plan_json(json_.at("plan"));
    Trace& trace = file_.trace;
    trace.end = from_name<End>(json_.at("end"), kEnds);
    file_.modules = json_.at("modules").get<std::vector<std::string>>();
    trace.counts.threads = json_.at("threads_created").get<std::uint16_t>();
    trace.counts.steps = json_.at("instrumented_operations").get<std::uint64_t>();
    trace.details.output = json_.at("output").get<std::string>();
    for (const Json& frame : json_.at("frames")) read_frame(frame);
    if (json_.contains("blocks")) {
      for (const Json& block : json_.at("blocks")) read_block(block);
    }
    if (json_.contains("known_races")) {
      for (const Json& race : json_.at("known_races")) read_known_race(race);
    }
    for (const Json& event : json_.at("events")) read_event(event);
    for (const Json& choice : json_.at("choices")) read_choice(choice);
    if (json_.contains("lasso")) read_lasso(json_.at("lasso"));
    if (json_.contains("failure")) read_failure(json_.at("failure"));
    return std::move(file_);
  }

 private:
  ThreadId thread(const Json& json) {
    auto name = json.get<std::string>();
    std::optional<ThreadId> id;
    if (file_.names.size() + name.size() < kNoThread) id = file_.names.parse(name);
    if (!id) throw std::runtime_error("'" + name + "' is no thread");
    return *id;
  }
  ThreadId thread_or_none(const Json& json) {
    return json.get<std::string>().empty() ? kNoThread : thread(json);
  }

  void read_header() {
    Invocation& from = file_.invocation;
    json_.at("program").get_to(from.program);
    json_.at("sources").get_to(from.sources);
    json_.at("compile_flags").get_to(from.compile_flags);
    from.bitcode = json_.value("bitcode", false);
    json_.at("arguments").get_to(from.arguments);
    json_.at("directory").get_to(from.directory);
    from.test = json_.value("test", "");
    from.part = json_.value("part", 0u);
    const Json& options = json_.at("options");
    file_.engine = options.value("engine", file_.engine);
    if (file_.engine != "native" && file_.engine != "vm")
      throw std::runtime_error("'" + file_.engine + "' is no engine");
    options.at("strategy").get_to(file_.strategy);
    options.at("heap").get_to(file_.heap);
    file_.races = options.value("races", "ignore");
    file_.leaks = options.value("leaks", false);
    file_.state_cache = options.value("state_cache", false);
    file_.spurious = options.value("spurious", false);
    options.at("steps").get_to(file_.steps);
    file_.hang_seconds = options.value("hang", file_.hang_seconds);
    file_.early_timeouts_seconds = options.value("early_timeouts", file_.early_timeouts_seconds);
    options.at("seed").get_to(file_.seed);
    json_.at("preemptions").get_to(file_.preemptions);
    file_.minimal = json_.at("preemptions_minimal") == "proved";
    if (json_.contains("switches") && !json_.at("switches").is_null())
      file_.switches = json_.at("switches").get<std::uint32_t>();
    file_.switches_minimal = json_.value("switches_minimal", "") == "proved";
    json_.at("execution").get_to(file_.execution);
  }

  Option read_option(ChoiceKind kind, const Json& json) {
    Option option;
    option.value =
        kind == ChoiceKind::value ? json.at("value").get<std::uint16_t>() : thread(json.at("thread"));
    if (json.contains("via")) option.via = from_name<Via>(json.at("via"), kVias);
    return option;
  }

  void read_sampling(const Json& json, Policy& policy) {
    json.at("seed").get_to(policy.seed);
    for (const PolicyParameter& parameter : row_of(policy.kind).parameters) {
      const std::string name(parameter.name);
      policy.parameters.push_back(json.value(name, std::uint64_t{0}));
      if (policy.parameters.back() > parameter.max)
        throw std::runtime_error("a " + name + " that is too large");
    }
    if (!json.contains("counts")) return;
    for (const Json& entry : json.at("counts"))
      policy.counts.push_back({thread(entry.at("thread")), entry.at("count").get<std::uint32_t>()});
  }

  void read_lasso(const Json& json) {
    Lasso& lasso = file_.trace.lasso;
    json.at("begin").get_to(lasso.begin);
    json.at("end").get_to(lasso.end);
    if (lasso.begin > lasso.end || lasso.end > file_.trace.events.size())
      throw std::runtime_error("a lasso that is not among the events");
  }

  void read_plan_json(const Json& json) {
    const PolicyRow* policy = find_policy(json.at("policy").get<std::string>());
    if (policy == nullptr) throw std::runtime_error("a policy that is unknown");
    file_.plan.policy.kind = policy->kind;
    file_.plan.policy.base = from_name<Base>(json.at("base"), kBases);
    if (json.contains("fairness"))
      file_.plan.policy.fairness = from_name<Fairness>(json.at("fairness"), kFairness);
    if (json.contains("waiting"))
      file_.plan.policy.waiting = from_name<Waiting>(json.at("waiting"), kWaiting);
    if (json.contains("rounds")) file_.plan.policy.rounds = from_name<Rounds>(json.at("rounds"), kRounds);
    read_sampling(json, file_.plan.policy);
    for (const Json& entry : json.value("inputs", Json::array())) {
      InputValue input;
      input.thread = thread(entry.at("thread"));
      entry.at("number").get_to(input.number);
      entry.at("bits").get_to(input.bits);
      input.bytes = from_hex(entry.at("bytes").get<std::string>());
      if (input.bytes.size() != (std::uint64_t{input.bits} + 7) / 8)
        throw std::runtime_error("an input whose bytes are not as many as its bits say");
      file_.plan.inputs.push_back(std::move(input));
    }
    for (const Json& entry : json.at("departures")) {
      Departure departure;
      departure.key.thread = thread(entry.at("at"));
      departure.key.kind = from_name<ChoiceKind>(entry.at("kind"), kChoiceKinds);
      entry.at("index").get_to(departure.key.index);
      departure.option = read_option(departure.key.kind, entry.at("option"));
      file_.plan.departures.push_back(departure);
    }
  }

  Place read_place(const Json& json) {
    Place place;
    place.space = from_name<Place::Space>(json.at("space"), kSpaces);
    json.at("offset").get_to(place.offset);
    if (place.space == Place::Space::module) {
      json.at("module").get_to(place.owner);
      if (place.owner >= file_.modules.size())
        throw std::runtime_error("a place in a module that is not listed");
    }
    if (place.space == Place::Space::heap) json.at("block").get_to(place.number);
    if (place.space == Place::Space::heap || place.space == Place::Space::stack)
      place.owner = thread(json.at("thread"));
    if (place.space == Place::Space::stack) place.number = json.value("frame", std::uint32_t{0});
    return place;
  }

  void read_value(const Json& json, std::uint64_t& number, Place& place) {
    if (json.is_number()) {
      json.get_to(number);
      return;
    }
    place = read_place(json);
    if (place.space == Place::Space::module) {
      file_.symbols.data[{place.owner, place.offset}] = json.at("name").get<std::string>();
    }
    if (json.contains("points_to")) file_.symbols.pointers[place] = json.at("points_to").get<std::string>();
    if (place.space == Place::Space::stack && place.number != 0)
      file_.symbols.locals[place] = json.at("name").get<std::string>();
  }

  void read_frame(const Json& json) {
    Place place = read_place(json);
    frames_.push_back(place);
    if (place.space != Place::Space::module) return;
    std::vector<SourceLine>& lines = file_.symbols.code[{place.owner, place.offset}];
    for (const Json& line : json.at("lines")) {
      lines.push_back({line.at("function").get<std::string>(), line.at("file").get<std::string>(),
                       line.at("line").get<std::uint32_t>(), line.value("text", "")});
    }
  }

  std::vector<Place> read_stack(const Json& json) {
    std::vector<Place> stack;
    for (const Json& number : json) {
      auto i = number.get<std::size_t>();
      if (i >= frames_.size()) throw std::runtime_error("a stack names a frame that is not listed");
      stack.push_back(frames_[i]);
    }
    return stack;
  }

  void read_event(const Json& json) {
    Event event;
    EventPlaces places;
    event.thread = thread(json.at("thread"));
    json.at("index").get_to(event.index);
    event.operation = read_operation(json.at("operation"));
    if (json.contains("outcome")) event.outcome = from_name<Outcome>(json.at("outcome"), kOutcomes);
    event.size = json.value("size", std::uint32_t{0});
    read_value(json.at("object"), event.object, places.object);
    read_value(json.at("value"), event.value, places.value);
    read_value(json.at("operand"), event.operand, places.operand);
    places.stack = read_stack(json.at("stack"));
    file_.trace.events.push_back(event);
    file_.trace.details.places.push_back(std::move(places));
  }

  static Operation read_operation(const Json& json) {
    Operation operation = operation_from_name(json.get<std::string>());
    if (operation > Operation::process_exit) throw std::runtime_error("unknown operation " + json.dump());
    return operation;
  }

  void read_failure(const Json& json) {
    Trace& trace = file_.trace;
    auto kind = json.at("kind").get<std::string>();
    int i = 0;
    while (i < kBugKindCount && bug_kind_name(static_cast<BugKind>(i)) != kind) ++i;
    if (i == kBugKindCount) throw std::runtime_error("unknown kind of bug '" + kind + "'");
    trace.failure.kind = static_cast<BugKind>(i);
    json.at("message").get_to(trace.failure.message);
    trace.failure.thread = thread(json.at("thread"));
    trace.details.failure_stack = read_stack(json.at("stack"));
    trace.failure.file = json.value("file", "");
    trace.failure.line = json.value("line", 0u);
    read_waiters(json.at("waiters"), trace.failure.waiters, trace.details.waiter_places);
    if (json.contains("accesses")) {
      for (const Json& access : json.at("accesses")) read_access(access);
    }
    if (json.contains("lost")) {
      for (const Json& lost : json.at("lost")) read_lost(lost);
    }
    if (json.contains("others"))
      read_waiters(json.at("others"), trace.details.others, trace.details.other_places);
  }

  void read_access(const Json& json) {
    MemoryAccess access;
    EventPlaces places;
    auto kind = json.at("kind").get<std::string>();
    int i = 0;
    while (i < kAccessKindCount && access_kind_name(static_cast<AccessKind>(i)) != kind) ++i;
    if (i == kAccessKindCount) throw std::runtime_error("unknown kind of access '" + kind + "'");
    access.kind = static_cast<AccessKind>(i);
    access.thread = thread(json.at("thread"));
    read_value(json.at("object"), access.address, places.object);
    json.at("size").get_to(access.size);
    json.at("events_before").get_to(access.events);
    json.at("learned_by").get_to(access.learned_by);
    places.stack = read_stack(json.at("stack"));
    file_.trace.failure.accesses.push_back(access);
    file_.trace.details.access_places.push_back(std::move(places));
  }

  void read_lost(const Json& json) {
    LostBlocks lost;
    lost.thread = thread(json.at("thread"));
    json.at("blocks").get_to(lost.blocks);
    json.at("bytes").get_to(lost.bytes);
    json.at("with_another").get_to(lost.with_another);
    lost.stack = read_stack(json.at("allocated"));
    file_.trace.details.lost.push_back(std::move(lost));
  }

  void read_block(const Json& json) {
    HeapBlock block;
    block.thread = thread(json.at("thread"));
    json.at("block").get_to(block.number);
    json.at("size").get_to(block.size);
    block.allocated = read_stack(json.at("allocated"));
    file_.trace.details.blocks.push_back(std::move(block));
  }

  void read_known_race(const Json& json) {
    std::vector<Place> places = read_stack(json.at("places"));
    if (places.size() != 2) throw std::runtime_error("a known race is not of two places");
    file_.trace.details.known_races.push_back(
        {places[0], places[1], read_place(json.at("bytes")), json.at("size").get<std::uint64_t>()});
  }

  void read_waiters(const Json& json, std::vector<Waiter>& waiters, std::vector<EventPlaces>& all_places) {
    for (const Json& entry : json) {
      Waiter waiter;
      EventPlaces places;
      waiter.thread = thread(entry.at("thread"));
      waiter.operation = read_operation(entry.at("operation"));
      read_value(entry.at("object"), waiter.object, places.object);
      waiter.holder = thread_or_none(entry.at("holder"));
      entry.at("spinning").get_to(waiter.spinning);
      waiter.ready = entry.value("ready", false);
      places.stack = read_stack(entry.at("stack"));
      waiters.push_back(waiter);
      all_places.push_back(std::move(places));
    }
  }

  void read_choice(const Json& json) {
    Trace& trace = file_.trace;
    ChoicePoint point;
    point.key.thread = thread(json.at("at"));
    json.at("index").get_to(point.key.index);
    point.key.kind = from_name<ChoiceKind>(json.at("kind"), kChoiceKinds);
    json.at("running_enabled").get_to(point.running_enabled);
    json.at("yielded").get_to(point.yielded);
    json.at("enabled").get_to(point.enabled);
    json.at("round").get_to(point.round);
    json.at("cost_before").get_to(point.cost_before);
    json.at("taken").get_to(point.taken);
    point.options_begin = static_cast<std::uint32_t>(trace.options.size());
    for (const Json& option : json.at("options"))
      trace.options.push_back(read_option(point.key.kind, option));
    point.options_count = static_cast<std::uint16_t>(trace.options.size() - point.options_begin);
    if (point.taken >= point.options_count || point.enabled > point.options_count) {
      throw std::runtime_error("a choice takes an option that it does not have");
    }
    trace.choices.push_back(point);
  }

  const Json& json_;
  TraceFile file_;
  std::vector<Place> frames_;
};

}  // namespace

std::optional<TraceFile> trace_file_from_json(const std::string& text, std::string& problem) {
  try {
    Json json = Json::parse(text);
    return TraceReader(json).read();
  } catch (const Json::exception& error) {
    // "[json.exception.type_error.302] what": the bracket is of no use to a user.
    std::string what = error.what();
    std::size_t end = what.find("] ");
    problem = what.substr(end == std::string::npos ? 0 : end + 2);
  } catch (const std::runtime_error& error) {
    problem = error.what();
  }
  for (char& c : problem) {
    if (c == '\n') c = ' ';
  }
  return std::nullopt;
}

}  // namespace thrum
