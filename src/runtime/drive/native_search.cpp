// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drive/native_search.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "campaign/session.hpp"
#include "campaign/strategies.hpp"
#include "protocol/remote_program.hpp"
#include "protocol/remote_strategy.hpp"
#include "protocol/search_channel.hpp"
#include "runtime/base/world.hpp"
#include "runtime/drive/native_program.hpp"
#include "runtime/drive/native_worker.hpp"
#include "runtime/judge/judging.hpp"
#include "runtime/judge/leaks.hpp"
#include "runtime/judge/race_judge.hpp"
#include "runtime/judge/race_names.hpp"
#include "runtime/judge/warnings.hpp"
#include "runtime/kernel/files.hpp"
#include "runtime/shortcuts/waypoints.hpp"
#include "runtime/threads/focus.hpp"
#include "runtime/threads/round_detector.hpp"
#include "runtime/threads/scheduler.hpp"
#include "support/check.hpp"
#include "support/digest.hpp"
#include "support/raw_syscall.hpp"
#include "worker/shared_search.hpp"
#include "worker/temporary_file.hpp"

namespace thrum {

namespace {

void announce(const Plan& plan) {
  world.fatal = find_fatal(*world.board, plan, *world.names);
  world.repeats = false;
  announce(*world.channel, plan);
}

void note_level(const SearchResult& so_far) {
  Report report;
  report.started_threads = true;
  report.result = so_far;
  describe_search(report);
  note_level(*world.ledger, report, *world.names);
}

Limits native_limits(const Job& job) {
  Limits limits = limits_of(job);
  limits.out_of_time = [] { return world.board->stop.load(std::memory_order_relaxed) != 0; };
  limits.announce = [](const Plan& plan) { announce(plan); };
  limits.answer = [](const std::function<Progress()>& ask) { answer(*world.channel, ask); };
  limits.now = search_seconds;
  limits.note_bug = [](const FoundBug& bug) { note_bug(*world.ledger, bug, *world.names); };
  limits.note_level = [](const SearchResult& so_far) { note_level(so_far); };
  if (job.suite == SuiteUse::record) limits.suite = &suite_file();
  if (!job.leaks) limits.last_suspect = [] { return leak_search().take_suspect(); };
  return limits;
}

[[noreturn]] void refuse(std::string why) {
  Report report;
  report.refused = std::move(why);
  send_report(report);
}

// Continues the search that another process saved.
SearchSoFar take_up(Strategy& strategy, SearchResult& before, Fairness& fairness) {
  SearchSoFar so_far;
  Digest digest;
  std::string problem = search_state().take_up(so_far, before, strategy, digest, fairness);
  if (!problem.empty()) refuse(std::move(problem));
  trace_digest() = digest;
  return so_far;
}

// The parts of a session that need the compiled program.
class NativeHost final : public Session::Host {
 public:
  NativeHost(NativeProgram& program, const Job& job) : program_(program), job_(job) {}

  void begin() override {
    world.restarts = false;
    waypoints().forget();
    if (job_.suite == SuiteUse::record) suite_file().begin_again();
  }

  bool restarts() const override { return world.restarts; }
  Waiting waiting() const override { return round_detector().waiting(); }
  void explore_race(const Failure& race) override { race_judge().known().add(race); }

  std::optional<SearchSoFar> resume(Strategy& strategy, SearchResult& before, Fairness& fairness) override {
    if (!search_state().is_there()) return std::nullopt;
    return take_up(strategy, before, fairness);
  }

  SearchSoFar run(Program&, Run run) override {
    SharedSearch::PutDown put_down;
    if (search_state().is_wanted()) {
      if (run.strategy.durable() == nullptr) refuse("the strategy " + job_.strategy + " cannot be saved");
      put_down = [&run](const SearchSoFar& so_far) {
        search_state().put_down(so_far, run.before, run.strategy, trace_digest(), run.fairness);
      };
    }
    SharedSearch search(search_state(), run.strategy, run.make, std::move(run.limits), run.before.executions,
                        std::move(put_down));
    return search.run_whole(std::move(run.from));
  }

  // For each leak that only some schedules have: adds an execution without the leak.
  void complete_bugs(SearchResult& result) override {
    warnings().watch(false);
    for (FoundBug& bug : result.bugs) {
      if (bug.failure.kind != BugKind::leak || job_.leaks || leak_search().clean() == nullptr) continue;
      FoundBug::Without without{*leak_search().clean(), {}};
      program_.run(without.plan, nullptr, Wanted::everything(), without.trace);
      if (without.trace.end != End::finished) continue;
      bug.without = std::move(without);
      note_bug(*world.ledger, bug, *world.names);
    }
  }

