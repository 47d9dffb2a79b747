// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "supervisor/worker.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "disassembly/liveness.hpp"
#include "protocol/remote_program.hpp"
#include "protocol/remote_strategy.hpp"
#include "supervisor/crew.hpp"
#include "supervisor/deaths.hpp"
#include "supervisor/launch.hpp"
#include "supervisor/output_tail.hpp"
#include "supervisor/post_mortem.hpp"
#include "supervisor/process_state.hpp"
#include "supervisor/shared_memory.hpp"
#include "supervisor/signals.hpp"

namespace thrum {

namespace {

constexpr double kHangGraceSeconds = 3;  // for the worker to report it itself
// The worker runs the schedule of a hang twice again, to confirm it; that it hangs is known by then.
constexpr int kHangRepeats = 2;
constexpr double kHangRepeatSeconds = 2;
constexpr double kOneInterruptSeconds =
    1;  // two within this are one: some send it to the process and to its group
// When a search is told to end: for the worker to come to the end of an execution by itself; from one signal
// that ends an execution to the next; and for the worker to report, a part of the time or at least so long.
constexpr double kInterruptSeconds = 0.1;
constexpr double kStopGracePart = 0.1;
constexpr double kStopGraceSeconds = 0.9;
constexpr double kReportedGraceSeconds = 2;  // for the worker to end when it has reported
constexpr double kProgressSeconds = 1;
constexpr double kLookSeconds = 0.05;
constexpr double kAnswerSeconds = 0.5;  // for the worker to say how far it is

// What is in the channel may be anything.
Progress progress_of(const Channel::PassedProgress& passed) {
  constexpr std::uint64_t kUnknown = Channel::PassedProgress::kUnknown;
  Progress progress;
  progress.waiting = passed.waiting;
  if (passed.level <= UINT32_MAX) progress.level = static_cast<std::uint32_t>(passed.level);
  if (passed.classes != kUnknown) progress.classes = passed.classes;
  if (passed.open != kUnknown) progress.open = passed.open;
  if (passed.questions != kUnknown) progress.questions = passed.questions;
  if (passed.states != kUnknown) progress.states = {passed.states, passed.depth, passed.bytes};
  if (passed.done >= 0) progress.done = passed.done;
  progress.share = passed.share;
  return progress;
}

PutDown put_down_of(const Channel::PassedState& passed) {
  return {passed.offset,     passed.size,   passed.digest, static_cast<int>(passed.error),
          passed.executions, passed.seconds};
}

class Watch {
 public:
  Watch(const WorkerSettings& settings, const Job& job, SharedMemory& memory, const Launched& worker,
        OutputTail& output, Deaths& deaths, double start)
      : settings_(settings),
        memory_(memory),
        output_(output),
        deaths_(deaths),
        crew_(memory, worker, jobs_for(settings, job), searches(job)),
        start_(start) {
    death_.hang_seconds = job.hang_seconds;
    if (!settings.interpreter.empty()) death_.interpreted = settings.program;
  }

  // Returns when the first worker has ended, of itself or not; all others have been ended then. Nothing: the
  // work is to be done again from the beginning.
  std::optional<Death> run(const BellListener& bell);
  bool interrupted() const { return interrupted_; }
  double reading_seconds() const { return reading_seconds_; }
  // Called while the search has to end.
  void on_stop(std::function<void()> act) { on_stop_ = std::move(act); }
  void notify(Crew::Notice notice) { crew_.notify(std::move(notice)); }
  std::uint32_t workers() const { return crew_.workers_max(); }

 private:
  static bool searches(const Job& job) {
    return !job.replay && !job.led && !job.only_list && job.suite != SuiteUse::replay;
  }
  // What depends on the order of executions, or on threads of the system, is searched by one. A suite is
  // recorded by one.
  static std::uint32_t jobs_for(const WorkerSettings& settings, const Job& job) {
    const bool several = job.threads == Threads::fibers && job.repeat == 1 && !job.digest_traces &&
                         job.suite == SuiteUse::none && searches(job);
    return several ? settings.jobs : 1;
  }

