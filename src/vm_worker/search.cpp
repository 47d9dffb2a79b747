// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm_worker/search.hpp"

#include <bit>
#include <cstdio>
#include <memory>

#include "campaign/session.hpp"
#include "campaign/strategies.hpp"
#include "protocol/remote_program.hpp"
#include "protocol/search_channel.hpp"
#include "vm/race_names.hpp"
#include "vm_worker/state_cache.hpp"
#include "worker/shared_search.hpp"

namespace thrum {

namespace {

void describe_tests(const VmWorld& world, const vm::Machine& machine, Report& report) {
  const vm::Tests& tests = machine.tests;
  if (tests.is_listed && !world.job().replay) {
    report.tests.emplace();
    for (const auto* list : {&tests.calls, &tests.announced}) {
      for (const vm::Tests::Test& test : *list) report.tests->push_back({test.name, test.options});
    }
  }
  if (!world.job().test.empty() && !tests.has_begun)
    report.notes.push_back({"test-not-run", 1, "the program ended before the test began", true});
  report.executions_skipped = tests.skipped;
  report.skip_reason = tests.skip_reason;
  report.part_name = tests.part_name;
  report.part_missing = tests.part_is_missing;
  report.may_have_more = tests.has_parts && (tests.saw_more || !tests.saw_end);
}

void describe(const VmWorld& world, VmProcess& process, Report& report) {
  WorkerProgram& program = process.worker_program();
  vm::Machine& machine = program.program().machine();
  report.modules = {{machine.settings.arguments.front(), true}};
  program.note_unexplored();
  const std::optional<StatefulStatistics>& stateful = report.result.kept.stateful;
  if (stateful && !stateful->sought_livelocks)
    report.notes.push_back({"livelocks-not-sought", 1,
                            "livelocks were not looked for: threads that go round for ever, through states "
                            "that repeat, are no bug here (--strategy dfs without a bound looks)",
                            false});
  if (stateful && stateful->may_go_round != 0)
    report.notes.push_back({"may-go-round", stateful->may_go_round,
                            "threads that yield can go round for ever, if each has its turns at the wrong "
                            "moments only; that is no bug here",
                            false});
  if (stateful && stateful->unsought_lockstep != 0)
    report.notes.push_back({"lockstep-not-sought", stateful->unsought_lockstep,
                            "livelocks in lockstep, of threads that yield to each other for ever, were not "
                            "looked for among the states that lead to each other: they are too many",
                            false});
  if (machine.weaker_atomics() != 0 && world.job().state_cache) {
    report.notes.push_back(
        {"weak-order-races", 1,
         "data races that only weak orders of atomic operations make (a relaxed flag) were not "
         "looked for: states do not tell who was ordered before whom (--strategy dpor looks)",
         false});
  }
  if (machine.weaker_atomics() != 0) {
    report.notes.push_back(
        {"weaker-atomics", machine.weaker_atomics(),
         "atomic operations that ask for less than sequential consistency were run as if they asked for it",
         false});
  }
  report.notes.insert(report.notes.end(), program.notes().begin(), program.notes().end());
  if (machine.inputs.are_drawn) {
    report.notes.push_back(
        {kSomeInputs, static_cast<std::uint64_t>(std::popcount(machine.inputs.vectors)),
         "Not all inputs were tried: those of many values (__VERIFIER_nondet_int and the like) had "
         "some of their values; arguments, files, environment and the like were as they are now.",
         false});
  }
  if (machine.passed_over_races) {
    report.notes.push_back(
        {"races-allowed", 1, "a data race that the program declares to be meant was passed over", true});
  }
  describe_tests(world, machine, report);
  report.names = machine.program_names();
  report.threads = world.job().threads;
  report.alone = process.alone();
  if (world.job().digest_traces) report.trace_digest = program.trace_digest().value();
}

// The search cannot go on from what was saved, in one line.
struct Unresumed {
  std::string why;
};

class VmHost final : public Session::Host {
 public:
  // states: nullptr: it is no search of states.
  VmHost(const VmWorld& world, VmProcess& process, StateCache* states)
      : world_(world), process_(process), states_(states) {}

