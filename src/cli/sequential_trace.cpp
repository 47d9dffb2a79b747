// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/sequential_trace.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "report/columns.hpp"
#include "report/result.hpp"
#include "verdict/error.hpp"

namespace thrum {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kKind = "sequentialized";

}  // namespace

std::uint32_t switches_of(const SequentialTrace& trace) {
  std::uint32_t count = 0;
  for (std::size_t i = 1; i < trace.steps.size(); ++i)
    count += trace.steps[i].thread != trace.steps[i - 1].thread;
  return count;
}

std::uint32_t preemptions_of(const SequentialTrace& trace) {
  std::uint32_t count = 0;
  for (auto step = trace.steps.begin(); step != trace.steps.end(); ++step) {
    auto next = step + 1;
    if (next == trace.steps.end() || next->thread == step->thread) continue;
    count += std::any_of(next, trace.steps.end(),
                         [&](const SequentialStep& each) { return each.thread == step->thread; });
  }
  return count;
}

std::string to_json(const SequentialTrace& trace) {
  Json json = {{"schema", 1},
               {"thrum", kVersion},
               {"kind", kKind},
               {"files", trace.files},
               {"threads", trace.threads},
               {"message", trace.message},
               {"sequential", trace.sequential},
               {"original", trace.original}};
  Json& steps = json["steps"] = Json::array();
  for (const SequentialStep& step : trace.steps)
    steps.push_back({{"thread", step.thread}, {"file", step.file}, {"line", step.line}, {"text", step.text}});
  return json.dump(1) + '\n';
}

std::optional<SequentialTrace> read_sequential_trace(const std::string& path) {
  if (std::filesystem::is_directory(path)) return {};
  std::ifstream in(path);
  Json json = Json::parse(in, nullptr, false);
  if (!json.is_object() || json.value("kind", Json()) != kKind) return {};
  try {
    SequentialTrace trace;
    trace.files = json.at("files");
    trace.threads = json.at("threads");
    trace.message = json.at("message");
    trace.sequential = json.at("sequential");
    trace.original = json.at("original");
    for (const Json& step : json.at("steps"))
      trace.steps.push_back({step.at("thread"), step.at("file"), step.at("line"), step.at("text")});
    for (const SequentialStep& step : trace.steps) {
      if (step.thread >= trace.threads.size())
        throw UserError(path + ": a step is of a thread that is not there");
    }
    if (trace.steps.empty()) throw UserError(path + ": it has no steps");
    return trace;
  } catch (const Json::exception& error) {
    throw UserError(path + ": is no trace of thrum sequentialize: " + error.what());
  }
}

std::string sequential_trace_text(const SequentialTrace& trace, const TextStyle& style) {
  std::uint32_t switches = switches_of(trace);
  std::string text =
      fmt::format("{}\n  {} switch{} of threads\n\n", trace.message, switches, switches == 1 ? "" : "es");
  std::vector<Row> rows;
  std::vector<bool> moves(trace.threads.size());
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const SequentialStep& step = trace.steps[i];
    moves[step.thread] = true;
    std::string source =
        fmt::format("{}:{}", std::filesystem::path(step.file).filename().string(), step.line);
    auto thread = static_cast<ThreadId>(step.thread);
    bool last = i + 1 == trace.steps.size();
    if (!last && i > 0 && rows.back().thread == thread && rows.back().source == source) continue;
    if (last) {
      rows.push_back({Row::Kind::failure, thread, step.text + "  <-- " + trace.message, source});
    } else {
      rows.push_back({Row::Kind::operation, thread, step.text, source});
      rows.back().number = i + 1;
    }
  }
  std::vector<Column> columns;
  for (std::size_t t = 0; t < moves.size(); ++t) {
    if (moves[t]) columns.push_back({static_cast<ThreadId>(t), fmt::format("{} {}", t, trace.threads[t])});
  }
  return text + draw_columns(columns, style.unfolded ? rows : fold(rows), style);
}

int sequential_replay_command(const std::string& path, const SequentialTrace& trace, Colour colour) {
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  bool confirmed = !trace.original.empty();
  fmt::print("{}", sequential_trace_text(trace, style_for(STDOUT_FILENO, colour)));
  fmt::print("\n{}\n\n", confirmed ? "The same failure on the compiled program:"
                                   : "The execution of the sequential program:");
  std::fflush(stdout);
  ReplayOptions options;
  options.path = (folder / (confirmed ? trace.original : trace.sequential)).string();
  options.colour = colour;
  return replay_command(options);
}

}  // namespace thrum
