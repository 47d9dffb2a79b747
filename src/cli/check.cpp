// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `thrum check`: a worker searches each test; its report is judged, written to files and printed.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "cli/bitcode_driver.hpp"
#include "cli/build.hpp"
#include "cli/checkpoint.hpp"
#include "cli/commands.hpp"
#include "cli/engine.hpp"
#include "cli/next_command.hpp"
#include "cli/outside_strategy.hpp"
#include "cli/priority_options.hpp"
#include "cli/progress_line.hpp"
#include "cli/suite_recording.hpp"
#include "cli/tests.hpp"
#include "report/plot.hpp"
#include "report/text_report.hpp"
#include "report/unfolding_picture.hpp"
#include "supervisor/executable.hpp"
#include "supervisor/signals.hpp"
#include "supervisor/worker.hpp"
#include "verdict/baseline.hpp"
#include "verdict/divergence.hpp"
#include "verdict/error.hpp"
#include "verdict/found_bugs.hpp"
#include "verdict/heap_modes.hpp"
#include "verdict/text_file.hpp"
#include "verdict/tracing.hpp"
#include "verdict/verdict.hpp"
#include "verdict/warnings.hpp"

namespace thrum {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Job job_of(const CheckOptions& options) {
  Job job;
  job.strategy = options.strategy;
  job.settings = options.settings;
  std::error_code none;
  if (fs::path folder = fs::temp_directory_path(none); !none) job.temporary_folder = folder.string();
  job.executions = options.executions;
  job.steps = options.steps;
  job.program_memory = options.program_memory_bytes;
  job.hang_seconds = options.hang_seconds;
  job.early_timeouts_ns = nanoseconds_of(options.early_timeouts_seconds);
  job.yields = options.yields;
  job.repeat = options.repeat;
  job.keep_going = options.keep_going;
  job.leaks = options.leaks;
  job.spurious = options.spurious;
  job.state_cache = options.state_cache;
  job.state_depth = options.state_depth;
  job.state_curves = options.state_curves;
  job.heap_symmetry = options.symmetry == "heap";
  job.fairness = options.fairness;
  // Where a block is used again, which of them an address means depends on the order of frees.
  job.heap = runs_outside(options.strategy) ? Heap::fresh : first_heap(options);
  job.races = races_of(options.races);
  job.threads = threads_of(options.threads);
  job.count_classes = options.count_classes;
  job.keeps_classes = options.statistics;
  job.count_local_states = options.coverage == "local-states";
  job.count_values = options.coverage == "values";
  job.waypoints = !options.no_waypoints;
  job.trusts_classes = !options.judge_all;
  job.fsgsbase = !options.no_fsgsbase;
  job.digest_traces = options.trace_digest;
  job.has_solver = options.engine == kNativeEngine && may_have_solver(job);
  take_libraries(options.engine, job);
  return job;
}

// Called before the search, so that its result is not lost because of a wrong path.
void check_writable(const std::string& path) {
  if (path.empty() || path == "-") return;
  std::ofstream out(path, std::ios::app);
  if (!out) throw UserError(path + ": cannot be written: " + std::strerror(errno));
}

class Check {
 public:
  Check(const CheckOptions& options, const std::vector<std::string>& command)
      : options_(options), bugs_(options, invocation_), checkpoint_(options), suite_(options) {
    result_.command = command;
    if (!options.baseline.empty()) baseline_.emplace(options.baseline);
  }

  int run();

 private:
  // A worker's run for a test, with the names of the threads in its report.
  struct Run {
    WorkerOutcome outcome;
    ThreadNames names;
    double seconds = 0;               // in this process
    std::shared_ptr<OpenFile> suite;  // the schedules that it recorded; nullptr: none
  };

