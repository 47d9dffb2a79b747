// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text_report.hpp"

#include <fmt/format.h>
#include "report/source_lines.hpp"

namespace thrum {
TextStyle style_for(int) { return {}; }
std::string text_trace(const TraceFile& file, const TextStyle&) {
  std::string text = fmt::format("{}: {}\n", bug_kind_name(file.trace.failure.kind), file.trace.failure.message);
  for (std::size_t i = 0; i < file.trace.events.size(); ++i) {
    const Event& e = file.trace.events[i];
    std::string at;
    std::string object;
    if (i < file.trace.places.size()) {
      if (auto line = shown_line(file, file.trace.places[i].stack)) at = fmt::format("{}:{}", line->file, line->line);
      object = file.place_name(file.trace.places[i].object);
    }
    text += fmt::format("  {:<6} {} {} {} v={} o={}\n", file.names.name(e.thread), at, operation_name(e.operation), object, e.value, e.operand);
  }
  return text;
}
std::string text_report(const Result& result, const std::vector<TraceFile>& traces, const TextStyle& style) {
  std::string text;
  for (const TestResult& test : result.tests) {
    text += fmt::format("{}: {}: {}\n{}\n{} executions in {:.3f} s\n", test.name, verdict_name(test.verdict), test.reason, test.guarantee, test.executions, test.seconds);
    for (const Assumption& a : test.assumptions) text += "  - " + a.text + "\n";
  }
  for (const TraceFile& trace : traces) text += text_trace(trace, style);
  return text;
}
}  // namespace thrum
