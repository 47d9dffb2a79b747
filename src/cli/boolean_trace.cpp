// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Traces of boolean programs, to read and to run again.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "boolprog/check.hpp"
#include "cli/boolean_program.hpp"
#include "cli/error.hpp"
#include "report/columns.hpp"

namespace thrum {

namespace {

// Those of a procedure's own variables without its name, and of a thread that is started without its number, too.
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

// Jumps and the like say nothing that the lines do not.
bool is_worth_showing(const bp::StoredStep& step) {
  return !step.changes.empty() || !(step.statement == "goto" || step.statement == "skip" ||
                                    step.statement.starts_with("goto ") || step.statement.starts_with("sync "));
}

std::vector<Row> rows_of(const bp::StoredTrace& trace) {
  std::vector<Row> rows;
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
    if (!is_worth_showing(step)) continue;
    std::string values = values_text(step);
    std::string indent(std::min<std::size_t>(2 * (step.depth - std::min(step.depth, 1U)), 12), ' ');
    row(Row::Kind::operation, step.thread, indent + step.statement + (values.empty() ? "" : "  [" + values + "]"),
        step.where);
    rows.back().number = i + 1;
  }
  if (trace.contexts != context) {
    rows.push_back({Row::Kind::mark, 0, fmt::format("context {}: thread {}", trace.contexts, trace.failing), ""});
  }
  row(Row::Kind::failure, trace.failing, trace.failing_statement + "  <-- " + trace.message, trace.failing_where);
  return rows;
}

std::string begin_text(const bp::StoredTrace& trace, const TextStyle& style) {
  std::string text;
  for (const bp::NamedValue& one : trace.begin) {
    if (one.name.find(':') != std::string::npos || one.is_thread) continue;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", one.name, one.value != 0 ? "T" : "F");
  }
  return text.empty() ? "" : wrap(text + ".", "  It begins with ", style.width);
}

}  // namespace

std::optional<bp::StoredTrace> read_bool_trace(const std::string& path) {
  std::ifstream in(path);
  std::string text(std::istreambuf_iterator<char>(in), {});
  std::string problem;
  std::optional<bp::StoredTrace> trace = bp::trace_from_json(text, problem);
  if (!problem.empty()) throw UserError(path + ": " + problem);
  return trace;
}

std::string bool_trace_text(const bp::StoredTrace& trace, const TextStyle& style) {
  std::string text = fmt::format("{}, in {} context{}\n", trace.message, trace.contexts, plural(trace.contexts));
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