  void find_program();
  Job new_job(const std::string& test) const;
  // The options of a test; test is empty for the whole program.
  const CheckOptions& options_of(const std::string& test) const;
  void take_own_options(const std::vector<AnnouncedTest>& tests, const std::vector<std::string>& names);
  bool shares_time(const std::string& test) const;
  int list_tests();
  Run work(const Job& job, double time_seconds, const std::string& progress);
  Run pass_suppressed_races(Run run, Job& job, double time_seconds, const std::string& progress,
                            TestResult& bugs);
  void check_tests(const std::vector<std::string>& names);
  std::vector<std::string> take_first_turns(const std::vector<std::string>& names);
  enum class Turn : std::uint8_t { first, last };
  bool check_test(const std::string& name, std::size_t tests_left, std::size_t turns_left, Turn turn);
  void add_picture(const Run& run, const Job& job);
  TestResult judge_run(const Run& run, const Job& job, double time_seconds, TestResult& bugs);
  void replay_natively(Run& run, Job job) const;
  void take(Run run, Job job, double time_seconds);
  void add_to_suite(const Run& run, const Job& job);
  void look_for_consequences(Job job, TestResult& result);
  std::vector<LinkedModule> linked_modules(const Report& report);
  std::string entry_name(const std::string& test, const std::string& part) const;
  void leave_out(const std::string& test);
  void tell() const;
  // A test that is searched with both heaps has half of its time for the first search.
  double time_for_heap(const CheckOptions& options, double begun_seconds, std::size_t tests_left) const {
    double time = time_for_test(options, begun_seconds, tests_left);
    return options.heap == kBothHeaps ? time / 2 : time;
  }
  // The part of the shared time that is used up.
  double elapsed() const { return seconds_since(start_) - apart_seconds_; }

