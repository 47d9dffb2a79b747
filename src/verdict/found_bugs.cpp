// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verdict/found_bugs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "report/fingerprint.hpp"
#include "report/source_lines.hpp"
#include "verdict/error.hpp"
#include "verdict/heap_modes.hpp"
#include "verdict/text_file.hpp"
#include "verdict/tracing.hpp"

namespace thrum {

namespace {

namespace fs = std::filesystem;

Location location(const char* role, const TraceFile& file, ThreadId thread,
                  const std::optional<SourceLine>& line) {
  Location result{role, file.names.name(thread), "", 0, ""};
  if (line) {
    result.file = line->file;
    result.line = line->line;
    result.function = line->function;
  }
  return result;
}

BugResult describe_bug(const FoundBug& bug, const TraceFile& file) {
  BugResult result;
  result.kind = bug_kind_name(bug.failure.kind);
  result.message = bug.failure.message;
  result.fingerprint = fingerprint(file);
  result.preemptions = bug.preemptions;
  result.minimal = bug.minimal;
  result.switches = bug.switches;
  result.switches_minimal = bug.switches_minimal;
  result.execution = bug.execution;
  result.seconds = bug.seconds;
  result.strategy = bug.strategy;
  result.unconfirmed = bug.unconfirmed;
  result.is_native = bug.is_native;
  result.simplified = bug.simplified;
  const Trace& trace = file.trace;
  for (const LostBlocks& lost : trace.details.lost)
    result.locations.push_back(location("allocation", file, lost.thread, shown_line(file, lost.stack)));
  if (trace.details.waiter_places.empty() && trace.details.lost.empty()) {
    result.locations.push_back(location("failure", file, trace.failure.thread, failing_line(file)));
  }
  // The last access is the one that failed.
  for (std::size_t i = 0; i + 1 < std::min(trace.details.access_places.size(), trace.failure.accesses.size());
       ++i) {
    result.locations.push_back(location("access", file, trace.failure.accesses[i].thread,
                                        shown_line(file, trace.details.access_places[i].stack)));
  }
  for (std::size_t i = 0; i < trace.details.waiter_places.size(); ++i) {
    result.locations.push_back(location("waiter", file, trace.failure.waiters[i].thread,
                                        shown_line(file, trace.details.waiter_places[i].stack)));
  }
  return result;
}

// Lines with the same text, as blocks that were copied have, make the same fingerprint. Those of one result
// are told apart by a number.
void number_fingerprint(BugResult& bug, const std::vector<BugResult>& others) {
  auto elsewhere = [&](const BugResult& other) {
    return other.fingerprint == bug.fingerprint && bug.locations.size() == 1 && other.locations.size() == 1 &&
           other.locations[0].line != bug.locations[0].line;
  };
  std::string base = bug.fingerprint;
  for (int number = 2; std::any_of(others.begin(), others.end(), elsewhere); ++number)
    bug.fingerprint = fmt::format("{}-{}", base, number);
}

KnownRace known_race(const TraceFile& race) {
  const MemoryAccess& one = race.trace.failure.accesses.front();
  const MemoryAccess& other = race.trace.failure.accesses.back();
  std::uint64_t begin = std::max(one.address, other.address);
  std::uint64_t end = std::min(one.address + one.size, other.address + other.size);
  auto code = [](const EventPlaces& access) { return access.stack.empty() ? Place{} : access.stack[0]; };
  return {code(race.trace.details.access_places.front()),
          code(race.trace.details.access_places.back()),
          {Place::Space::other, 0, 0, begin},
          end - begin};
}

bool holds(const std::vector<KnownRace>& races, const KnownRace& race) {
  return std::any_of(races.begin(), races.end(), [&](const KnownRace& other) {
    return (other.first == race.first && other.second == race.second) ||
           (other.first == race.second && other.second == race.first);
  });
}

}  // namespace

void write_result(const Result& result, const std::string& path) {
  if (path == "-") {
    fmt::print("{}", to_json(result));
  } else {
    write_file(path, to_json(result));
  }
}

void prepare_trace_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw UserError(folder + ": cannot be made: " + error.message());
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with("bug-") && name.ends_with(".trace.json")) fs::remove(entry.path(), error);
  }
  if (access(folder.c_str(), W_OK) != 0)
    throw UserError(folder + ": cannot be written: " + std::strerror(errno));
}

FoundBugs::FoundBugs(const CheckOptions& options, const Invocation& invocation)
    : options_(options), invocation_(invocation) {
  const std::string& path = options.suppressions;
  if (path.empty()) return;
  std::string problem;
  std::optional<Suppressions> parsed = Suppressions::parse(read_file(path, "--suppressions "), problem);
  if (!parsed) throw UserError("--suppressions " + path + ": " + problem);
  suppressions_ = std::move(*parsed);
}