  void wait_a_little(const BellListener& bell);
  bool has_ended(const Crew::End& end);
  bool goes_on_after(const Crew::End& end);
  void check_end();
  void check_time();
  void interrupt_executions();
  void check_steps(Crew::Member& worker);
  void kill_as(Crew::Member& worker, Death::Cause cause);
  void tell_progress();
  std::optional<Progress> progress_of_all();
  void take_state();
  void answer(Channel::Liveness& question);
  Channel& channel() { return memory_.channel(0); }
  // An interpreter reads the program, which is not the program's time.
  bool is_reading() { return !settings_.interpreter.empty() && channel().phase == Channel::Phase::starting; }
  double elapsed() const { return now() - start_; }

  const WorkerSettings& settings_;
  SharedMemory& memory_;
  OutputTail& output_;
  Deaths& deaths_;
  Crew crew_;
  Liveness liveness_;
  Death death_;
  bool again_ = false;
  bool interrupted_ = false;
  double start_;
  double begun_ = now();
  double reading_seconds_ = 0;
  std::optional<double> asked_;  // when the worker was asked how far it is
  double next_progress_ = now() + kProgressSeconds;
  std::optional<double> told_done_;
  std::optional<std::uint32_t> told_level_;
  double next_state_ = now() + settings_.state.seconds;
  bool state_asked_ = false;
  double next_look_ = 0;  // whether anybody hangs
  std::optional<double> told_to_stop_;
  std::function<void()> on_stop_;
  double next_interrupt_ = 0;
  std::optional<double> reported_;
  int hang_repeats_ = 0;  // hangs to come that are known
};

std::optional<Death> Watch::run(const BellListener& bell) {
  while (true) {
    wait_a_little(bell);
    if (std::optional<Crew::End> end = crew_.take_end(); end && has_ended(*end)) break;
    check_end();
    check_time();
    if (now() >= next_look_) {
      for (Crew::Member& worker : crew_.members()) check_steps(worker);
      next_look_ = now() + kLookSeconds;
    }
    for (const Crew::Member& worker : crew_.members()) answer(crew_.channel(worker).liveness);
    crew_.direct(told_to_stop_ || state_asked_);
    tell_progress();
    take_state();
  }
  output_.drain();
  death_.seconds = elapsed();
  if (again_) return std::nullopt;
  return death_;
}

void Watch::wait_a_little(const BellListener& bell) {
  std::vector<pollfd> waiting = {{output_.descriptor(), POLLIN, 0}};
  for (const Crew::Member& worker : crew_.members()) {
    if (worker.process_descriptor >= 0 && !worker.handed_in)
      waiting.push_back({worker.process_descriptor, POLLIN, 0});
  }
  const double patience = crew_.patience();
  const timespec time{0, static_cast<long>(patience * 1e9)};
  ppoll(waiting.data(), waiting.size(), &time, bell.mask());
  output_.drain();
}

// False where others go on. What the process group holds besides is ended with the first worker.
bool Watch::has_ended(const Crew::End& end) {
  death_.slot = end.slot;
  death_.status = end.status;
  death_.executions = crew_.executions();
  death_.steps = crew_.steps();
  const bool done = end.slot == 0 && channel().phase == Channel::Phase::reported;
  if (!done && !told_to_stop_ && goes_on_after(end)) {
    death_.cause = Death::Cause::own;
    // They are asked for again, from the worker that goes on.
    asked_.reset();
    state_asked_ = false;
    if (crew_.revive()) return false;
    again_ = true;
  }
  // Killed from outside while it was to stop: that says nothing of the program.
  const bool is_killed = WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL;
  if (!done && told_to_stop_ && is_killed && death_.cause == Death::Cause::own)
    death_.cause = Death::Cause::out_of_time;
  crew_.kill_all();
  return true;
}

bool Watch::goes_on_after(const Crew::End& end) {
  const bool is_own = death_.cause == Death::Cause::own;
  if (is_own && deaths_.try_again(memory_, end.slot, end.status)) return true;
  const bool is_bug = is_own || death_.cause == Death::Cause::hang;
  return is_bug && deaths_.make_known(memory_, death_);
}

void Watch::kill_as(Crew::Member& worker, Death::Cause cause) {
  death_.cause = cause;
  kill(worker.process, SIGKILL);
}

void Watch::check_end() {
  if (channel().phase != Channel::Phase::reported) return;
  if (!reported_) reported_ = now();
  if (now() - *reported_ > kReportedGraceSeconds) crew_.kill_all();
}

void Watch::check_time() {
  int interrupts = interrupt_count();
  if (is_reading()) reading_seconds_ = now() - begun_;
  bool over = settings_.time_seconds > 0 && elapsed() - reading_seconds_ > settings_.time_seconds;
  interrupted_ = interrupts > 0;
  if ((over || interrupted_) && !told_to_stop_) {
    told_to_stop_ = now();
    memory_.board().stop = 1;
  }
  if (told_to_stop_ && on_stop_) on_stop_();
  // A large state takes its time, but not while somebody has stopped the process that writes it.
  const auto& workers = crew_.members();
  const bool passes = std::any_of(workers.begin(), workers.end(), [&](const Crew::Member& worker) {
    return crew_.channel(worker).state_passes != 0 && !process_state(worker.process).stopped();
  });
  if (told_to_stop_ && passes && interrupts <= 1) told_to_stop_ = now();
  if (told_to_stop_ && !reported_ && !passes) interrupt_executions();
  const double grace = std::max(kStopGraceSeconds, kStopGracePart * settings_.time_seconds);
  bool impatient = interrupts > 1 && told_to_stop_ && now() - *told_to_stop_ > kOneInterruptSeconds;
  if (told_to_stop_ && !reported_ && (impatient || now() - *told_to_stop_ > grace)) {
    death_.cause = Death::Cause::out_of_time;
    crew_.kill_all();
  }
}

// Of workers that have been told to stop. The signal means nothing to one that runs no execution.
void Watch::interrupt_executions() {
  if (now() < std::max(*told_to_stop_ + kInterruptSeconds, next_interrupt_)) return;
  next_interrupt_ = now() + kInterruptSeconds;
  for (const Crew::Member& worker : crew_.members()) {
    const bool is_ready = crew_.channel(worker).phase != Channel::Phase::starting;
    if (is_ready && worker.process > 0 && !worker.handed_in) kill(worker.process, hang_signal());
  }
}

void Watch::check_steps(Crew::Member& worker) {
  if (reported_ || told_to_stop_ || worker.handed_in) return;
  const Channel& shared = crew_.channel(worker);
  std::uint64_t steps = shared.steps - shared.steps_left;
  ProcessState state = process_state(worker.process);
  // What the search computes between executions is not the program's time.
  const bool is_between = shared.phase == Channel::Phase::searching && shared.in_execution == 0;
  const bool is_engines = is_between || is_reading();
  if (steps != worker.steps || is_engines || state.stopped() || shared.state_passes != 0 ||
      shared.waits != 0) {
    worker.steps = steps;
    worker.moved = now();
    worker.cpu_when_moved = state.cpu_seconds;
    worker.hang_told = false;
    return;
  }
  double limit =
      hang_repeats_ > 0 ? std::min<double>(kHangRepeatSeconds, death_.hang_seconds) : death_.hang_seconds;
  double quiet = now() - worker.moved;
  if (quiet < limit) return;
  bool computes = state.cpu_seconds - worker.cpu_when_moved > limit / 4;
  if (computes && !worker.hang_told) {
    worker.hang_told = true;
    hang_repeats_ = hang_repeats_ > 0 ? hang_repeats_ - 1 : kHangRepeats;
    kill(worker.process, hang_signal());
  }
  if (quiet < death_.hang_seconds + kHangGraceSeconds) return;
  death_.call = waiting_call(worker.process);
  kill_as(worker, computes ? Death::Cause::hang : Death::Cause::waits);
}

// The workers are asked how far they are, and have a moment to answer, between two executions. What one does
// not answer it has told before: when it began to wait, or handed in its part.
void Watch::tell_progress() {
  if (!settings_.progress || now() < next_progress_) return;
  const bool searches = channel().phase == Channel::Phase::searching;
  if (searches && !asked_) {
    for (Crew::Member& worker : crew_.members()) crew_.channel(worker).asked.fetch_add(1);
    asked_ = now();
  }
  const auto has_answered = [&](const Crew::Member& worker) {
    const Channel& shared = crew_.channel(worker);
    return worker.handed_in || shared.waits != 0 || shared.answered == shared.asked;
  };
  const std::vector<Crew::Member>& workers = crew_.members();
  if (searches && !std::all_of(workers.begin(), workers.end(), has_answered) &&
      now() - *asked_ < kAnswerSeconds)
    return;
  next_progress_ = now() + kProgressSeconds;
  asked_.reset();
  WorkerProgress told{searches, crew_.executions(), elapsed(), std::nullopt};
  if (searches) told.search = progress_of_all();
  settings_.progress(told);
}

// Nothing where nobody has told yet. Shares that were just passed on may be counted twice, or not at all.
std::optional<Progress> Watch::progress_of_all() {
  std::optional<Progress> all;
  for (const Crew::Member& worker : crew_.members()) {
    const Channel& shared = crew_.channel(worker);
    if (shared.has_progress.load(std::memory_order_acquire) == 0) continue;
    const Progress one = progress_of(shared.progress);
    if (all)
      all->add(one);
    else
      all = one;
  }
  if (!all || !all->done) return all;
  double done = all->share > 0 ? std::min(*all->done / all->share, 1.0) : 0;
  if (told_done_ && told_level_ == all->level) done = std::max(done, *told_done_);
  told_level_ = all->level;
  all->done = told_done_ = done;
  return all;
}

// The worker is asked for its state, and gives it between two executions.
void Watch::take_state() {
  constexpr double kPart = 0.1;  // of the time, at most, that may go into writing
  Channel& shared = channel();
  if (settings_.state.file < 0 || shared.phase != Channel::Phase::searching) return;
  if (!state_asked_ && now() >= next_state_) {
    state_asked_ = true;
    shared.state_asked.fetch_add(1, std::memory_order_release);
  }
  if (!state_asked_ || shared.state_answered.load(std::memory_order_acquire) != shared.state_asked) return;
  const double begun = now();
  settings_.state.take(put_down_of(shared.state));
  state_asked_ = false;
  const double took = shared.state.seconds + now() - begun;
  next_state_ = now() + std::max(settings_.state.seconds, took / kPart);
}

void Watch::answer(Channel::Liveness& question) {
  const std::uint32_t asked = question.asked.load(std::memory_order_acquire);
  if (asked == question.answered.load(std::memory_order_relaxed)) return;
  const std::string path(question.module, strnlen(question.module, sizeof question.module));
  const LiveState live = liveness_.at(path, question.return_address);
  question.registers = live.registers;
  question.words = live.words;
  question.answered.store(asked, std::memory_order_release);
  wake_all(question.answered);
}

// Talks to a worker on a thread of its own, until the worker has ended. Signals are the main thread's.
class Leader {
 public:
  using IsOver = std::function<bool()>;