  const CheckOptions& options_;
  std::map<std::string, CheckOptions> own_options_;  // of tests that have options in the program's code
  Invocation invocation_;
  std::unique_ptr<TemporaryBuild> build_;
  std::string program_;
  Job focus_;  // only its members focus_code and focus_data are used
  FoundBugs bugs_;
  Checkpoint checkpoint_;
  SuiteRecording suite_;
  std::vector<UnfoldingPicture> pictures_;
  std::map<std::string, ModuleFiles> files_;  // by the module's path
  std::optional<Baseline> baseline_;
  Result result_;
  ExitCode code_ = kExitDone;
  Clock::time_point start_;
  // Since start_: for tests with a time of their own, and until an interpreter had read the program.
  double apart_seconds_ = 0;
};

int Check::run() {
  find_program();
  find_focus(options_, program_, focus_);
  if (options_.list_tests) return list_tests();
  prepare_trace_folder(options_.out);
  check_writable(options_.json);
  check_writable(options_.plot);
  check_writable(options_.plot_unfolding);
  suite_.begin();
  checkpoint_.begin(program_);
  start_ = Clock::now();
  // The first run shows whether the program has tests. If it has, the run ends with their names. Else the
  // program itself is the test, and this run is its search, unless --test asks for other tests.
  Job job = new_job("");
  job.only_list = !is_asked_for(kWholeProgram, options_);
  double time = time_for_heap(options_, 0, 1);
  Run first = work(job, time, "");
  if (first.outcome.report.tests) {
    const std::vector<std::string> names = select_tests(names_of(*first.outcome.report.tests), options_);
    take_own_options(*first.outcome.report.tests, names);
    check_tests(names);
  } else {
    checkpoint_.finish();
    select_tests({kWholeProgram}, options_);
    take(std::move(first), job, time);
  }
  checkpoint_.finish();
  if (code_ == kExitInternal && result_.tests.size() == 1) return code_;
  if (baseline_) result_.baseline = baseline_->result();
  result_.suppressions = bugs_.suppressions();
  result_.checkpoint = checkpoint_.result();
  const std::string problem = suite_.finish();
  result_.suite = suite_.result();
  tell();
  if (!problem.empty()) throw UserError(problem);
  return code_;
}

const CheckOptions& Check::options_of(const std::string& test) const {
  const auto own = own_options_.find(test);
  return own == own_options_.end() ? options_ : own->second;
}

// Called before any test is searched, so that wrong options are reported at once.
void Check::take_own_options(const std::vector<AnnouncedTest>& tests, const std::vector<std::string>& names) {
  for (const AnnouncedTest& test : tests) {
    const bool is_asked = std::find(names.begin(), names.end(), test.name) != names.end();
    if (!is_asked || test.options.empty()) continue;
    const auto own = own_options_.emplace(test.name, with_own_options(options_, test)).first;
    refuse_what_engine_lacks(own->second);
  }
}

bool Check::shares_time(const std::string& test) const {
  return options_of(test).time_per_test_seconds == options_.time_per_test_seconds;
}

Job Check::new_job(const std::string& test) const {
  Job job = job_of(options_of(test));
  job.test = test;
  job.focus_code = focus_.focus_code;
  job.focus_data = focus_.focus_data;
  if (suite_.is_on()) job.suite = SuiteUse::record;
  return job;
}

int Check::list_tests() {
  Job job = new_job("");
  job.only_list = true;
  job.executions = 1;  // for a program that makes choices before it announces its tests
  WorkerOutcome outcome = work(job, options_.time_seconds, "").outcome;
  if (!outcome.internal.empty()) {
    fmt::print(stderr, "{}\n", outcome.internal);
    return kExitInternal;
  }
  std::vector<std::string> names = {kWholeProgram};
  if (outcome.report.tests) names = names_of(*outcome.report.tests);
  for (const std::string& name : select_tests(names, options_)) fmt::print("{}\n", name);
  return kExitDone;
}

void Check::find_program() {
  invocation_.arguments = options_.arguments;
  invocation_.directory = fs::current_path().string();
  if (is_source(options_.inputs[0])) {
    for (const std::string& input : options_.inputs) {
      if (!is_source(input)) throw UserError(input + ": is no C or C++ source file like the ones before it");
      invocation_.sources.push_back(fs::absolute(input).lexically_normal().string());
    }
    invocation_.compile_flags = options_.compile_flags;
    require_engine(options_.engine);
    invocation_.bitcode = options_.engine == kVmEngine || environment_asks_for_bitcode();
    build_ =
        std::make_unique<TemporaryBuild>(invocation_.sources, options_.compile_flags, invocation_.bitcode);
    program_ = build_->program();
    require_code_for_engine(options_.engine, program_);
    return;
  }
  if (options_.inputs.size() > 1) {
    throw UserError(options_.inputs[1] +
                    ": one program is checked at a time; arguments of the program stand behind --");
  }
  program_ = fs::absolute(options_.inputs[0]).lexically_normal().string();
  std::string problem = executable_problem(program_);
  if (!problem.empty()) throw UserError(problem);
  require_code_for_engine(options_.engine, program_);
  require_engine(options_.engine);
  invocation_.program = program_;
}

Check::Run Check::work(const Job& job, double time_seconds, const std::string& progress) {
  ProgressLine line(progress, job.strategy, progress_of(options_.progress));
  WorkerSettings settings;
  settings.program = program_;
  settings.arguments = options_.arguments;
  use_engine(options_.engine, settings);
  settings.time_seconds = time_seconds;
  settings.jobs = static_cast<std::uint32_t>(options_.jobs);
  settings.strategy = outside_strategy(job, settings.jobs);
  if (line.speaks()) settings.progress = [&](const WorkerProgress& now) { line.show(now); };
  Run run;
  if (std::optional<WorkerOutcome> ended = checkpoint_.ended(job, run.names)) {
    run.outcome = std::move(*ended);
    return run;
  }
  const Clock::time_point begun = Clock::now();
  settings.state = checkpoint_.begin_run(job);
  if (job.suite == SuiteUse::record) {
    run.suite = suite_.begin_run();
    settings.suite.file = run.suite->descriptor();
  }
  run.outcome = run_worker(settings, job, run.names);
  apart_seconds_ += run.outcome.reading_seconds;
  run.seconds = seconds_since(begun);
  if (!run.outcome.problem.empty())
    throw UserError(run.outcome.report.refused.empty() || options_.resume.empty()
                        ? run.outcome.problem
                        : "--resume " + options_.resume + ": " + run.outcome.problem + "; start a new check");
  for (const Note& note : run.outcome.report.notes) {
    if (note.kind == kWrongUse) throw UserError(note.text);
  }
  checkpoint_.end_run(run.outcome, run.names);
  return run;
}

// Whether the limit of time ended a search that found no bug.
bool wants_time(const SearchResult& search) {
  return search.bugs.empty() && (search.end == SearchEnd::time || search.claims.count(Cut::time) > 0);
}

// Each test has a process of its own, so that tests cannot disturb each other.
void Check::check_tests(const std::vector<std::string>& names) {
  const std::vector<std::string> waiting = take_first_turns(names);
  const auto shares = [&](const std::string& name) { return shares_time(name); };
  for (auto name = waiting.begin(); name != waiting.end(); ++name) {
    if (interrupt_count() > 0) {
      leave_out(*name);
      continue;
    }
    const auto left = static_cast<std::size_t>(waiting.end() - name);
    const auto sharing = static_cast<std::size_t>(std::count_if(name, waiting.end(), shares));
    const Clock::time_point begun = Clock::now();
    const double apart_before = apart_seconds_;
    check_test(*name, left, sharing, Turn::last);
    if (!shares(*name)) apart_seconds_ = apart_before + seconds_since(begun);
  }
  // In the order of the program.
  const auto place = [&](const TestResult& result) {
    return std::find(names.begin(), names.end(), result.test) - names.begin();
  };
  std::stable_sort(result_.tests.begin(), result_.tests.end(),
                   [&](const TestResult& a, const TestResult& b) { return place(a) < place(b); });
}

// Tests that share --time have a short first turn each. Returns the tests that need more time: they share the
// rest of it, and begin again.
std::vector<std::string> Check::take_first_turns(const std::vector<std::string>& names) {
  const bool shares = options_.time_seconds > 0 && options_.time_per_test_seconds == 0 && names.size() > 1;
  if (!shares || options_.heap == kBothHeaps || checkpoint_.result()) return names;
  constexpr std::size_t kOfItsShare = 8;  // the first turn has an eighth of the test's share
  std::vector<std::string> waiting;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t left = names.size() - i;
    const bool waits =
        interrupt_count() > 0 || !shares_time(names[i]) || options_of(names[i]).heap == kBothHeaps;
    if (waits || !check_test(names[i], left, left * kOfItsShare, Turn::first)) waiting.push_back(names[i]);
  }
  return waiting;
}

