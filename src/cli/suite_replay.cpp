// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `thrum replay` of a suite: one worker runs the schedules of a section one after the other, until one fails.
// That one is run again alone, as a replay of a trace file would run it, and is reported so.
//
// Tested by tests/endtoend/suite_test.cpp.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include "campaign/confirm.hpp"
#include "cli/engine.hpp"
#include "cli/progress_line.hpp"
#include "cli/replay.hpp"
#include "model/suite_schedule.hpp"
#include "model/words.hpp"
#include "report/text_report.hpp"
#include "supervisor/signals.hpp"
#include "verdict/tracing.hpp"

namespace thrum {

namespace {

namespace fs = std::filesystem;

std::string events_words(std::uint32_t count) { return fmt::format("{} event{}", count, plural(count)); }

// Why the program does not follow the schedule. departure: of its plan, the first that was not met.
std::string departure_words(const SuiteSchedule& schedule, std::uint32_t departure, End now,
                            const ThreadNames& names) {
  if (departure >= schedule.plan.departures.size())
    return fmt::format("its execution ended otherwise: then {}, now {}", name_of(schedule.end, kEnds),
                       name_of(now, kEnds));
  const Departure& missed = schedule.plan.departures[departure];
  const std::string who =
      fmt::format("thread {} after {}", names.name(missed.key.thread), events_words(missed.key.index));
  switch (missed.key.kind) {
    case ChoiceKind::value: return fmt::format("{} does not choose {} any more", who, missed.option.value);
    case ChoiceKind::waiter:
      return fmt::format("{} does not wake {} any more", who, names.name(missed.option.value));
    case ChoiceKind::thread: break;
  }
  const std::string via =
      missed.option.via == Via::run ? "" : fmt::format(" by {}", name_of(missed.option.via, kVias));
  return fmt::format("{} is not followed by {}{} any more", who, names.name(missed.option.value), via);
}

class SuiteReplay {
 public:
  SuiteReplay(Suite suite, const ReplayOptions& options)
      : suite_(std::move(suite)), options_(options), json_(json_path(options)) {
    result_.schedules = suite_.schedules;
    result_.exhausted = suite_.exhausted;
  }

  int run_all();
  int run_one();

 private:
  void prepare(const SuiteSection& section);
  bool run_section(const SuiteSection& section);
  WorkerOutcome work(const SuiteSection& section);
  bool take_run(const SuiteSection& section, const WorkerOutcome& outcome);
  bool take_without_choices(const SuiteSection& section, const WorkerOutcome& outcome);
  bool run_alone(const SuiteSection& section, std::uint64_t number, bool leaks = false);
  void judge_alone(const SuiteSection& section, const SuiteSchedule& schedule, std::uint64_t number,
                   const WorkerOutcome& outcome, const ThreadNames& names);
  void note_skips(const SuiteSection& section, const Report& report);
  void note_bug(const SuiteSection& section, std::uint64_t number, const Failure& failure);
  void depart(const SuiteSection& section, std::uint64_t number, std::uint32_t departure, End now);
  bool stop(std::string why);
  void summarise();
  std::string count_words() const;
  int end();

