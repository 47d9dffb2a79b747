// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boolprog/trace_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace thrum::bp {

namespace {

using Json = nlohmann::ordered_json;

std::string local_name(const Flow& flow, std::uint32_t procedure, std::uint32_t local) {
  return flow.procedures[procedure].name + '.' + flow.procedures[procedure].locals[local].name.text;
}

std::uint32_t procedure_of(const Flow& flow, const Frame& frame) { return flow.code[frame.pc].procedure; }

// Adds the first locals of a thread.
void add_first_locals(const Flow& flow, const State& state, std::size_t thread,
                      std::vector<NamedValue>& values) {
  const Frame& frame = state.threads[thread].stack[0];
  std::uint32_t procedure = procedure_of(flow, frame);
  for (std::uint32_t i = 0; i < frame.locals.size(); ++i) {
    values.push_back({std::to_string(thread) + ':' + local_name(flow, procedure, i), frame.locals[i],
                      flow.procedures[procedure].locals[i].is_thread});
  }
}

std::vector<NamedValue> begin_of(const Flow& flow, const State& state) {
  std::vector<NamedValue> result;
  for (std::uint32_t i = 0; i < flow.globals.size(); ++i) {
    result.push_back({flow.globals[i].name.text, state.globals[i], flow.globals[i].is_thread});
  }
  for (std::size_t t = 0; t < state.threads.size(); ++t) {
    if (!state.threads[t].stack.empty()) add_first_locals(flow, state, t, result);
  }
  return result;
}

// The globals that changed; the locals of the frame that is then on top, all of them if the step entered it,
// else those that changed; the first locals of a thread that was started.
std::vector<NamedValue> changes_of(const Flow& flow, const State& before, const State& after,
                                   std::uint32_t thread) {
  std::vector<NamedValue> result;
  for (std::uint32_t i = 0; i < flow.globals.size(); ++i) {
    if (before.globals[i] == after.globals[i]) continue;
    result.push_back({flow.globals[i].name.text, after.globals[i], flow.globals[i].is_thread});
  }
  const auto& now = after.threads[thread].stack;
  const auto& old = before.threads[thread].stack;
  if (!now.empty()) {
    const Frame& top = now.back();
    std::uint32_t procedure = procedure_of(flow, top);
    bool entered = now.size() > old.size();
    for (std::uint32_t i = 0; i < top.locals.size(); ++i) {
      if (!entered && top.locals[i] == old[now.size() - 1].locals[i]) continue;
      result.push_back(
          {local_name(flow, procedure, i), top.locals[i], flow.procedures[procedure].locals[i].is_thread});
    }
  }
  for (std::size_t t = before.threads.size(); t < after.threads.size(); ++t)
    add_first_locals(flow, after, t, result);
  return result;
}

StoredStep step_of(const Flow& flow, const State& before, const State& after, std::uint32_t thread) {
  const Frame& top = before.threads[thread].stack.back();
  const Instruction& instruction = flow.code[top.pc];
  StoredStep step;
  step.thread = thread;
  step.pc = top.pc;
  step.function = flow.procedures[instruction.procedure].name;
  step.statement = instruction.text;
  step.where = instruction.where;
  step.depth = static_cast<std::uint32_t>(before.threads[thread].stack.size());
  if (instruction.kind == Instruction::Kind::branch) {
    bool holds = after.threads[thread].stack.back().pc == instruction.next[0];
    step.statement += holds ? ": yes" : ": no";
  }
  if (!after.threads[thread].stack.empty()) step.to = after.threads[thread].stack.back().pc;
  step.changes = changes_of(flow, before, after, thread);
  return step;
}

Json values_json(const std::vector<NamedValue>& values) {
  Json json = Json::object();
  for (const NamedValue& one : values) {
    if (one.is_thread) {
      json[one.name] = one.value;
    } else {
      json[one.name] = one.value != 0;
    }
  }
  return json;
}

std::vector<NamedValue> values_from(const Json& json) {
  std::vector<NamedValue> result;
  for (const auto& [name, value] : json.items()) {
    if (value.is_boolean()) {
      result.push_back({name, static_cast<Value>(value.get<bool>() ? 1 : 0), false});
    } else {
      result.push_back({name, value.get<Value>(), true});
    }
  }
  return result;
}

Json step_json(const StoredStep& step, std::size_t number) {
  return {{"number", number},
          {"thread", step.thread},
          {"context", step.context},
          {"pc", step.pc},
          {"to", step.to ? Json(*step.to) : Json(nullptr)},
          {"function", step.function},
          {"statement", step.statement},
          {"line", step.where.line},
          {"column", step.where.column},
          {"depth", step.depth},
          {"values", values_json(step.changes)}};
}

StoredStep step_from(const Json& json) {
  StoredStep step;
  step.thread = json.at("thread").get<std::uint32_t>();
  step.context = json.at("context").get<std::uint32_t>();
  step.pc = json.at("pc").get<Pc>();
  if (!json.at("to").is_null()) step.to = json.at("to").get<Pc>();
  step.function = json.at("function").get<std::string>();
  step.statement = json.at("statement").get<std::string>();
  step.where = {json.at("line").get<std::uint32_t>(), json.at("column").get<std::uint32_t>()};
  step.depth = json.at("depth").get<std::uint32_t>();
  step.changes = values_from(json.at("values"));
  return step;
}

// The value of a variable in a trace; nullopt: the trace does not say.
std::optional<Value> given(const std::vector<NamedValue>& values, const std::string& name) {
  auto found =
      std::find_if(values.begin(), values.end(), [&](const NamedValue& one) { return one.name == name; });
  if (found == values.end()) return {};
  return found->value;
}

State begin_state(const Flow& flow, const Interpreter& interpreter, const StoredTrace& trace) {
  State state = interpreter.started({});
  if (trace.in_init) {
    const Procedure& init = flow.procedures[*flow.init];
    state.threads = {{{{init.entry, std::vector<Value>(init.locals.size())}}}};
  }
  for (const Declaration& global : flow.globals) {
    state.globals.push_back(given(trace.begin, global.name.text).value_or(0));
  }
  for (std::uint32_t t = 0; t < state.threads.size(); ++t) {
    Frame& frame = state.threads[t].stack[0];
    for (std::uint32_t i = 0; i < frame.locals.size(); ++i) {
      std::string name = std::to_string(t) + ':' + local_name(flow, procedure_of(flow, frame), i);
      frame.locals[i] = given(trace.begin, name).value_or(0);
    }
  }
  return state;
}

// The locals of the step's new frame, of this thread or of one that it starts.
std::vector<Value> entered_locals(const Flow& flow, const State& state, const StoredStep& step) {
  const Instruction& instruction = flow.code[step.pc];
  bool starts = instruction.kind == Instruction::Kind::start_thread;
  std::string prefix = starts ? std::to_string(state.threads.size()) + ':' : "";
  std::vector<Value> result;
  for (std::uint32_t i = 0; i < flow.procedures[instruction.callee].locals.size(); ++i) {
    result.push_back(given(step.changes, prefix + local_name(flow, instruction.callee, i)).value_or(0));
  }
  return result;
}

}  // namespace

