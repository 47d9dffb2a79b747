// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by text_report_test.cpp.
#include "report/text_report.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "report/columns.hpp"
#include "report/source_lines.hpp"
#include "report/trace_rows.hpp"

namespace thrum {

namespace {

constexpr std::size_t kOutputLinesMax = 20;  // of the program's output, the last ones

std::string shown_path(const SourceLine& line, const TextStyle& style) {
  if (line.file.empty()) return "?";
  std::string path = line.file;
  std::string below = style.directory + "/";
  if (!style.directory.empty() && path.starts_with(below)) path = path.substr(below.size());
  return fmt::format("{}:{}", path, line.line);
}

const char* plural(std::uint64_t count) { return count == 1 ? "" : "s"; }

std::string preemption_words(std::uint32_t preemptions, bool minimal) {
  std::string text = fmt::format("{} preemption{}", preemptions, plural(preemptions));
  if (preemptions == 0) return text;
  return text + (minimal ? "; no schedule with fewer fails so (proved)"
                         : "; a schedule with fewer may fail as well");
}

std::string stack_text(const TraceFile& file, const std::vector<Place>& stack, const TextStyle& style) {
  std::vector<SourceLine> lines = user_lines(file, stack);
  if (lines.empty()) lines = all_lines(file, stack);
  std::size_t widest = 0;
  for (const SourceLine& line : lines) widest = std::max(widest, line.function.size());
  std::string text;
  for (const SourceLine& line : lines) {
    text += fmt::format("      {:<{}}  {}\n", line.function.empty() ? "?" : line.function,
                        std::min<std::size_t>(widest, 40), shown_path(line, style));
  }
  return text;
}

// The failing line with its text, and the stack that leads to it.
std::string failure_place(const TraceFile& file, const TextStyle& style) {
  const std::vector<Place>& stack = failing_stack(file);
  std::optional<SourceLine> line = shown_line(file, stack);
  if (!line) return "";
  std::string text = fmt::format("  Thread {} failed at {}", file.names.name(file.trace.failure.thread),
                                 shown_path(*line, style));
  std::string source = source_text(*line);
  text += source.empty() ? "\n" : fmt::format("\n      {}\n", source);
  return text + "  Stack:\n" + stack_text(file, stack, style);
}

std::string waiters_text(const TraceFile& file, const TextStyle& style) {
  const Trace& trace = file.trace;
  std::string text;
  for (std::size_t i = 0; i < trace.failure.waiters.size(); ++i) {
    text += fmt::format("  Thread {} waits: {}\n", file.names.name(trace.failure.waiters[i].thread),
                        waiter_text(file, i));
    if (i < trace.waiter_places.size()) text += stack_text(file, trace.waiter_places[i].stack, style);
  }
  return text;
}

std::string output_text(const std::string& output) {
  if (output.empty()) return "";
  std::size_t begin = output.size();
  for (std::size_t lines = 0; begin > 0; --begin) {
    if (output[begin - 1] == '\n' && begin != output.size() && ++lines == kOutputLinesMax) break;
  }
  std::string text = begin > 0 ? "  Output of the program (its end; all of it is in the trace file):\n"
                               : "  Output of the program:\n";
  for (std::size_t at = begin; at < output.size();) {
    std::size_t end = std::min(output.find('\n', at), output.size());
    text += "    > " + output.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return text;
}

// Breaks a paragraph into lines that begin with first, then with spaces.
std::string wrap(const std::string& paragraph, const std::string& first, int width) {
  std::string text = first;
  std::string indent(first.size(), ' ');
  std::size_t column = first.size();
  for (std::size_t at = 0; at < paragraph.size();) {
    std::size_t end = std::min(paragraph.find(' ', at), paragraph.size());
    std::string word = paragraph.substr(at, end - at);
    if (column > indent.size() && column + 1 + word.size() > static_cast<std::size_t>(width)) {
      text += "\n" + indent;
      column = indent.size();
    }
    if (column > indent.size()) {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
    at = end + 1;
  }
  return text + "\n";
}

const char* headline_colour(Verdict verdict) {
  if (verdict == Verdict::bug) return kRed;
  return verdict == Verdict::exhausted ? kGreen : kYellow;
}

std::string headline(const TestResult& test, const TextStyle& style) {
  std::string text;
  switch (test.verdict) {
    case Verdict::bug: text = fmt::format("BUG: {}.", test.reason); break;
    case Verdict::exhausted: text = fmt::format("NO BUG: {}.", test.reason); break;
    case Verdict::inconclusive: text = fmt::format("INCONCLUSIVE, no bug so far: {}.", test.reason); break;
  }
  return coloured(wrap(text, test.name + ": ", style.width), headline_colour(test.verdict), style.colours);
}

std::string summary(const TestResult& test, const TextStyle& style) {
  double rate = test.seconds > 0 ? static_cast<double>(test.executions) / test.seconds : 0;
  std::string text = wrap("Covered: " + test.guarantee + ".", "", style.width);
  text += fmt::format("{} execution{} in {:.2f} s ({:.0f}/s), up to {} thread{}, strategy {}.\n",
                      test.executions, plural(test.executions), test.seconds, rate, test.threads_max,
                      plural(static_cast<unsigned>(test.threads_max)), test.strategy);
  for (const Assumption& assumption : test.assumptions) {
    if (assumption.kind != "races-not-checked") continue;
    text += coloured(wrap(assumption.text, "!! ", style.width), kYellow, style.colours);
  }
  text += "This holds under these assumptions:\n";
  for (const Assumption& assumption : test.assumptions) {
    if (assumption.kind != "races-not-checked") text += wrap(assumption.text, "  - ", style.width);
  }
  return text;
}

}  // namespace

TextStyle style_for(int descriptor) {
  constexpr int kWidthMin = 40;
  TextStyle style;
  winsize size{};
  bool terminal = isatty(descriptor) != 0;
  if (terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= kWidthMin)
    style.width = size.ws_col;
  const char* no_colour = std::getenv("NO_COLOR");
  style.colours = terminal && (no_colour == nullptr || *no_colour == '\0');
  return style;
}

std::string text_trace(const TraceFile& file, const TextStyle& style) {
  const Failure& failure = file.trace.failure;
  std::string text = coloured(wrap(failure_title(failure), "", style.width), kRed, style.colours);
  text += fmt::format("  {}\n\n", preemption_words(file.preemptions, file.minimal));
  std::vector<Row> rows = trace_rows(file);
  if (!style.unfolded) rows = fold(rows);
  text += draw_columns(file, rows, style);
  text += "\n" + (failure.waiters.empty() ? failure_place(file, style) : waiters_text(file, style));
  return text + output_text(file.trace.output);
}

std::string text_report(const Result& result, const std::vector<TraceFile>& traces, const TextStyle& style) {
  std::string text;
  std::size_t next_trace = 0;
  for (const TestResult& test : result.tests) {
    text += headline(test, style);
    for (const BugResult& bug : test.bugs) {
      text +=
          fmt::format("\nBug {}, found in execution {} after {:.2f} s: ", bug.id, bug.execution, bug.seconds);
      text += text_trace(traces[next_trace++], style);
      text += fmt::format("  Run it again: thrum replay {}\n", bug.trace);
    }
    text += "\n" + summary(test, style);
  }
  return text;
}

}  // namespace thrum