// A framework may run a test in parts, and each part is a search. Their number is not known before.
// turns_left: so many turns of the same length have to share the time that is left. Returns false if this was
// a first turn and too short; it has no result then.
bool Check::check_test(const std::string& name, std::size_t tests_left, std::size_t turns_left, Turn turn) {
  struct Part {
    Run run;
    Job job;
    double time;
  };
  std::vector<Part> parts;
  Job job = new_job(name);
  std::string part_before;
  while (true) {
    double time = time_for_heap(options_of(name), elapsed(), turns_left);
    Run run = work(job, time, fmt::format(" {}, {} left", name, tests_left));
    const Report& report = run.outcome.report;
    if (report.part_missing && job.part > 0) break;
    if (turn == Turn::first && wants_time(report.result)) return false;
    // If the last section of a test fails, Catch2 runs the test once more, without a section.
    bool empty_round = report.part_name.empty() && !part_before.empty() && report.result.bugs.empty();
    part_before = report.part_name;
    bool more = report.may_have_more;
    if (!empty_round && turn == Turn::first) {
      parts.push_back({std::move(run), job, time});
    } else if (!empty_round) {
      take(std::move(run), job, time);
    }
    if (!more || interrupt_count() > 0) break;
    ++job.part;
  }
  for (Part& part : parts) take(std::move(part.run), std::move(part.job), part.time);
  return true;
}

// The result of one search without its bugs, which are added to `bugs`.
TestResult Check::judge_run(const Run& run, const Job& job, double time_seconds, TestResult& bugs) {
  const WorkerOutcome& outcome = run.outcome;
  if (!outcome.internal.empty()) fmt::print(stderr, "{}\n", outcome.internal);
  TestResult result = judge(outcome, options_of(job.test), is_death_test(outcome.report), time_seconds,
                            linked_modules(outcome.report));
  result.heap = heap_name(job.heap);
  if (!options_.plot_unfolding.empty()) add_picture(run, job);
  bugs_.add(outcome, run.names, program_, job, {}, bugs);
  result.executions += std::exchange(bugs.executions, 0);
  result.steps += std::exchange(bugs.steps, 0);
  result.seconds += std::exchange(bugs.seconds, 0);
  return result;
}

void Check::add_picture(const Run& run, const Job& job) {
  const Report& report = run.outcome.report;
  const SearchResult& search = report.result;
  UnfoldingPicture& picture = pictures_.emplace_back();
  picture.name = fs::path(options_.inputs[0]).filename().string();
  if (!job.test.empty()) picture.name += ", " + entry_name(job.test, report.part_name);
  if (options_.heap == kBothHeaps) picture.name += std::string(", --heap ") + heap_name(job.heap);
  picture.is_ordinary = job.strategy != kSuiteStrategy;
  picture.executions = search.executions;
  picture.is_whole = search.guarantee.exhausted;
  if (!search.kept.unfolding || !search.kept.unfolding->shown) return;
  const ShownUnfolding& shown = *search.kept.unfolding->shown;
  picture.local_states = search.kept.unfolding->local_states;
  picture.events = shown.events;
  picture.begins_again = shown.events == 0 && search.end == SearchEnd::bug;
  picture.links = shown.links;
  picture.file.invocation = invocation_;
  set_trace(picture.file, shown.trace, run.names, report, program_);
}