TraceFile FoundBugs::trace_file(const FoundBug& bug, const WorkerOutcome& outcome, const ThreadNames& names,
                                const std::string& program, const Job& job) const {
  TraceFile file;
  file.invocation = invocation_;
  file.invocation.test = job.test;
  file.invocation.part = job.part;
  file.engine = options_.engine;
  file.strategy = job.strategy;
  file.heap = heap_name(job.heap);
  file.races = races_word(job.races);
  file.leaks = job.leaks || bug.failure.kind == BugKind::leak;
  file.spurious = job.spurious;
  file.state_cache = job.state_cache;
  file.steps = job.steps;
  file.hang_seconds = job.hang_seconds;
  file.early_timeouts_seconds = seconds_of(job.early_timeouts_ns);
  file.seed = job.settings.seed;
  file.plan = bug.plan;
  file.preemptions = bug.preemptions;
  file.minimal = bug.minimal;
  file.switches = bug.switches;
  file.switches_minimal = bug.switches_minimal;
  file.execution = bug.execution;
  set_trace(file, bug.trace, names, outcome.report, program);
  file.trace.details.output.insert(0, outcome.output);  // what it printed before its first choice
  return file;
}

TraceFile FoundBugs::header(const WorkerOutcome& outcome, const ThreadNames& names,
                            const std::string& program, const Job& job) const {
  FoundBug none;
  none.trace.details.known_races = job.known_races;
  return trace_file(none, outcome, names, program, job);
}

ConsequenceResult FoundBugs::consequence(const WorkerOutcome& outcome, const ThreadNames& names,
                                         const std::string& program, const Job& job, int bug) const {
  ConsequenceResult result;
  result.executions = outcome.report.result.executions;
  const std::vector<FoundBug>& found = outcome.report.result.bugs;
  const auto failure = std::find_if(found.begin(), found.end(), [](const FoundBug& one) {
    return one.failure.kind != BugKind::data_race && one.failure.kind != BugKind::leak;
  });
  if (failure == found.end()) return result;
  const TraceFile file = trace_file(*failure, outcome, names, program, job);
  const BugResult described = describe_bug(*failure, file);
  result.kind = described.kind;
  result.message = described.message;
  result.locations = described.locations;
  result.trace = (fs::path(options_.out) / fmt::format("bug-{}-leads-to.trace.json", bug)).string();
  write_file(result.trace, to_json(file));
  return result;
}

std::vector<KnownRace> FoundBugs::passable_races(const WorkerOutcome& outcome, const ThreadNames& names,
                                                 const std::string& program, const Job& job) const {
  std::vector<KnownRace> races;
  if (suppressions_.all().empty()) return races;  // to name the places of a trace takes time
  for (const FoundBug& bug : outcome.report.result.bugs) {
    if (bug.failure.kind != BugKind::data_race) continue;
    TraceFile file = trace_file(bug, outcome, names, program, job);
    if (file.trace.details.access_places.empty() || !suppressions_.matches_code(file)) continue;
    KnownRace race = known_race(file);
    if (!holds(job.known_races, race) && !holds(races, race)) races.push_back(race);
  }
  return races;
}

void FoundBugs::add(const WorkerOutcome& outcome, const ThreadNames& names, const std::string& program,
                    const Job& job, const std::vector<KnownRace>& passed, TestResult& result) {
  for (const FoundBug& bug : outcome.report.result.bugs) {
    TraceFile file = trace_file(bug, outcome, names, program, job);
    if (suppressions_.matches(file)) {
      bool is_race = bug.failure.kind == BugKind::data_race && !file.trace.details.access_places.empty();
      bool is_passed = is_race && holds(passed, known_race(file));
      if (!passed.empty() && !is_passed) continue;
      suppressions_.suppress(file);
      ++result.suppressed;
      if (is_passed || bug.failure.kind == BugKind::leak) ++result.suppressed_without_loss;
      continue;
    }
    BugResult described = describe_bug(bug, file);
    described.heap = file.heap;
    number_fingerprint(described, result.bugs);
    auto known = std::find_if(result.bugs.begin(), result.bugs.end(), [&](const BugResult& other) {
      return other.fingerprint == described.fingerprint;
    });
    if (known != result.bugs.end() && described.preemptions >= known->preemptions) continue;
    described.id = known == result.bugs.end() ? static_cast<int>(traces_.size()) + 1 : known->id;
    described.trace = (fs::path(options_.out) / fmt::format("bug-{}.trace.json", described.id)).string();
    write_file(described.trace, to_json(file));
    if (bug.without) {
      described.without =
          (fs::path(options_.out) / fmt::format("bug-{}-without.trace.json", described.id)).string();
      FoundBug other;
      other.plan = bug.without->plan;
      other.trace = bug.without->trace;
      write_file(described.without, to_json(trace_file(other, outcome, names, program, job)));
    }
    if (known == result.bugs.end()) {
      result.bugs.push_back(std::move(described));
      traces_.push_back(std::move(file));
    } else {
      traces_[static_cast<std::size_t>(described.id) - 1] = std::move(file);
      *known = std::move(described);
    }
  }
}

std::optional<std::vector<SuppressionResult>> FoundBugs::suppressions() const {
  if (options_.suppressions.empty()) return std::nullopt;
  std::vector<SuppressionResult> results;
  for (const Suppression& line : suppressions_.all())
    results.push_back({suppression_name(line.kind), line.pattern, line.line, line.count});
  return results;
}

}  // namespace thrum