  Suite suite_;
  const ReplayOptions& options_;
  std::string json_;
  ReplayedProgram program_;
  ReplayResult result_;
  std::string skips_;   // lines of the summary
  bool leaks_ = false;  // the failure is a leak of some schedules only
  bool internal_ = false;
};

int SuiteReplay::run_all() {
  for (const SuiteSection& section : suite_.sections) {
    if (!section.lines.empty() && !run_section(section)) break;
  }
  if (result_.reason.empty() && !result_.departed.empty()) result_.verdict = ReplayVerdict::departed;
  if (result_.reason.empty()) {
    summarise();
  } else if (const std::size_t departed = result_.departed.size(); departed > 0) {
    result_.details = fmt::format("  {} before it depart{}\n", departed, departed == 1 ? "s" : "");
  }
  return end();
}

int SuiteReplay::run_one() {
  const std::uint64_t number = options_.schedule;
  const auto section = std::ranges::find_if(suite_.sections, [&](const SuiteSection& one) {
    return number - one.first < one.lines.size();  // less than 0 is a large number
  });
  if (section == suite_.sections.end())
    throw UserError(fmt::format("--schedule: {} has {}", options_.path, count_words()));
  prepare(*section);
  run_alone(*section, number - section->first);
  if (result_.reason.empty()) {
    result_.reason = fmt::format("schedule {} passes", number);
    if (!result_.changed.empty()) result_.reason += ", by other operations than when the suite was made";
  }
  return end();
}

void SuiteReplay::prepare(const SuiteSection& section) {
  const std::string engine = engine_for(section.header, options_);
  refuse_threads_on_engine(engine, options_.threads);
  program_.prepare(section.header.invocation, engine);
  result_.engine = engine;
}

int SuiteReplay::end() { return internal_ ? kExitInternal : end_replay(result_, json_, options_); }

std::string SuiteReplay::count_words() const {
  return fmt::format("{} schedule{}", suite_.schedules, plural(suite_.schedules));
}

// The numbers of the first few, and how many more there are.
template <typename Items, typename Words>
std::string first_few(const Items& items, const std::string& between, Words words) {
  constexpr std::size_t kFew = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(items.size(), kFew); ++i)
    text += (i == 0 ? "" : between) + words(items[i]);
  if (items.size() > kFew) text += fmt::format("{}and {} more", between, items.size() - kFew);
  return text;
}

void SuiteReplay::summarise() {
  std::string& details = result_.details;
  const auto line = [&](const std::string& text) { details += "  " + text + "\n"; };
  const std::size_t departed = result_.departed.size();
  const std::size_t changed = result_.changed.size();
  if (departed == 0) {
    result_.reason = fmt::format("{} pass{} in {:.3f} s", count_words(), suite_.schedules == 1 ? "es" : "",
                                 result_.seconds);
  } else {
    result_.reason =
        fmt::format("{} of {} depart{}; no failure", departed, count_words(), departed == 1 ? "s" : "");
    line(first_few(result_.departed, "\n  ", [](const ReplayResult::Departed& one) {
      return fmt::format("{}: {}", one.schedule, one.text);
    }));
    line("The program is another one than that of the suite: make the suite again");
  }
  if (changed > 0) {
    line(fmt::format("{} passed by other operations than when the suite was made: ", changed) +
         first_few(result_.changed, ", ", [](std::uint64_t one) { return std::to_string(one); }));
    line("The suite may not show all states of this program");
  }
  details += skips_;
  if (!suite_.exhausted) line("The search that made the suite was not exhausted: it may not show all states");
}

// False: the rest is not run.
bool SuiteReplay::stop(std::string why) {
  result_.verdict = ReplayVerdict::inconclusive;
  result_.reason = "inconclusive: " + std::move(why);
  return false;
}

// Runs the section's schedules; false: that is the end.
bool SuiteReplay::run_section(const SuiteSection& section) {
  prepare(section);
  const WorkerOutcome outcome = work(section);
  if (!outcome.problem.empty()) throw UserError(outcome.problem);
  if (!outcome.internal.empty()) {
    fmt::print(stderr, "{}\n", outcome.internal);
    internal_ = true;
    return false;
  }
  result_.seconds += outcome.report.result.seconds;
  note_skips(section, outcome.report);
  if (outcome.report.suite) return take_run(section, outcome);
  if (outcome.reported && !outcome.report.started_threads && !outcome.report.tests)
    return take_without_choices(section, outcome);
  // The schedule that ran when the worker died.
  const std::uint64_t executions = outcome.report.result.executions;
  if (outcome.report.result.bugs.empty())
    return stop(outcome.report.result.lost_reason.empty() ? "the program did not come to its first schedule"
                                                          : outcome.report.result.lost_reason);
  const std::uint64_t number = std::clamp<std::uint64_t>(executions, 1, section.lines.size()) - 1;
  result_.run += number + 1;
  return run_alone(section, number);
}

// A test that is not there any more is among those that give themselves up.
void SuiteReplay::note_skips(const SuiteSection& section, const Report& report) {
  if (report.executions_skipped == 0) return;
  const std::string& test = section.header.invocation.test;
  skips_ += fmt::format("  {} gave itself up in {} execution{}: {}\n", test.empty() ? "The program" : test,
                        report.executions_skipped, plural(report.executions_skipped), report.skip_reason);
}

WorkerOutcome SuiteReplay::work(const SuiteSection& section) {
  const std::string name = (fs::temp_directory_path() / "thrum-suite").string();
  const std::shared_ptr<OpenFile> lines = nameless_file(name);
  if (lines == nullptr || !write_all(lines->descriptor(), section.text, 0))
    throw UserError(fs::temp_directory_path().string() +
                    ": the schedules cannot be written: " + std::strerror(errno));
  const std::string& test = section.header.invocation.test;
  ProgressLine line(test.empty() ? "" : " " + test, "the suite", options_.progress, "replaying");
  WorkerSettings settings;
  settings.program = program_.path();
  settings.arguments = section.header.invocation.arguments;
  use_engine(engine_for(section.header, options_), settings);
  settings.suite = {lines->descriptor(), section.text.size()};
  if (line.speaks()) settings.progress = [&](const WorkerProgress& now) { line.show(now); };
  Job job = replay_job(section.header, options_);
  job.suite = SuiteUse::replay;
  ThreadNames names = section.header.names;
  return run_worker(settings, job, names);
}

void SuiteReplay::depart(const SuiteSection& section, std::uint64_t number, std::uint32_t departure,
                         End now) {
  ThreadNames names;
  const std::optional<SuiteSchedule> schedule = schedule_of_line(section.lines[number], names);
  result_.departed.push_back(
      {section.first + number, departure_words(schedule.value(), departure, now, names)});
}

bool SuiteReplay::take_run(const SuiteSection& section, const WorkerOutcome& outcome) {
  const SuiteRun& run = *outcome.report.suite;
  result_.run += run.run;
  for (const SuiteRun::Departed& one : run.departed) {
    if (one.end == End::refused) return stop(refused_text(outcome.report));
    depart(section, one.schedule - 1, one.departure, one.end);
  }
  for (const std::uint64_t number : run.changed) result_.changed.push_back(section.first + number - 1);
  if (run.failed != 0) return run_alone(section, run.failed - 1, run.leaks);
  if (outcome.interrupted) return stop(fmt::format("interrupted after {} of {}", result_.run, count_words()));
  if (run.run < section.lines.size()) return stop("the program did not run all schedules");
  return true;
}

// The program made no choice at all. It ran once, and that is what each schedule without departures asks for.
bool SuiteReplay::take_without_choices(const SuiteSection& section, const WorkerOutcome& outcome) {
  if (!outcome.report.result.bugs.empty()) {
    ++result_.run;
    return run_alone(section, 0);
  }
  if (outcome.report.result.end == SearchEnd::lost_control) return stop(refused_text(outcome.report));
  result_.run += section.lines.size();
  for (std::uint64_t number = 0; number < section.lines.size(); ++number) {
    ThreadNames names;
    const std::optional<SuiteSchedule> schedule = schedule_of_line(section.lines[number], names);
    if (!schedule->plan.departures.empty())
      depart(section, number, 0, End::diverged);
    else if (schedule->events != digest_of_events({}, names))
      result_.changed.push_back(section.first + number);
  }
  return true;
}

// Runs one schedule of a section, as a replay of its trace file would. number: from 0. Returns false: the
// suite ends with it.
bool SuiteReplay::run_alone(const SuiteSection& section, std::uint64_t number, bool leaks) {
  TraceFile alone = section.header;
  leaks_ = leaks && !alone.leaks;
  alone.leaks = alone.leaks || leaks;
  const std::optional<SuiteSchedule> schedule = schedule_of_line(section.lines[number], alone.names);
  alone.plan = schedule->plan;
  ThreadNames names = alone.names;
  const WorkerOutcome outcome = replay_plan(alone, program_, options_, names);
  if (!outcome.internal.empty()) internal_ = true;
  if (options_.schedule != 0) {
    result_.run = 1;
    result_.seconds = outcome.report.result.seconds;
  }
  judge_alone(section, *schedule, number, outcome, names);
  if (result_.reason.empty() && options_.schedule == 0)
    stop(fmt::format("schedule {} failed among the others, and does not fail alone", section.first + number));
  return false;
}

void SuiteReplay::note_bug(const SuiteSection& section, std::uint64_t number, const Failure& failure) {
  const std::uint64_t shown = section.first + number;
  const std::string& test = section.header.invocation.test;
  const std::string command = fmt::format("thrum replay {} --schedule {}{}", options_.path, shown,
                                          leaks_ || options_.leaks ? " --leaks" : "");
  result_.verdict = ReplayVerdict::bug;
  result_.reason = fmt::format("schedule {} of {} fails", shown, suite_.schedules);
  if (!test.empty()) result_.reason += " (test " + test + ")";
  if (options_.schedule == 0) result_.reason += "; to run it alone: " + command;
  result_.bug = {shown, test, std::string(bug_kind_name(failure.kind)), failure.message, command};
}

void SuiteReplay::judge_alone(const SuiteSection& section, const SuiteSchedule& schedule,
                              std::uint64_t number, const WorkerOutcome& outcome, const ThreadNames& names) {
  const Report& report = outcome.report;
  if (!report.replayed) {
    if (report.result.bugs.empty()) {
      stop(report.result.lost_reason.empty() ? "no trace came back" : report.result.lost_reason);
      return;
    }
    if (options_.json != "-") fmt::print("{}\n", report.result.bugs[0].failure.message);
    return note_bug(section, number, report.result.bugs[0].failure);
  }
  const Trace& trace = *report.replayed;
  if (trace.end == End::bug) {
    TraceFile now = section.header;
    now.symbols = {};
    set_trace(now, trace, names, report, program_.path());
    departures_from_base(trace, now.preemptions);
    TextStyle style = style_for(STDOUT_FILENO, options_.colour);
    style.directory = now.invocation.directory;
    if (options_.json != "-") fmt::print("{}", text_trace(now, style));
    return note_bug(section, number, trace.failure);
  }
  if (trace.end == End::refused) {
    stop(refused_text(report));
    return;
  }
  if (report.unmet > 0 || (trace.end != End::finished && trace.end != schedule.end)) {
    const auto met = static_cast<std::uint32_t>(schedule.plan.departures.size()) - report.unmet;
    depart(section, number, met, trace.end);
    result_.verdict = ReplayVerdict::departed;
    result_.reason = "departed from the schedule: " + result_.departed.back().text;
  } else if (digest_of_events(trace, names) != schedule.events) {
    result_.changed.push_back(section.first + number);
  }
}

}  // namespace

int suite_replay_command(Suite suite, const ReplayOptions& options) {
  SuiteReplay replay(std::move(suite), options);
  return options.schedule == 0 ? replay.run_all() : replay.run_one();
}

}  // namespace thrum