// An execution ends at a race. If the race is suppressed, another search goes on past it and switches threads
// before its accesses. This is repeated until no new suppressed race is found. Returns the last run; the
// bugs, executions and times of the runs before it are added to `bugs`.
Check::Run Check::pass_suppressed_races(Run run, Job& job, double time_seconds, const std::string& progress,
                                        TestResult& bugs) {
  double spent = 0;
  while (interrupt_count() == 0) {
    const SearchResult& search = run.outcome.report.result;
    spent += run.seconds;
    double left = time_seconds - spent;
    if (time_seconds != 0 && left <= 0) break;
    std::vector<KnownRace> races = bugs_.passable_races(run.outcome, run.names, program_, job);
    if (races.empty()) break;
    bugs_.add(run.outcome, run.names, program_, job, races, bugs);
    bugs.executions += search.executions;
    bugs.steps += search.steps;
    bugs.seconds += search.seconds;
    job.known_races.insert(job.known_races.end(), races.begin(), races.end());
    run = work(job, time_seconds == 0 ? 0 : left, progress + " past suppressed races");
  }
  return run;
}

void Check::take(Run run, Job job, double time_seconds) {
  const CheckOptions& options = options_of(job.test);
  const std::string test = job.test.empty() ? "" : " " + job.test;
  TestResult bugs;
  run = pass_suppressed_races(std::move(run), job, time_seconds, test, bugs);
  if (job.state_cache) replay_natively(run, job);
  add_to_suite(run, job);
  TestResult result = judge_run(run, job, time_seconds, bugs);
  describe_warnings(run.outcome.report, run.names, program_, result);
  result.divergence = describe_divergence(run.outcome.report, run.names, program_);
  std::optional<Run> second;
  if (wants_other_heap(options, result) && interrupt_count() == 0) {
    Job other = job;
    other.heap = Heap::fresh;
    double left = time_seconds == 0 ? 0 : std::max(time_seconds * 2 - result.seconds, time_seconds);
    second = pass_suppressed_races(work(other, left, test + " --heap fresh"), other, left, test, bugs);
    add_to_suite(*second, other);
    TestResult fresh = judge_run(*second, other, left, bugs);
    describe_warnings(second->outcome.report, second->names, program_, fresh);
    merge_heaps(result, fresh);
  } else if (options.heap == kBothHeaps) {
    note_first_only(result);
  }
  result.bugs = std::move(bugs.bugs);
  result.suppressed = bugs.suppressed;
  result.suppressed_without_loss = bugs.suppressed_without_loss;
  result.test = job.test;
  if (!job.test.empty()) result.name = entry_name(job.test, run.outcome.report.part_name);
  if (!result.bugs.empty()) {  // perhaps from an earlier search
    result.verdict = Verdict::bug;
    result.complete = false;
  }
  if (baseline_) baseline_->mark(result);
  weigh_bugs(result);
  result.next = next_command(run.outcome, options, result, result_.command);
  code_ = worse(code_, exit_code(run.outcome, options, result));
  if (second) code_ = worse(code_, exit_code(second->outcome, options, result));
  look_for_consequences(job, result);
  result_.tests.push_back(std::move(result));
}

// Bugs of a search of states are handed to the compiled program: it runs their schedules. What needs races as
// scheduling points names these by places of the machine's code.
void Check::replay_natively(Run& run, Job job) const {
  constexpr std::size_t kBugsMax = 16;
  WorkerSettings settings;
  settings.program = program_;
  settings.arguments = options_.arguments;
  settings.time_seconds = job.hang_seconds;
  job.state_cache = false;
  job.c_bitcode.clear();
  job.cpp_bitcode.clear();
  std::size_t tried = 0;
  for (FoundBug& bug : run.outcome.report.result.bugs) {
    if (!bug.unconfirmed.empty() || !bug.trace.details.known_races.empty() || interrupt_count() > 0) continue;
    if (tried++ == kBugsMax) return;
    job.replay = bug.plan;
    ThreadNames names = run.names;
    const WorkerOutcome outcome = run_worker(settings, job, names);
    if (!outcome.problem.empty() || !outcome.report.replayed) continue;
    const Trace& now = *outcome.report.replayed;
    bug.is_native = now.end == End::bug && now.failure.kind == bug.failure.kind;
  }
}

