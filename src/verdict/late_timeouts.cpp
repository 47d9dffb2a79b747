// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by late_timeouts_test.cpp.
#include "verdict/late_timeouts.hpp"

#include <fmt/format.h>

#include <string>

#include "verdict/tracing.hpp"

namespace thrum {

void add_late_timeouts(const Report& report, const CheckOptions& options, std::vector<Assumption>& list) {
  constexpr std::uint64_t kNamed = 8;
  Assumption all{"late-timeouts", 0, "", {}};
  for (const Note& note : report.notes) {
    if (note.kind != kLateWait) continue;
    if (++all.count > kNamed) continue;
    all.text += (all.count == 1 ? "" : ", ") + note.text;
    if (const std::vector<SourceLine> lines = stack_lines(report, note.stack); !lines.empty()) {
      const SourceLine& line = lines[0];
      const std::string file = line.file.substr(line.file.rfind('/') + 1);
      all.text += fmt::format(" in {}, {}:{}", line.function, file, line.line);
      all.locations.push_back({"", "", line.file, line.line, line.function});
    }
    if (note.count > 0) all.text += " (it ran out)";
  }
  if (all.count == 0) return;
  if (all.count > kNamed) all.text += fmt::format(" and {} more", all.count - kNamed);
  all.text = fmt::format(
      "Waits, sleeps and timers of more than {:g} s (--early-timeouts) ran out only where nothing else could "
      "go on, and waits of an hour or more not even there: {}.",
      options.early_timeouts_seconds, all.text);
  list.push_back(std::move(all));
}

}  // namespace thrum