  bool begin_simplifying(const FoundBug& bug) override {
    judging().judge_all();
    race_judge().known().use(bug.trace.details.known_races.size());
    return true;
  }

 private:
  NativeProgram& program_;
  const Job& job_;
};

long futex_of_kernel(void* at, int operation, std::uint32_t value, const timespec* timeout) {
  return raw_syscall(SYS_futex, word(at), operation, value, word(timeout));
}

SearchResult search(NativeProgram& program, const Job& job) {
  SessionSettings settings;
  const auto make_outside = [&program](std::function<bool()> is_called) {
    return std::make_unique<RemoteStrategy>(
        []() -> Channel& { return *world.channel; }, futex_of_kernel, program.names(),
        [] { return SharedSearch::has_to_stop(worker_process()); }, std::move(is_called));
  };
  settings.make = [&job, make_outside](bool is_fair) -> std::unique_ptr<Strategy> {
    if (runs_outside(job.strategy))
      return make_outside(
          [] { return SharedSearch::is_asked(worker_process()) || is_asked_for_progress(*world.channel); });
    StrategySettings own = job.settings;
    own.make_file = []() -> std::unique_ptr<SpillFile> {
      return std::make_unique<TemporaryFile>(world.job->temporary_folder, first_own_descriptor(),
                                             world.copies);
    };
    own.is_fair = is_fair;
    own.has_unfolding = job.races == Races::report;
    if (job.has_solver) own.make_mcr = [make_outside] { return make_outside([] { return false; }); };
    return make_strategy(job.strategy, own);
  };
  settings.limits = native_limits(job);
  settings.explores_races = job.races == Races::explore;
  settings.repeat = job.repeat;
  settings.simplifies = !job.digest_traces;  // digests cover exactly the executions of the search
  NativeHost host(program, job);
  warnings().watch(true);
  return Session(program, host, settings).run();
}

// Runs the schedules of a suite.
SearchResult replay_suite(NativeProgram& program, Report& report) {
  const double start = search_seconds();
  SuiteFile::Replay how;
  how.run = [&program](const Plan& plan, Trace& trace) {
    do {
      world.restarts = false;
      program.run(plan, nullptr, Wanted::all_events(), trace);
    } while (world.restarts);
    return scheduler().director().left();
  };
  how.before_each = [](const Plan& plan, double done) {
    announce(plan);
    answer(*world.channel, [done] {
      Progress progress;
      progress.done = done;
      return progress;
    });
  };
  how.take_suspect = [] { return leak_search().take_suspect(); };
  report.suite = suite_file().replay(how);
  SearchResult result;
  result.executions = report.suite->run;
  result.seconds = search_seconds() - start;
  return result;
}

// Runs the plans that come from outside; returns their number.
std::uint64_t serve_leader(NativeProgram& program) {
  std::uint64_t executions = 0;
  serve(*world.channel, program, futex_of_kernel, [&](const Plan& plan) {
    announce(plan);
    ++executions;
  });
  return executions;
}

}  // namespace

void run_search() {
  NativeProgram& program = native_program();
  Report report;
  report.started_threads = true;
  const Job& job = *world.job;
  add_by_names(race_judge().known(), job.known_races);
  focus().begin(job.focus_code, job.focus_data);
  if (job.replay) {
    Trace& trace = report.replayed.emplace();
    announce(*job.replay);
    double start = search_seconds();
    do {
      world.restarts = false;
      program.run(*job.replay, nullptr, Wanted::everything(), trace);
    } while (world.restarts);
    report.unmet = static_cast<std::uint32_t>(scheduler().director().left());
    report.result.seconds = search_seconds() - start;
    report.result.executions = 1;
    report.result.steps = trace.counts.steps;
    report.result.threads_max = trace.counts.threads;
  } else if (job.suite == SuiteUse::replay) {
    report.result = replay_suite(program, report);
  } else if (job.led) {
    report.result.executions = serve_leader(program);
  } else {
    report.result = search(program, job);
    if (!world.restarts) report.warnings = warnings().explain(program, report.result.bugs);
  }
  send_report(report);
}

}  // namespace thrum
