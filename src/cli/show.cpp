// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `thrum show` and `thrum help`.
#include <unistd.h>

#include "cli/boolean_program.hpp"
#include "cli/commands.hpp"
#include "cli/pager.hpp"
#include "cli/sequential_trace.hpp"
#include "cli/suite_file.hpp"
#include "report/assumptions.hpp"
#include "report/text_report.hpp"
#include "verdict/error.hpp"
#include "verdict/text_file.hpp"
#include "verdict/tracing.hpp"

namespace thrum {

int show_command(const std::string& trace_path, bool unfolded, Colour colour) {
  TextStyle style = style_for(STDOUT_FILENO, colour);
  style.unfolded = unfolded;
  if (auto trace = read_bool_trace(trace_path)) {
    show_paged(bool_trace_text(*trace, style));
    return kExitDone;
  }
  if (auto trace = read_sequential_trace(trace_path)) {
    show_paged(sequential_trace_text(*trace, style));
    return kExitDone;
  }
  if (is_suite(read_file(trace_path)))
    throw UserError(trace_path +
                    ": is a suite; thrum replay runs it, and with --schedule shows a schedule of "
                    "it that fails");
  TraceFile file = read_trace_file(trace_path);
  style.directory = file.invocation.directory;
  show_paged(text_trace(file, style));
  return kExitDone;
}

int help_command(const std::string& topic) {
  if (topic != "assumptions") throw UserError("help: there is no page on '" + topic + "'");
  show_paged(assumptions_page(style_for(STDOUT_FILENO)));
  return kExitDone;
}

}  // namespace thrum
