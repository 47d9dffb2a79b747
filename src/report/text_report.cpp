// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by text_report_test.cpp.
#include "report/text_report.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <span>
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

std::string lines_text(const std::vector<SourceLine>& lines, const TextStyle& style) {
  std::size_t widest = 0;
  for (const SourceLine& line : lines) widest = std::max(widest, line.function.size());
  std::string text;
  for (const SourceLine& line : lines) {
    text += fmt::format("      {:<{}}  {}\n", line.function.empty() ? "?" : line.function,
                        std::min<std::size_t>(widest, 40), shown_path(line, style));
  }
  return text;
}

std::string stack_text(const TraceFile& file, const std::vector<Place>& stack, const TextStyle& style) {
  std::vector<SourceLine> lines = user_lines(file, stack);
  return lines_text(lines.empty() ? all_lines(file, stack) : lines, style);
}

// The failing line with its text, and the stack that leads to it.
std::string failure_place(const TraceFile& file, const TextStyle& style) {
  std::optional<SourceLine> line = failing_line(file);
  if (!line) return "";
  std::string text = fmt::format("  Thread {} failed at {}", file.names.name(file.trace.failure.thread),
                                 shown_path(*line, style));
  const std::string& source = line->text;
  text += source.empty() ? "\n" : fmt::format("\n      {}\n", source);
  std::vector<SourceLine> lines = failing_lines(file);
  return text + "  Stack:\n" +
         lines_text(lines.empty() ? all_lines(file, failing_stack(file)) : lines, style);
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

std::string indented(const std::string& lines) {
  std::string text;
  for (std::size_t at = 0; at < lines.size();) {
    std::size_t end = std::min(lines.find('\n', at), lines.size());
    text += "  " + lines.substr(at, end - at) + "\n";
    at = end + 1;
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
    case Verdict::skipped: text = fmt::format("SKIPPED: {}.", test.reason); break;
    case Verdict::bug: text = fmt::format("BUG: {}.", test.reason); break;
    case Verdict::exhausted: text = fmt::format("NO BUG: {}.", test.reason); break;
    case Verdict::inconclusive: text = fmt::format("INCONCLUSIVE, no bug so far: {}.", test.reason); break;
  }
  return coloured(wrap(text, test.name + ": ", style.width), headline_colour(test.verdict), style.colours);
}

std::string coverage_text(const TestResult& test, const TextStyle& style) {
  double rate = test.seconds > 0 ? static_cast<double>(test.executions) / test.seconds : 0;
  std::string text = wrap("Covered: " + test.guarantee + ".", "", style.width);
  return text + fmt::format("{} execution{} in {:.2f} s ({:.0f}/s), up to {} thread{}, strategy {}.\n",
                            test.executions, plural(test.executions), test.seconds, rate, test.threads_max,
                            plural(static_cast<unsigned>(test.threads_max)), test.strategy);
}

std::string assumptions_text(const std::vector<Assumption>& assumptions, const TextStyle& style) {
  std::string text;
  for (const Assumption& assumption : assumptions) {
    if (assumption.kind != "races-not-checked") continue;
    text += coloured(wrap(assumption.text, "!! ", style.width), kYellow, style.colours);
  }
  text += "This holds under these assumptions:\n";
  for (const Assumption& assumption : assumptions) {
    if (assumption.kind != "races-not-checked") text += wrap(assumption.text, "  - ", style.width);
  }
  return text;
}

// Takes the traces of this test's bugs off the front of those that are left.
std::string bugs_text(const TestResult& test, std::span<const TraceFile>& traces, const TextStyle& style) {
  std::string text;
  for (const BugResult& bug : test.bugs) {
    text +=
        fmt::format("\nBug {}, found in execution {} after {:.2f} s: ", bug.id, bug.execution, bug.seconds);
    text += text_trace(traces.front(), style);
    text += fmt::format("  Run it again: thrum replay {}\n", bug.trace);
    traces = traces.subspan(1);
  }
  return text;
}

// ---- Programs with several tests ----------------------------------------------------------------

// Of a test that needs no more than a line.
std::string test_line(const TestResult& test, const TextStyle& style) {
  if (test.verdict == Verdict::skipped)
    return coloured("SKIP", kYellow, style.colours) +
           wrap(test.reason + ".", "  " + test.name + ": ", style.width - 4);
  return coloured("PASS", kGreen, style.colours) + fmt::format("  {}: {}; {} execution{} in {:.2f} s\n",
                                                               test.name, test.guarantee, test.executions,
                                                               plural(test.executions), test.seconds);
}

std::string test_text(const TestResult& test, std::span<const TraceFile>& traces, const TextStyle& style) {
  if (!test.begun) return "";
  if (test.verdict == Verdict::skipped || test.verdict == Verdict::exhausted) return test_line(test, style);
  std::string text =
      "\n" + headline(test, style) + bugs_text(test, traces, style) + coverage_text(test, style);
  if (!test.output.empty()) text += "Output of the program:\n" + test.output + "\n";
  return text + "\n";
}

// Those of all tests, each once.
std::vector<Assumption> all_assumptions(const Result& result) {
  std::vector<Assumption> all;
  for (const TestResult& test : result.tests) {
    for (const Assumption& assumption : test.assumptions) {
      bool known = std::any_of(all.begin(), all.end(), [&](const Assumption& other) {
        return other.kind == assumption.kind && other.text == assumption.text;
      });
      if (!known) all.push_back(assumption);
    }
  }
  return all;
}

std::string tally(const Result& result, std::size_t bugs) {
  std::uint64_t executions = 0;
  double seconds = 0;
  std::size_t by_verdict[4] = {};
  std::size_t not_begun = 0;
  for (const TestResult& test : result.tests) {
    executions += test.executions;
    seconds += test.seconds;
    ++(test.begun ? by_verdict[static_cast<int>(test.verdict)] : not_begun);
  }
  auto count = [&](Verdict verdict) { return by_verdict[static_cast<int>(verdict)]; };
  std::string text = fmt::format("{} test{}: {} passed", result.tests.size(), plural(result.tests.size()),
                                 count(Verdict::exhausted));
  if (bugs > 0) text += fmt::format(", {} with bugs ({} bug{})", count(Verdict::bug), bugs, plural(bugs));
  if (count(Verdict::inconclusive) > 0)
    text += fmt::format(", {} inconclusive", count(Verdict::inconclusive));
  if (count(Verdict::skipped) > 0) text += fmt::format(", {} skipped", count(Verdict::skipped));
  if (not_begun > 0) text += fmt::format(", {} not begun (interrupted)", not_begun);
  return text + fmt::format(".\n{} execution{} in {:.2f} s.\n", executions, plural(executions), seconds);
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
  if (failure.message.find('\n') != std::string::npos) text += "\n" + indented(failure.message);
  text += "\n" + (failure.waiters.empty() ? failure_place(file, style) : waiters_text(file, style));
  return text + output_text(file.trace.output);
}

std::string text_report(const Result& result, const std::vector<TraceFile>& traces, const TextStyle& style) {
  std::span<const TraceFile> traces_left = traces;
  bool whole_program = result.tests.size() == 1 && result.tests[0].name == "main";
  if (whole_program) {
    const TestResult& test = result.tests[0];
    std::string text = headline(test, style) + bugs_text(test, traces_left, style) + "\n" +
                       coverage_text(test, style) + assumptions_text(test.assumptions, style);
    return test.output.empty() ? text : text + fmt::format("\nOutput of the program:\n{}\n", test.output);
  }
  std::string text;
  for (const TestResult& test : result.tests) text += test_text(test, traces_left, style);
  text += "\n" + coloured(tally(result, traces.size()), headline_colour(result.verdict()), style.colours);
  return text + assumptions_text(all_assumptions(result), style);
}

}  // namespace thrum
