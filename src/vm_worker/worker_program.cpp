// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm_worker/worker_program.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

#include "protocol/search_channel.hpp"

namespace thrum {

namespace {

// What handlers of signals need. The machine is there as long as WorkerProgram is.
struct Watched {
  const VmWorld* world = nullptr;
  vm::Machine* machine = nullptr;
  bool time_is_up = false;
};
Watched g_watched;

// The supervisor sees by the steps that the program does not hang.
void show_steps(int) {
  if (g_watched.machine == nullptr) return;
  g_watched.world->channel().steps_left.store(g_watched.machine->steps_left, std::memory_order_relaxed);
}

void end_execution(int) {
  const bool is_time = g_watched.world->is_to_stop();
  if (is_time) g_watched.time_is_up = true;
  if (g_watched.machine == nullptr) return;
  g_watched.machine->told_to_end = is_time ? vm::ToldToEnd::by_time : vm::ToldToEnd::hangs;
}

// The machine has failed: what the program does ends in Machine::fail().
void die(int) {
  constexpr char kText[] = "thrum: internal error: the machine crashed\n";
  if (write(STDERR_FILENO, kText, sizeof kText - 1) < 0) {
    // Nothing is left to tell it to.
  }
  constexpr int kExitInternalError = 4;
  _exit(kExitInternalError);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

vm::MachineSettings settings_of(const Job& job, std::vector<std::string> arguments) {
  vm::MachineSettings settings;
  settings.reuses_blocks = job.heap == Heap::lifo;
  settings.judges_races = job.races != Races::ignore;
  settings.spurious = job.spurious;
  settings.early_timeouts_ns = job.early_timeouts_ns;
  settings.seed = job.settings.seed;
  settings.steps = job.steps;
  settings.hang_seconds = job.hang_seconds;
  settings.arguments = std::move(arguments);
  settings.test = job.test;
  return settings;
}

// While it lives, the machine is watched.
class Watching {
 public:
  Watching(const VmWorld& world, vm::Machine& machine) {
    g_watched.world = &world;
    g_watched.machine = &machine;
    constexpr int kLookMicroseconds = 20'000;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) handle(signal, die);
    handle(SIGALRM, show_steps);
    handle(hang_signal(), end_execution);
    const timeval often{0, kLookMicroseconds};
    const itimerval timer{often, often};
    setitimer(ITIMER_REAL, &timer, nullptr);
  }
};

}  // namespace

WorkerProgram::WorkerProgram(vm::Code& code, const VmWorld& world, ThreadNames& names,
                             std::vector<std::string> arguments)
    : world_(world),
      program_(code, settings_of(world.job(), std::move(arguments)), names, [&world](vm::Machine& machine) {
        Watching(world, machine);
        limit_steps(world.channel(), ~std::uint64_t{0} / 2);
        world.channel().phase.store(Channel::Phase::preamble, std::memory_order_release);
      }) {
  const vm::Machine& machine = program_.machine();
  if (ended_early() && early_end().end == End::refused) note_refused(machine.refused, early_end());
}

WorkerProgram::~WorkerProgram() {
  const itimerval none{};
  setitimer(ITIMER_REAL, &none, nullptr);
  g_watched.machine = nullptr;
}

void WorkerProgram::announce(const Plan& plan) {
  fatal_ = find_fatal(world_.board(), plan, names());
  thrum::announce(world_.channel(), plan);
}

void WorkerProgram::run(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) {
  vm::Machine& machine = program_.machine();
  Channel& channel = world_.channel();
  if (g_watched.time_is_up) {
    trace.clear();
    trace.end = End::time;
    return;
  }
  const std::uint64_t steps =
      std::exchange(machine.settings.steps, fatal_ != nullptr ? fatal_->steps : machine.settings.steps);
  limit_steps(channel, machine.settings.steps);
  channel.in_execution.store(1, std::memory_order_relaxed);
  std::string why;
  try {
    program_.run(plan, advisor, wanted, trace);
    why = machine.refused;
  } catch (const vm::Refused& refused) {
    trace.end = End::refused;
    why = refused.why;
  }
  channel.in_execution.store(0, std::memory_order_relaxed);
  channel.steps_left.store(machine.steps_left, std::memory_order_relaxed);
  machine.settings.steps = steps;
  if (fatal_ != nullptr && trace.end == End::steps) {
    trace.end = End::bug;
    trace.failure = {fatal_->kind, fatal_->message, trace.last, 0, {}};
    trace.failure.is_fatal = true;
  }
  if (trace.end == End::refused) note_refused(why, trace);
}

void WorkerProgram::note_refused(const std::string& why, const Trace& trace) {
  const std::string text = "the machine cannot run " + why;
  const auto known =
      std::find_if(notes_.begin(), notes_.end(), [&](const Note& note) { return note.text == text; });
  if (known != notes_.end()) {
    ++known->count;
    return;
  }
  static_cast<void>(trace);
  notes_.push_back({"uncontrolled-call", 1, text, true, program_.machine().running_stack()});
}

}  // namespace thrum