  // What a search learns of the program may make it begin again.
  void begin() override {
    machine().restarts_search = false;
    if (world_.job().suite == SuiteUse::record) process_.suite().begin_again();
  }
  bool restarts() const override { return machine().restarts_search; }
  Waiting waiting() const override { return machine().waiting(); }

  std::optional<SearchSoFar> resume(Strategy& strategy, SearchResult& before, Fairness& fairness) override {
    if (!process_.state().is_there()) return std::nullopt;
    SearchSoFar so_far;
    Digest digest;
    std::string problem = process_.state().take_up(so_far, before, strategy, digest, fairness);
    if (!problem.empty()) throw Unresumed{std::move(problem)};
    process_.worker_program().trace_digest() = digest;
    return so_far;
  }

  SearchSoFar run(Program&, Run run) override {
    SearchState& state = process_.state();
    SharedSearch::PutDown put_down;
    if (state.is_wanted()) {
      if (run.strategy.durable() == nullptr)
        throw Unresumed{"the strategy " + world_.job().strategy + " cannot be saved"};
      put_down = [this, &state, &run](const SearchSoFar& so_far) {
        state.put_down(so_far, run.before, run.strategy, process_.worker_program().trace_digest(),
                       run.fairness);
      };
    }
    SharedSearch search(state, run.strategy, run.make, std::move(run.limits), run.before.executions,
                        std::move(put_down));
    return search.run_whole(std::move(run.from));
  }

  void explore_race(const Failure& race) override { machine().known_races.add(race); }
  bool begin_simplifying(const FoundBug& bug) override {
    machine().known_races.use(bug.trace.details.known_races.size());
    return true;
  }

  // For each leak that only some schedules have: adds an execution without the leak. And adds the bugs that
  // only a search of states has shown.
  void complete_bugs(SearchResult& result) override {
    process_.worker_program().warnings().watch(false);
    if (states_ != nullptr) {
      if (states_->escape()) process_.worker_program().note_escape(*states_->escape());
      for (FoundBug& bug : states_->unshown()) {
        note_bug(world_.ledger(), bug, process_.worker_program().names());
        result.bugs.push_back(std::move(bug));
      }
    }
    const vm::LeakSearch& leaks = machine().leaks;
    for (FoundBug& bug : result.bugs) {
      if (bug.failure.kind != BugKind::leak || world_.job().leaks || leaks.clean() == nullptr) continue;
      FoundBug::Without without{*leaks.clean(), {}};
      WorkerProgram& program = process_.worker_program();
      program.run(without.plan, nullptr, Wanted::everything(), without.trace);
      if (without.trace.end != End::finished) continue;
      bug.without = std::move(without);
      note_bug(world_.ledger(), bug, program.names());
    }
  }

 private:
  vm::Machine& machine() const { return process_.worker_program().program().machine(); }