void Check::add_to_suite(const Run& run, const Job& job) {
  // A death test has no schedules, and harms nothing.
  if (run.suite != nullptr && !is_death_test(run.outcome.report))
    suite_.add(run.outcome, run.suite, bugs_.header(run.outcome, run.names, program_, job));
}

// The first race ends a search, and its consequence, such as a failed assertion, is often a few executions
// away. A second, short search switches threads before the racing accesses, too. It only adds the consequence
// to the result.
void Check::look_for_consequences(Job job, TestResult& result) {
  constexpr std::uint64_t kExecutions = 10'000;
  constexpr double kSeconds = 2, kPart = 0.1;
  const auto race = std::find_if(result.bugs.begin(), result.bugs.end(), [](const BugResult& bug) {
    return bug.kind == bug_kind_name(BugKind::data_race) && !bug.known;
  });
  const CheckOptions& options = options_of(job.test);
  if (race == result.bugs.end() || options.no_leads_to || options.keep_going || options.trace_digest ||
      job.races != Races::report || job.repeat > 1 || checkpoint_.result() || interrupt_count() > 0)
    return;
  const double left = options.time_seconds - elapsed();
  const double seconds = options.time_seconds > 0 ? std::min(kSeconds, left * kPart) : kSeconds;
  if (seconds <= 0) return;
  job.races = Races::explore;
  job.executions = kExecutions;
  job.suite = SuiteUse::none;
  const Run run = work(job, seconds, " " + result.name + ", what a race leads to");
  race->leads_to = bugs_.consequence(run.outcome, run.names, program_, job, race->id);
}

// The files are read once for each module: the tests of a program have nearly the same modules.
std::vector<LinkedModule> Check::linked_modules(const Report& report) {
  std::vector<LinkedModule> modules;
  for (const Module& module : report.modules) {
    if (!module.instrumented) continue;
    auto known = files_.find(module.path);
    if (known == files_.end()) known = files_.emplace(module.path, files_of_module(module.path)).first;
    modules.push_back({module.path, known->second});
  }
  return modules;
}

// Parts may have equal names, such as those for the values of a generator. Then a number is added.
std::string Check::entry_name(const std::string& test, const std::string& part) const {
  std::string name = part.empty() ? test : test + " / " + part;
  std::string unique = name;
  auto is_taken = [&](const TestResult& other) { return other.name == unique; };
  for (int number = 2; std::any_of(result_.tests.begin(), result_.tests.end(), is_taken); ++number)
    unique = fmt::format("{} ({})", name, number);
  return unique;
}

void Check::leave_out(const std::string& test) {
  TestResult result;
  result.test = result.name = test;
  result.reason = "it was interrupted before this test began";
  result.guarantee = "nothing: it was not run";
  result.heap = options_of(test).heap;
  result.strategy = options_of(test).strategy;
  result.engine = options_of(test).engine;
  result.begun = false;
  if (suite_.is_on()) suite_.leave_out(bugs_.header({}, {}, program_, new_job(test)));
  result_.tests.push_back(std::move(result));
  code_ = worse(code_, kExitInconclusive);
}

void Check::tell() const {
  if (!options_.plot.empty()) write_file(options_.plot, coverage_plot(result_));
  if (!options_.plot_unfolding.empty()) write_file(options_.plot_unfolding, unfolding_svg(pictures_));
  if (options_.json == "-") {
    write_result(result_, options_.json);
    return;
  }
  TextStyle style = style_for(STDOUT_FILENO, colour_of(options_.color));
  style.directory = invocation_.directory;
  style.assumptions = options_.assumptions;
  style.statistics = options_.statistics;
  fmt::print("{}", text_report(result_, bugs_.traces(), style));
  if (!options_.json.empty()) write_result(result_, options_.json);
}

}  // namespace

int check_command(const CheckOptions& options, const std::vector<std::string>& command) {
  // An interrupt must not leave a temporary build behind.
  InterruptHandler handler;
  int code = Check(options, command).run();
  if (std::fflush(stdout) != 0) throw UserError(std::string("standard output: ") + std::strerror(errno));
  return code;
}

}  // namespace thrum
