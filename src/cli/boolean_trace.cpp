// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Traces of boolean programs, to read and to run again.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "boolprog/check.hpp"
#include "cli/boolean_program.hpp"
#include "report/columns.hpp"
#include "verdict/error.hpp"

namespace thrum {

namespace {

// Names of a procedure's local variables, without the procedure's name and the thread's number.
std::string values_text(const bp::StoredStep& step) {
  std::string text;
  for (const bp::NamedValue& one : step.changes) {
    std::size_t dot = one.name.find('.');
    std::string name = dot == std::string::npos ? one.name : one.name.substr(dot + 1);
    std::string value = one.is_thread ? (one.value == 0 ? "none" : fmt::format("thread {}", one.value - 1))
                                      : (one.value != 0 ? "T" : "F");
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

// Jumps and the like tell nothing that the line numbers do not tell.
bool is_worth_showing(const bp::StoredStep& step) {
  return !step.changes.empty() ||
         !(step.statement == "goto" || step.statement == "skip" || step.statement.starts_with("goto ") ||
           step.statement.starts_with("sync "));
}

std::string indented(std::uint32_t depth, const std::string& text) {
  return std::string(std::min<std::size_t>(2 * (depth - std::min(depth, 1U)), 12), ' ') + text;
}

// The rows for a program in C: its lines, and integers instead of their bits.
class CRows {
 public:
  explicit CRows(const bp::StoredTrace& trace) : trace_(trace) {
    for (const bp::NamedValue& one : trace.begin) {
      if (one.name.find(':') == std::string::npos) values_[one.name] = one;
    }
  }

  // The steps from `first` on that belong to one line, as one text. `first` is set to the step after them.
  std::string text(std::size_t& first) {
    const bp::StoredStep& begin = trace_.steps[first];
    std::vector<std::string> changed;
    for (; first < trace_.steps.size() && is_same_line(begin, trace_.steps[first]); ++first) {
      std::uint32_t depth = depth_behind(first);
      for (const bp::NamedValue& one : trace_.steps[first].changes) note(one, depth, begin, changed);
    }
    std::string values;
    for (const std::string& name : changed) {
      std::string shown = name.substr(name.rfind('.') + 1);
      values += fmt::format("{}{} = {}", values.empty() ? "" : ", ", shown, value_of(name));
    }
    return indented(begin.depth, begin.statement) + (values.empty() ? "" : "  [" + values + "]");
  }

 private:
  static bool is_same_line(const bp::StoredStep& a, const bp::StoredStep& b) {
    return a.thread == b.thread && a.context == b.context && a.depth == b.depth &&
           a.where.line == b.where.line;
  }

  std::uint32_t depth_behind(std::size_t step) const {
    for (std::size_t i = step + 1; i < trace_.steps.size(); ++i) {
      if (trace_.steps[i].thread == trace_.steps[step].thread) return trace_.steps[i].depth;
    }
    return trace_.steps[step].depth;
  }

  // The first values of a frame are arbitrary, and variables of the translation are intermediate.
  void note(const bp::NamedValue& one, std::uint32_t depth, const bp::StoredStep& step,
            std::vector<std::string>& changed) {
    if (one.name.find(':') != std::string::npos) return;
    std::size_t dot = one.name.find('.');
    std::string name = one.name;
    if (dot != std::string::npos) name = fmt::format("{}/{}/{}", step.thread, depth, one.name);
    values_[name] = one;
    bool entered = dot != std::string::npos && depth > step.depth;
    std::string own = one.name.substr(dot == std::string::npos ? 0 : dot + 1);
    if (entered || own.starts_with("_$")) return;
    std::string whole = name.substr(0, name.find('$', name.size() - own.size()));
    if (std::find(changed.begin(), changed.end(), whole) == changed.end()) changed.push_back(whole);
  }

  std::string value_of(const std::string& name) const {
    auto single = values_.find(name);
    if (single != values_.end()) {
      const bp::NamedValue& one = single->second;
      if (!one.is_thread) return one.value != 0 ? "1" : "0";
      return one.value == 0 ? "none" : fmt::format("thread {}", one.value - 1);
    }
    std::uint64_t value = 0;
    for (std::uint32_t bit = 0;; ++bit) {
      auto found = values_.find(fmt::format("{}${}", name, bit));
      if (found == values_.end()) return fmt::format("{}", value);
      if (found->second.value != 0 && bit < 64) value |= std::uint64_t{1} << bit;
    }
  }

  const bp::StoredTrace& trace_;
  std::map<std::string, bp::NamedValue> values_;
};

std::vector<Row> rows_of(const bp::StoredTrace& trace) {
  std::vector<Row> rows;
  CRows c(trace);
  std::string file = std::filesystem::path(trace.file).filename().string();
  std::uint32_t context = 0;
  auto row = [&](Row::Kind kind, std::uint32_t thread, const std::string& text, bp::Position where) {
    rows.push_back({kind, static_cast<ThreadId>(thread), text, fmt::format("{}:{}", file, where.line)});
  };
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const bp::StoredStep& step = trace.steps[i];
    if (step.context != context) {
      context = step.context;
      rows.push_back({Row::Kind::mark, 0, fmt::format("context {}: thread {}", context, step.thread), ""});
    }
    if (trace.bits != 0) {
      std::size_t number = i;
      row(Row::Kind::operation, step.thread, c.text(i), step.where);
      rows.back().number = number + 1;
      --i;
      continue;
    }
    if (!is_worth_showing(step)) continue;
    std::string values = values_text(step);
    row(Row::Kind::operation, step.thread,
        indented(step.depth, step.statement) + (values.empty() ? "" : "  [" + values + "]"), step.where);
    rows.back().number = i + 1;
  }
  if (trace.contexts != context) {
    rows.push_back(
        {Row::Kind::mark, 0, fmt::format("context {}: thread {}", trace.contexts, trace.failing), ""});
  }
  row(Row::Kind::failure, trace.failing, trace.failing_statement + "  <-- " + trace.message,
      trace.failing_where);
  return rows;
}

std::string begin_text(const bp::StoredTrace& trace, const TextStyle& style) {
  if (trace.bits != 0) return "";  // as in C
  std::string text;
  for (const bp::NamedValue& one : trace.begin) {
    if (one.name.find(':') != std::string::npos || one.is_thread) continue;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", one.name, one.value != 0 ? "T" : "F");
  }
  return text.empty() ? "" : wrap(text + ".", "  It begins with ", style.width);
}

}  // namespace

std::optional<bp::StoredTrace> read_bool_trace(const std::string& path) {
  if (std::filesystem::is_directory(path)) return {};
  std::ifstream in(path);
  std::string text(std::istreambuf_iterator<char>(in), {});
  std::string problem;
  std::optional<bp::StoredTrace> trace = bp::trace_from_json(text, problem);
  if (!problem.empty()) throw UserError(path + ": " + problem);
  return trace;
}

std::string bool_trace_text(const bp::StoredTrace& trace, const TextStyle& style) {
  std::string text =
      fmt::format("{}, in {} context{}\n", trace.message, trace.contexts, plural(trace.contexts));
  text += begin_text(trace, style) + "\n";
  std::vector<Column> columns;
  std::vector<Row> rows = rows_of(trace);
  for (std::uint32_t t = 0; t < trace.threads.size(); ++t) {
    bool moves = std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
      return row.kind != Row::Kind::mark && row.thread == static_cast<ThreadId>(t);
    });
    if (moves) columns.push_back({static_cast<ThreadId>(t), fmt::format("{} {}", t, trace.threads[t])});
  }
  return text + draw_columns(columns, style.unfolded ? rows : fold(rows), style);
}

int bool_replay_command(const bp::StoredTrace& trace, Colour colour) {
  bool departed = false;
  std::string problem;
  try {
    std::string first = trace.first;
    std::string target = trace.target;
    bp::Flow flow = read_bool_flow(trace.file, trace.bits, trace.entries, first, target);
    problem = bp::replay(flow, bp::goal_of(flow, trace.asserts, trace.labels), trace, departed);
  } catch (const bp::TooManyOutcomes& error) {
    throw UserError(trace.file + ": " + error.what());
  }
  if (problem.empty()) {
    fmt::print("The same failure again: {}", bool_trace_text(trace, style_for(STDOUT_FILENO, colour)));
    return kExitBug;
  }
  fmt::print("{}: {}.\n", departed ? "The program is another than the trace's" : "It passes now", problem);
  return departed ? kExitInconclusive : kExitDone;
}

}  // namespace thrum