  explicit Leader(std::function<void(const IsOver&)> talk) : talk_(std::move(talk)) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] {
      talk_([this] { return is_over_.load(); });
      has_ended_ = true;
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  Leader(const Leader&) = delete;
  Leader& operator=(const Leader&) = delete;
  ~Leader() {
    tell_to_end();
    thread_.join();
  }

  void tell_to_end() { is_over_ = true; }
  bool has_ended() const { return has_ended_; }

 private:
  std::function<void(const IsOver&)> talk_;
  std::atomic<bool> is_over_ = false;
  std::atomic<bool> has_ended_ = false;
  std::thread thread_;
};

// Those of all workers that share a search whose strategy runs in this process.
class Leaders {
 public:
  Leaders(const OutsideStrategy& strategy, SharedMemory& memory) : memory_(memory), server_(strategy) {
    begin(0);
  }

  // A worker may talk in the slot from now on.
  void begin(std::uint32_t slot) {
    server_.open(slot);
    if (leaders_.contains(slot)) return;
    Channel& channel = memory_.channel(slot);
    leaders_.emplace(slot, std::make_unique<Leader>([this, slot, &channel](const Leader::IsOver& is_over) {
                       server_.serve(slot, channel, is_over);
                     }));
  }

  // All workers have ended.
  void end(WorkerOutcome& outcome) {
    for (const auto& [slot, leader] : leaders_) leader->tell_to_end();
    const auto has_ended = [](const auto& leader) { return leader.second->has_ended(); };
    while (!std::ranges::all_of(leaders_, has_ended)) {
      server_.interrupt_all();  // an interrupt may come before what it is to end
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    leaders_.clear();
    Strategy* first = server_.first();
    if (first == nullptr) return;
    outcome.decisions = first->reporting().decisions();
    for (std::size_t id = 0; id < server_.names().size(); ++id)
      outcome.decision_threads.push_back(server_.names().name(static_cast<ThreadId>(id)));
  }

  StrategyServer& server() { return server_; }

 private:
  SharedMemory& memory_;
  StrategyServer server_;
  std::map<std::uint32_t, std::unique_ptr<Leader>> leaders_;  // by slot
};

Launch launch_of(const WorkerSettings& settings, int channel, int output) {
  Launch what{settings.program, settings.arguments, channel, output};
  if (settings.interpreter.empty()) return what;
  what.program = settings.interpreter;
  what.arguments.insert(what.arguments.begin(), settings.program);
  return what;
}

// What became of a search that a death has ended, or nothing: it is to be begun again.
std::optional<WorkerOutcome> try_worker(const WorkerSettings& settings, const Job& job, ThreadNames& names,
                                        Deaths& deaths, SharedMemory::Seen& seen, double start,
                                        const BellListener& bell) {
  WorkerOutcome outcome;
  SharedMemory memory(job, names);
  OutputTail output(!settings.output_live);
  outcome.problem = memory.problem().empty() ? output.problem() : memory.problem();
  if (!outcome.problem.empty()) return outcome;

  deaths.tell(memory);
  if (settings.state.file >= 0) {
    memory.board().state_file = settings.state.file;
    memory.board().state_to_take_up = deaths.count() == 0 ? settings.state.size : settings.state.put_back();
  }
  if (settings.suite.file >= 0) {
    memory.board().suite_file = settings.suite.file;
    memory.board().suite_size = settings.suite.size;
  }
  Launched worker = launch(launch_of(settings, memory.descriptor(), output.writing_end()));
  output.close_writing_end();
  if (!worker.problem.empty()) {
    outcome.problem = worker.problem;
    return outcome;
  }
  Watch watch(settings, job, memory, worker, output, deaths, start);
  std::optional<Leader> leader;
  std::optional<Leaders> leaders;
  if (job.led) {
    leader.emplace([&](const Leader::IsOver& is_over) {
      RemoteProgram program(memory.channel(0), is_over);
      settings.lead(program);
    });
  } else if (settings.strategy) {
    leaders.emplace(settings.strategy, memory);
    watch.on_stop([&] { leaders->server().interrupt_all(); });
    watch.notify({.begins = [&](std::uint32_t slot) { leaders->begin(slot); },
                  .ends = [&](std::uint32_t slot) { leaders->server().drop(slot); }});
  }
  const std::optional<Death> death = watch.run(bell);
  leader.reset();
  if (leaders) leaders->end(outcome);
  kill(-worker.process, SIGKILL);
  kill_children();
  memory.add_seen(seen, names);
  if (!death) return std::nullopt;
  outcome.output = output.take();
  outcome.interrupted = watch.interrupted();
  outcome.reading_seconds = watch.reading_seconds();
  outcome.workers = watch.workers();
  outcome.suite = {memory.board().suite_recorded.load(std::memory_order_acquire), memory.board().suite_error};

  const Channel& shared = memory.channel(0);
  if (shared.has_last_state.load(std::memory_order_acquire) != 0)
    outcome.state = put_down_of(shared.last_state);
  std::optional<Report> report = memory.report(names);
  outcome.reported = report.has_value();
  if (report) {
    outcome.report = std::move(*report);
    outcome.problem = outcome.report.refused;
  } else {
    if (seen.level) outcome.report = std::move(*seen.level);
    compose_report(*death, memory, names, outcome);
  }
  add_seen_bugs(std::move(seen.bugs), outcome.report);
  return outcome;
}

}  // namespace

WorkerOutcome run_worker(const WorkerSettings& settings, const Job& job, ThreadNames& names) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  InterruptHandler handler;
  BellListener bell;
  Deaths deaths;
  SharedMemory::Seen seen;
  const double start = now();
  std::optional<WorkerOutcome> outcome;
  while (!outcome) outcome = try_worker(settings, job, names, deaths, seen, start, bell);
  outcome->killed = deaths.count();
  return std::move(*outcome);
}

}  // namespace thrum
