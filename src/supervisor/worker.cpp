// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "supervisor/worker.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>

#include "supervisor/launch.hpp"
#include "supervisor/output_tail.hpp"
#include "supervisor/post_mortem.hpp"
#include "supervisor/process_state.hpp"
#include "supervisor/shared_channel.hpp"
#include "supervisor/signals.hpp"

namespace thrum {

namespace {

constexpr double kHangGraceSeconds = 3;  // for the worker to report it itself
// The worker runs the schedule of a hang twice again, to confirm it; that it hangs is known by then.
constexpr int kHangRepeats = 2;
constexpr double kHangRepeatSeconds = 2;
constexpr double kOneInterruptSeconds =
    1;  // two within this are one: some send it to the process and to its group
constexpr double kStopGraceSeconds = 5;      // for the worker to end its search when it is told to
constexpr double kReportedGraceSeconds = 2;  // for the worker to end when it has reported
constexpr double kProgressSeconds = 1;
constexpr double kAnswerSeconds = 0.5;  // for the worker to say how far it is
constexpr int kPollMilliseconds = 50;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What is in the channel may be anything.
Progress progress_of(const Channel::PassedProgress& passed) {
  constexpr std::uint64_t kUnknown = Channel::PassedProgress::kUnknown;
  Progress progress;
  progress.waiting = passed.waiting;
  if (passed.level <= UINT32_MAX) progress.level = static_cast<std::uint32_t>(passed.level);
  if (passed.classes != kUnknown) progress.classes = passed.classes;
  if (passed.done >= 0 && passed.done <= 1) progress.done = passed.done;
  return progress;
}

PutDown put_down_of(const Channel::PassedState& passed) {
  return {passed.offset,     passed.size,   passed.digest, static_cast<int>(passed.error),
          passed.executions, passed.seconds};
}

class Watch {
 public:
  Watch(const WorkerSettings& settings, std::uint32_t hang_seconds, SharedChannel& channel,
        const Launched& worker, OutputTail& output)
      : settings_(settings), channel_(channel), worker_(worker), output_(output) {
    death_.hang_seconds = hang_seconds;
  }

  // Returns when the worker has ended, of itself or not.
  Death run();
  bool interrupted() const { return interrupted_; }

 private:
  bool wait_a_little();
  void check_end();
  void check_time();
  void check_steps();
  void kill_as(Death::Cause cause);
  void tell_progress();
  void take_state();
  double elapsed() const { return now() - start_; }