StoredTrace stored(const Flow& flow, const Execution& execution) {
  StoredTrace trace;
  trace.begin = begin_of(flow, execution.first);
  trace.in_init = execution.in_init;
  trace.contexts = 1;
  const State* before = &execution.first;
  auto name_threads = [&](const State& state) {
    for (std::size_t t = trace.threads.size(); t < state.threads.size(); ++t) {
      trace.threads.push_back(flow.procedures[procedure_of(flow, state.threads[t].stack[0])].name);
    }
  };
  name_threads(*before);
  for (std::size_t i = 0; i < execution.steps.size(); ++i) {
    const Step& step = execution.steps[i];
    if (i > 0 && execution.steps[i - 1].thread != step.thread) ++trace.contexts;
    trace.steps.push_back(step_of(flow, *before, step.after, step.thread));
    trace.steps.back().context = trace.contexts;
    name_threads(step.after);
    before = &step.after;
  }
  if (!execution.steps.empty() && execution.steps.back().thread != execution.failing) ++trace.contexts;
  trace.failing = execution.failing;
  const Instruction& at = flow.code[before->threads[execution.failing].stack.back().pc];
  trace.failing_function = flow.procedures[at.procedure].name;
  trace.failing_statement = at.text;
  trace.failing_where = at.where;
  return trace;
}