  const VmWorld& world_;
  VmProcess& process_;
  StateCache* states_;
};

void show_output(const vm::Machine& machine) {
  std::fwrite(machine.output.data(), 1, machine.output.size(), stdout);
  std::fflush(stdout);
}

Report replay(const VmWorld& world, VmProcess& process) {
  WorkerProgram& program = process.worker_program();
  Report report;
  const Plan& plan = *world.job().replay;
  Trace& trace = report.replayed.emplace();
  program.announce(plan);
  const double start = process.seconds();
  program.run(plan, nullptr, Wanted::everything(), trace);
  report.unmet = static_cast<std::uint32_t>(program.unmet());
  report.result.seconds = process.seconds() - start;
  report.result.executions = 1;
  report.result.steps = trace.counts.steps;
  report.result.threads_max = trace.counts.threads;
  return report;
}

// Runs the schedules of a suite.
Report replay_suite(VmProcess& process) {
  WorkerProgram& program = process.worker_program();
  vm::Machine& machine = program.program().machine();
  Report report;
  const double start = process.seconds();
  SuiteFile::Replay how;
  how.run = [&](const Plan& plan, Trace& trace) {
    do {
      machine.restarts_search = false;
      program.run(plan, nullptr, Wanted::all_events(), trace);
    } while (machine.restarts_search);
    return program.unmet();
  };
  how.before_each = [&](const Plan& plan, double done) {
    program.announce(plan);
    answer(process.channel(), [done] {
      Progress progress;
      progress.done = done;
      return progress;
    });
  };
  how.take_suspect = [&machine] { return machine.leaks.take_suspect(); };
  report.suite = process.suite().replay(how);
  report.result.executions = report.suite->run;
  report.result.seconds = process.seconds() - start;
  return report;
}

// Runs the plans that come from outside.
Report serve_leader(const VmWorld& world, WorkerProgram& program) {
  Report report;
  serve(world.channel(), program, futex_of_libc, [&](const Plan& plan) {
    program.announce(plan);
    ++report.result.executions;
  });
  return report;
}

Report search(const VmWorld& world, VmProcess& process) {
  WorkerProgram& program = process.worker_program();
  const Job& job = world.job();
  SessionSettings settings;
  StateCache states(program.program().machine(), job, [&world](const Progress& progress) {
    answer(world.channel(), [&progress] { return progress; });
    return world.is_to_stop();
  });
  settings.make = [&job, &states](bool is_fair) {
    if (job.state_cache) return states.make_strategy();
    StrategySettings own = job.settings;
    own.is_fair = is_fair;
    // The machine does not learn what follows a read.
    own.rounds = std::min(own.rounds, Rounds::block);
    own.has_unfolding = job.races == Races::report;
    own.make_file = make_vm_spill_file;
    return make_strategy(job.strategy, own);
  };
  Limits& limits = settings.limits = limits_of(job);
  // A program that lists its tests is not searched.
  const vm::Tests& tests = program.program().machine().tests;
  vm::LeakSearch& leaks = program.program().machine().leaks;
  limits.out_of_time = [&world, &tests] {
    return world.is_to_stop() || (tests.is_listed && !world.job().replay);
  };
  limits.announce = [&program](const Plan& plan) { program.announce(plan); };
  limits.answer = [&world](const std::function<Progress()>& ask) { answer(world.channel(), ask); };
  limits.now = [&process] { return process.seconds(); };
  limits.note_bug = [&](const FoundBug& bug) { note_bug(world.ledger(), bug, program.names()); };
  limits.note_level = [&](const SearchResult& so_far) {
    Report level;
    level.started_threads = true;
    level.result = so_far;
    describe(world, process, level);
    note_level(world.ledger(), level, program.names());
  };
  if (!job.leaks) limits.last_suspect = [&leaks] { return leaks.take_suspect(); };
  if (job.suite == SuiteUse::record) limits.suite = &process.suite();
  settings.explores_races = job.races == Races::explore;
  settings.repeat = job.repeat;
  settings.simplifies = !job.digest_traces;
  VmHost host(world, process, job.state_cache ? &states : nullptr);
  Report report;
  program.warnings().watch(true);
  try {
    report.result = Session(program, host, settings).run();
    if (!host.restarts()) report.warnings = program.warnings().explain(program, report.result.bugs);
  } catch (const Unresumed& problem) {
    report.refused = problem.why;
  }
  return report;
}

// Before its first choice the time may end, and calls may be refused.
Report report_early_end(const VmWorld& world, WorkerProgram& program) {
  const Trace& trace = program.early_end();
  Report report =
      report_of_one_execution(world.job(), trace, trace.end == End::finished && program.notes().empty());
  if (trace.end == End::time)
    report.result.lost_reason = "the time ended before the program made its first choice";
  return report;
}

}  // namespace

Report run_vm_search(const VmWorld& world, VmProcess& process) {
  WorkerProgram& program = process.worker_program();
  Report report;
  if (program.ended_early()) {
    report = report_early_end(world, program);
  } else {
    vm::add_by_names(program.program().machine().known_races, world.job().known_races);
    world.channel().phase.store(Channel::Phase::searching, std::memory_order_release);
    report = world.job().replay                      ? replay(world, process)
             : world.job().suite == SuiteUse::replay ? replay_suite(process)
             : world.job().led                       ? serve_leader(world, program)
                                                     : search(world, process);
    report.started_threads = true;
  }
  if (world.job().replay) show_output(program.program().machine());
  describe(world, process, report);
  return report;
}

}  // namespace thrum