  const WorkerSettings& settings_;
  SharedChannel& channel_;
  const Launched& worker_;
  OutputTail& output_;
  Death death_;
  bool interrupted_ = false;
  double start_ = now();
  std::optional<double> asked_;  // when the worker was asked how far it is
  double next_progress_ = start_ + kProgressSeconds;
  double next_state_ = start_ + settings_.state.seconds;
  bool state_asked_ = false;
  std::optional<double> told_to_stop_;
  std::optional<double> reported_;
  std::uint64_t steps_ = 0;
  double moved_ = start_;  // when steps_ last changed
  double cpu_when_moved_ = 0;
  bool hang_told_ = false;
  int hang_repeats_ = 0;  // hangs to come that are known
};

Death Watch::run() {
  while (wait_a_little()) {
    check_end();
    check_time();
    check_steps();
    tell_progress();
    take_state();
  }
  death_.seconds = elapsed();
  return death_;
}

// False when the worker has ended. Then its group, which still has its name, is ended with it.
bool Watch::wait_a_little() {
  std::array<pollfd, 2> waiting = {
      {{worker_.process_descriptor, POLLIN, 0}, {output_.descriptor(), POLLIN, 0}}};
  poll(waiting.data(), waiting.size(), kPollMilliseconds);
  output_.drain();
  siginfo_t info{};
  int result = waitid(P_PID, static_cast<id_t>(worker_.process), &info, WEXITED | WNOHANG | WNOWAIT);
  if (result == 0 && info.si_pid == 0) return true;
  kill(-worker_.process, SIGKILL);
  int status = 0;
  waitpid(worker_.process, &status, 0);
  death_.status = status;
  output_.drain();
  return false;
}

void Watch::kill_as(Death::Cause cause) {
  death_.cause = cause;
  kill(-worker_.process, SIGKILL);
}

void Watch::check_end() {
  if (channel_.channel().phase != Channel::Phase::reported) return;
  if (!reported_) reported_ = now();
  if (now() - *reported_ > kReportedGraceSeconds) kill(-worker_.process, SIGKILL);
}

void Watch::check_time() {
  int interrupts = interrupt_count();
  bool over = settings_.time_seconds > 0 && elapsed() > settings_.time_seconds;
  interrupted_ = interrupts > 0;
  if ((over || interrupted_) && !told_to_stop_) {
    told_to_stop_ = now();
    channel_.channel().stop = 1;
  }
  // A large state takes its time.
  if (told_to_stop_ && channel_.channel().state_passes != 0 && interrupts <= 1) told_to_stop_ = now();
  bool impatient = interrupts > 1 && told_to_stop_ && now() - *told_to_stop_ > kOneInterruptSeconds;
  if (told_to_stop_ && !reported_ && (impatient || now() - *told_to_stop_ > kStopGraceSeconds)) {
    kill_as(Death::Cause::out_of_time);
  }
}

void Watch::check_steps() {
  if (reported_ || told_to_stop_) return;
  std::uint64_t steps = channel_.channel().steps - channel_.channel().steps_left;
  ProcessState state = process_state(worker_.process);
  if (steps != steps_ || state.stopped() || channel_.channel().state_passes != 0) {
    steps_ = steps;
    moved_ = now();
    cpu_when_moved_ = state.cpu_seconds;
    hang_told_ = false;
    return;
  }
  double limit =
      hang_repeats_ > 0 ? std::min<double>(kHangRepeatSeconds, death_.hang_seconds) : death_.hang_seconds;
  double quiet = now() - moved_;
  if (quiet < limit) return;
  bool computes = state.cpu_seconds - cpu_when_moved_ > limit / 4;
  if (computes && !hang_told_) {
    hang_told_ = true;
    hang_repeats_ = hang_repeats_ > 0 ? hang_repeats_ - 1 : kHangRepeats;
    kill(worker_.process, hang_signal());
  }
  if (quiet < death_.hang_seconds + kHangGraceSeconds) return;
  death_.call = waiting_call(worker_.process);
  kill_as(computes ? Death::Cause::hang : Death::Cause::waits);
}

// The worker is asked how far it is, and has a moment to answer, between two executions.
void Watch::tell_progress() {
  if (!settings_.progress || now() < next_progress_) return;
  Channel& shared = channel_.channel();
  bool searches = shared.phase == Channel::Phase::searching;
  if (searches && !asked_) {
    shared.asked.fetch_add(1, std::memory_order_release);
    asked_ = now();
  }
  bool has_answer = searches && shared.answered.load(std::memory_order_acquire) == shared.asked;
  if (searches && !has_answer && now() - *asked_ < kAnswerSeconds) return;
  next_progress_ = now() + kProgressSeconds;
  asked_.reset();
  WorkerProgress told{searches, shared.executions, elapsed(), std::nullopt};
  if (has_answer) told.search = progress_of(shared.progress);
  settings_.progress(told);
}

// The worker is asked for its state, and gives it between two executions.
void Watch::take_state() {
  constexpr double kPart = 0.1;  // of the time, at most, that may go into writing
  Channel& shared = channel_.channel();
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

}  // namespace

WorkerOutcome run_worker(const WorkerSettings& settings, const Job& job, ThreadNames& names) {
  WorkerOutcome outcome;
  SharedChannel channel(job, names);
  OutputTail output(!settings.output_live);
  outcome.problem = channel.problem().empty() ? output.problem() : channel.problem();
  if (!outcome.problem.empty()) return outcome;

  if (settings.state.file >= 0) {
    channel.channel().state_file = settings.state.file;
    channel.channel().state_to_take_up = settings.state.size;
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  InterruptHandler handler;
  Launched worker =
      launch({settings.program, settings.arguments, channel.descriptor(), output.writing_end()});
  output.close_writing_end();
  if (!worker.problem.empty()) {
    outcome.problem = worker.problem;
    return outcome;
  }
  Watch watch(settings, job.hang_seconds, channel, worker, output);
  Death death = watch.run();
  if (worker.process_descriptor >= 0) close(worker.process_descriptor);
  kill_children();
  outcome.output = output.take();
  outcome.interrupted = watch.interrupted();

  const Channel& shared = channel.channel();
  if (shared.has_last_state.load(std::memory_order_acquire) != 0)
    outcome.state = put_down_of(shared.last_state);
  std::optional<Report> report = channel.report(names);
  outcome.reported = report.has_value();
  if (report) {
    outcome.report = std::move(*report);
    outcome.problem = outcome.report.refused;
  } else {
    compose_report(death, channel, names, outcome);
  }
  return outcome;
}

}  // namespace thrum
