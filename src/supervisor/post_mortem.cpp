// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "supervisor/post_mortem.hpp"

#include <sys/wait.h>

#include <csignal>
#include <cstring>
#include <string_view>

namespace thrum {

namespace {

constexpr int kExitLoaderFailed = 127;
constexpr int kExitInternalError = 4;

std::string hang_words(const Death& death) {
  return "no instrumented operation for " + std::to_string(death.hang_seconds) + " s";
}

std::string describe_status(const Death& death) {
  const int status = death.status;
  if (WIFEXITED(status)) return "exit code " + std::to_string(WEXITSTATUS(status));
  int signal = WTERMSIG(status);
  if (signal == hang_signal()) return hang_words(death);
  const char* name = sigabbrev_np(signal);
  return name ? std::string("SIG") + name + " (" + sigdescr_np(signal) + ")"
              : "signal " + std::to_string(signal);
}

// Thrum itself has failed: in a search the program's own exit codes come with a report.
bool is_internal_error(const Death& death, Channel::Phase phase) {
  return WIFEXITED(death.status) && WEXITSTATUS(death.status) == kExitInternalError &&
         phase >= Channel::Phase::searching;
}

// The last line of text that begins with, or holds, a phrase.
std::string line_with(const std::string& text, std::string_view phrase) {
  std::size_t at = text.rfind(phrase);
  if (at == std::string::npos) return "";
  std::size_t begin = text.rfind('\n', at);
  begin = begin == std::string::npos ? 0 : begin + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

// What a library that gives up has written: its own line of the reason, else the last of all.
std::string last_words(const std::string& output) {
  for (const char* phrase : {"LLVM ERROR", "Assertion `"}) {
    if (std::string line = line_with(output, phrase); !line.empty()) return line;
  }
  const std::size_t end = output.find_last_not_of(" \r\n");
  if (end == std::string::npos) return "";
  const std::size_t before = output.rfind('\n', end);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return output.substr(begin, end + 1 - begin);
}

// Of an interpreter that ended before it ran anything.
std::string reading_problem(const Death& death, const std::string& output) {
  const std::string words = last_words(output);
  return death.interpreted + ": its bitcode could not be read: " + describe_status(death) +
         (words.empty() ? "" : "; the last that was written: " + words);
}

const char* phase_words(Channel::Phase phase) {
  if (phase == Channel::Phase::starting) return "before main";
  return phase == Channel::Phase::preamble ? "before its first choice" : "in an execution";
}

void lose(Report& report, const Death& death, SharedMemory& memory, ThreadNames& names, std::string reason) {
  report.result.end = SearchEnd::lost_control;
  report.result.lost_reason = std::move(reason);
  report.result.lost_plan = memory.running_plan(death.slot, names);
}

void add_bug(Report& report, const Death& death, SharedMemory& memory, ThreadNames& names, Failure failure) {
  FoundBug bug;
  bug.failure = std::move(failure);
  bug.plan = memory.running_plan(death.slot, names);
  // At most: how many of the departures leave a thread that could go on is not known.
  bug.preemptions = static_cast<std::uint32_t>(bug.plan.departures.size());
  bug.minimal = bug.preemptions == 0 && bug.plan.policy.kind == Policy::Kind::base;
  bug.execution = report.result.executions;
  bug.seconds = report.result.seconds;
  // Deaths by a signal were seen to come again.
  if (death.cause == Death::Cause::hang || WIFEXITED(death.status))
    bug.unconfirmed = "its schedule was not run again";
  bug.trace.end = End::bug;
  bug.trace.failure = bug.failure;
  report.result.end = SearchEnd::bug;
  report.result.bugs.push_back(std::move(bug));
}

void compose_own_death(const Death& death, Channel::Phase phase, SharedMemory& memory, ThreadNames& names,
                       WorkerOutcome& outcome) {
  Report& report = outcome.report;
  const int status = death.status;
  bool exited = WIFEXITED(status);
  if (exited && WEXITSTATUS(status) == kExitLoaderFailed && phase == Channel::Phase::starting) {
    std::string loader = line_with(outcome.output, "error while loading shared libraries");
    if (!loader.empty()) {
      outcome.problem = loader;
      return;
    }
  }
  if (exited && WEXITSTATUS(status) == kExitInternalError) {
    outcome.internal = line_with(outcome.output, "thrum: internal error");
    if (outcome.internal.empty() && is_internal_error(death, phase))
      outcome.internal = "thrum: internal error in the program's process, which says no more";
    if (!outcome.internal.empty()) return;
  }
  if (!death.interpreted.empty() && phase == Channel::Phase::starting) {
    outcome.problem = reading_problem(death, outcome.output);
    return;
  }
  if (std::optional<Failure> failure = failure_of(death, phase)) {
    add_bug(report, death, memory, names, std::move(*failure));
  } else {
    lose(report, death, memory, names,
         std::string("the program ended ") + phase_words(phase) + " without a report");
  }
}

}  // namespace

std::optional<Failure> failure_of(const Death& death, Channel::Phase phase) {
  const std::string where = std::string(" ") + phase_words(phase);
  Failure failure;
  if (death.cause == Death::Cause::hang) {
    failure.kind = BugKind::hang;
    failure.message = hang_words(death) + where;
    return failure;
  }
  if (is_internal_error(death, phase)) return std::nullopt;
  failure.message = describe_status(death) + where;
  if (!WIFEXITED(death.status)) {
    failure.kind = WTERMSIG(death.status) == hang_signal() ? BugKind::hang : BugKind::crash;
  } else if (WEXITSTATUS(death.status) != 0) {
    failure.kind = BugKind::nonzero_exit;
  } else {
    return std::nullopt;
  }
  return failure;
}

void compose_report(const Death& death, SharedMemory& memory, ThreadNames& names, WorkerOutcome& outcome) {
  Report& report = outcome.report;
  const Channel::Phase phase = memory.channel(death.slot).phase.load();
  report.result.executions = death.executions;
  report.result.steps = death.steps;
  report.result.seconds = death.seconds;
  report.started_threads = phase >= Channel::Phase::searching;
  switch (death.cause) {
    case Death::Cause::own: compose_own_death(death, phase, memory, names, outcome); break;
    case Death::Cause::hang: add_bug(report, death, memory, names, failure_of(death, phase).value()); break;
    case Death::Cause::waits:
      lose(report, death, memory, names,
           "the program waits in " + (death.call.empty() ? "a system call" : death.call) + " " +
               phase_words(phase) + ", which Thrum does not control");
      break;
    case Death::Cause::out_of_time:
      report.result.claims.lose(Cut::time);
      lose(report, death, memory, names,
           std::string("the time ended ") + phase_words(phase) +
               ", and the program did not stop when it was told to");
      break;
  }
}
void add_seen_bugs(std::vector<FoundBug> seen, Report& report) {
  for (FoundBug& bug : seen) {
    if (find_bug(report.result.bugs, bug.failure) != nullptr) continue;
    report.result.bugs.push_back(std::move(bug));
    report.result.guarantee.complete = false;  // the search that has seen it did not come to its end
  }
}

}  // namespace thrum