std::string to_json(const StoredTrace& trace) {
  Json json = {{"schema", 1},
               {"boolean_program", trace.file},
               {"engine", trace.engine},
               {"first", trace.first},
               {"target", trace.target},
               {"bits", trace.bits},
               {"entries", trace.entries},
               {"asserts", trace.asserts},
               {"labels", trace.labels},
               {"contexts", trace.contexts},
               {"message", trace.message},
               {"in_init", trace.in_init},
               {"threads", trace.threads},
               {"begin", values_json(trace.begin)}};
  json["steps"] = Json::array();
  for (std::size_t i = 0; i < trace.steps.size(); ++i)
    json["steps"].push_back(step_json(trace.steps[i], i + 1));
  json["failure"] = {{"thread", trace.failing},
                     {"function", trace.failing_function},
                     {"statement", trace.failing_statement},
                     {"line", trace.failing_where.line},
                     {"column", trace.failing_where.column}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<StoredTrace> trace_from_json(const std::string& text, std::string& problem) {
  // Traces of other kinds may be large. They are not parsed twice.
  if (text.find("\"boolean_program\"") == std::string::npos) return {};
  try {
    Json json = Json::parse(text);
    if (!json.is_object() || !json.contains("boolean_program")) return {};
    StoredTrace trace;
    problem = "is a broken trace of a boolean program";
    trace.file = json.at("boolean_program").get<std::string>();
    trace.engine = json.at("engine").get<std::string>();
    trace.first = json.at("first").get<std::string>();
    trace.target = json.at("target").get<std::string>();
    trace.bits = json.value("bits", 0U);
    trace.entries = json.at("entries").get<std::vector<std::string>>();
    trace.asserts = json.at("asserts").get<bool>();
    trace.labels = json.at("labels").get<std::vector<std::string>>();
    trace.contexts = json.at("contexts").get<std::uint32_t>();
    trace.message = json.at("message").get<std::string>();
    trace.in_init = json.at("in_init").get<bool>();
    trace.threads = json.at("threads").get<std::vector<std::string>>();
    trace.begin = values_from(json.at("begin"));
    for (const Json& step : json.at("steps")) trace.steps.push_back(step_from(step));
    const Json& failure = json.at("failure");
    trace.failing = failure.at("thread").get<std::uint32_t>();
    trace.failing_function = failure.at("function").get<std::string>();
    trace.failing_statement = failure.at("statement").get<std::string>();
    trace.failing_where = {failure.at("line").get<std::uint32_t>(),
                           failure.at("column").get<std::uint32_t>()};
    problem.clear();
    return trace;
  } catch (const Json::exception& error) {
    if (!problem.empty()) problem += std::string(": ") + error.what();
    return {};
  }
}

std::string replay(const Flow& flow, const Goal& goal, const StoredTrace& trace, bool& departed) {
  Interpreter interpreter(flow);
  State state = begin_state(flow, interpreter, trace);
  departed = true;
  std::uint32_t last = ~std::uint32_t{0};
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const StoredStep& step = trace.steps[i];
    std::string at = "step " + std::to_string(i + 1) + ": ";
    if (step.thread >= state.threads.size() || state.threads[step.thread].stack.empty()) {
      return at + "there is no thread " + std::to_string(step.thread);
    }
    if (last != step.thread && i > 0 && !interpreter.may_switch(state)) {
      return at + "another thread is inside an atomic section";
    }
    last = step.thread;
    if (state.threads[step.thread].stack.back().pc != step.pc) return at + "the thread stands elsewhere";
    std::vector<Value> entered = entered_locals(flow, state, step);
    bool found = false;
    State next;
    interpreter.step(
        state, step.thread,
        [&](State&& candidate) {
          StoredStep taken = step_of(flow, state, candidate, step.thread);
          if (found || taken.to != step.to || taken.changes != step.changes) return;
          found = true;
          next = std::move(candidate);
        },
        &entered);
    if (!found) return at + "'" + step.statement + "' cannot do what the trace says";
    state = std::move(next);
  }
  departed = false;
  if (trace.failing >= state.threads.size() || !interpreter.is_reached(goal, state, trace.failing)) {
    return "nothing fails behind the last step";
  }
  return "";
}

}  // namespace thrum::bp
