// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verdict/tracing.hpp"

#include "report/source_lines.hpp"
#include "report/symbolizer.hpp"
#include "verdict/error.hpp"
#include "verdict/text_file.hpp"

namespace thrum {

void set_trace(TraceFile& file, const Trace& trace, const ThreadNames& names, const Report& report,
               const std::string& program) {
  file.trace = trace;
  file.names = names;
  file.modules.clear();
  for (const Module& module : report.modules) file.modules.push_back(module.path);
  name_places(file, report.names);
  if (!file.invocation.program.empty()) return;
  for (std::string& path : file.modules) {
    if (path == program) path = "(compiled from the sources)";
  }
}

std::vector<SourceLine> stack_lines(const Report& report, const std::vector<Place>& stack) {
  if (stack.empty()) return {};
  TraceFile file;
  for (const Module& module : report.modules) file.modules.push_back(module.path);
  file.trace.details.failure_stack = stack;
  name_places(file, report.names);
  return user_lines(file, stack);
}

TraceFile read_trace_file(const std::string& path) {
  std::string problem;
  std::optional<TraceFile> file = trace_file_from_json(read_file(path), problem);
  if (!file) throw UserError(path + ": is no trace file of thrum check: " + problem);
  return std::move(*file);
}

}  // namespace thrum
