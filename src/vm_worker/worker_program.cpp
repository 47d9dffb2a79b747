// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm_worker/worker_program.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "protocol/search_channel.hpp"
#include "worker/trace_digest.hpp"

namespace thrum {

namespace {

constexpr int kExitInternalError = 4;

// What handlers of signals need. The machine is there as long as WorkerProgram is.
struct Watched {
  const VmWorld* world = nullptr;
  vm::Machine* machine = nullptr;
  bool time_is_up = false;
  bool has_timer = false;  // this process
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
  settings.leaks = job.leaks;
  settings.yields = job.yields;
  settings.program_memory = job.program_memory;
  settings.spurious = job.spurious;
  settings.heap_symmetry = job.heap_symmetry;
  settings.early_timeouts_ns = job.early_timeouts_ns;
  settings.seed = job.settings.seed;
  settings.steps = job.steps;
  settings.hang_seconds = job.hang_seconds;
  settings.arguments = std::move(arguments);
  settings.test = job.test;
  settings.part = job.part;
  return settings;
}

// Whether the machine is to check that it can undo, and at which share of the choices: THRUM_VM_UNDO_CHECK,
// for tests.
std::unique_ptr<vm::UndoCheck> undo_check_of(vm::Machine& machine) {
  const char* const every = std::getenv("THRUM_VM_UNDO_CHECK");
  if (every == nullptr || machine.ended_early()) return nullptr;
  return std::make_unique<vm::UndoCheck>(
      machine, static_cast<std::uint32_t>(std::strtoul(every, nullptr, 10)), machine.settings.seed);
}

[[noreturn]] void end_by_undo_check(const std::string& problem) {
  std::fprintf(stderr, "thrum: internal error: the machine cannot undo: %s\n", problem.c_str());
  std::fflush(stderr);
  _exit(kExitInternalError);
}

// What the check did, for who reads the worker's file THRUM_VM_UNDO_CHECK_COUNTS.
void tell_counts(const vm::UndoCheck& check) {
  const char* const file = std::getenv("THRUM_VM_UNDO_CHECK_COUNTS");
  if (file == nullptr) return;
  std::FILE* const out = std::fopen(file, "a");
  if (out == nullptr) return;
  std::fprintf(
      out, "%llu marks, %llu steps, %llu given up\n", static_cast<unsigned long long>(check.checks()),
      static_cast<unsigned long long>(check.steps()), static_cast<unsigned long long>(check.given_up()));
  std::fclose(out);
}

void begin_timer() {
  constexpr int kLookMicroseconds = 20'000;
  const timeval often{0, kLookMicroseconds};
  const itimerval timer{often, often};
  setitimer(ITIMER_REAL, &timer, nullptr);
  g_watched.has_timer = true;
}

// From now on the machine is watched.
void begin_watching(const VmWorld& world, vm::Machine& machine) {
  g_watched.world = &world;
  g_watched.machine = &machine;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) handle(signal, die);
  handle(SIGALRM, show_steps);
  handle(hang_signal(), end_execution);
  begin_timer();
}

}  // namespace

WorkerProgram::WorkerProgram(vm::Code& code, const VmWorld& world, ThreadNames& names,
                             std::vector<std::string> arguments)
    : world_(world),
      program_(code, settings_of(world.job(), std::move(arguments)), names, [&world](vm::Machine& machine) {
        begin_watching(world, machine);
        limit_steps(world.channel(), ~std::uint64_t{0} / 2);
        world.channel().phase.store(Channel::Phase::preamble, std::memory_order_release);
      }) {
  const vm::Machine& machine = program_.machine();
  undo_check_ = undo_check_of(program_.machine());
  if (!ended_early()) return;
  if (early_end().end == End::refused) note_refused(machine.refused);
  if (early_end().end == End::memory) {
    add_note({"program-memory", 1,
              "the program takes more than " + std::to_string(world.job().program_memory >> 20) +
                  " MiB of memory before it starts a thread (--program-memory)",
              true});
  }
}

WorkerProgram::~WorkerProgram() {
  if (undo_check_) tell_counts(*undo_check_);
  const itimerval none{};
  setitimer(ITIMER_REAL, &none, nullptr);
  g_watched.machine = nullptr;
}

// A copy has no timer of its own yet. Until it runs something, its channel may be another process's.
void WorkerProgram::begin_as_copy() { g_watched.has_timer = false; }

void WorkerProgram::announce(const Plan& plan) {
  fatal_ = find_fatal(world_.board(), plan, names());
  thrum::announce(world_.channel(), plan);
}

// Where no search here can begin again, the plan is run again with what was learned.
void WorkerProgram::run(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) {
  bool& restarts = program_.machine().restarts_search;
  const bool is_alone = world_.job().led || world_.job().replay;
  do {
    if (is_alone) restarts = false;
    run_once(plan, advisor, wanted, trace);
  } while (is_alone && restarts);
}

void WorkerProgram::run_once(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) {
  vm::Machine& machine = program_.machine();
  Channel& channel = world_.channel();
  if (g_watched.time_is_up) {
    trace.clear();
    trace.end = End::time;
    return;
  }
  if (!g_watched.has_timer) begin_timer();
  const bool digests = world_.job().digest_traces;
  if (digests) wanted.what |= Wanted::kEvents | Wanted::kPast;
  warnings_.begin(plan);
  machine.records_all = warnings_.wants_events();
  const std::uint64_t steps =
      std::exchange(machine.settings.steps, fatal_ != nullptr ? fatal_->steps : machine.settings.steps);
  limit_steps(channel, machine.settings.steps);
  channel.in_execution.store(1, std::memory_order_relaxed);
  std::string why;
  try {
    if (undo_check_) {
      undo_check_->execute(plan, advisor, wanted, trace);
    } else {
      program_.run(plan, advisor, wanted, trace);
    }
    why = machine.refused;
  } catch (const vm::Refused& refused) {
    trace.end = End::refused;
    why = refused.why;
  }
  if (undo_check_ && !undo_check_->problem().empty()) end_by_undo_check(undo_check_->problem());
  channel.in_execution.store(0, std::memory_order_relaxed);
  channel.steps_left.store(machine.steps_left, std::memory_order_relaxed);
  machine.settings.steps = steps;
  if (fatal_ != nullptr && trace.end == End::steps) {
    trace.end = End::bug;
    trace.failure = {fatal_->kind, fatal_->message, trace.last, 0, {}};
    trace.failure.is_fatal = true;
  }
  if (trace.end == End::refused) note_refused(why);
  note_unexplored();
  if (digests) add_to_digest(digest_, trace);
  if (warnings_.is_watching()) {
    for (const auto& [operation, where] : machine.blocked_at_exit) warnings_.note_blocked(operation, where);
  }
  if (!warnings_.wants_events()) return;
  warnings_.learn(trace);
  if (!machine.director.records_events() && !digests) trace.events.clear();
}

void WorkerProgram::note_unexplored() {
  if (std::optional<std::vector<Place>> stack = std::exchange(program_.machine().unexplored, std::nullopt)) {
    add_note({"races-not-explored", 1,
              "a racing access inside a call of a library, or the end of a thread, is no scheduling point",
              true, std::move(*stack)});
  }
}

void WorkerProgram::note_escape(const std::vector<Place>& stack) {
  add_note(
      {"addresses-matter", 1,
       "states that differ only in where blocks of the heap lie were told apart: the program uses an address "
       "as a number",
       false, stack});
}

void WorkerProgram::note_refused(const std::string& why) {
  add_note(
      {"uncontrolled-call", 1, "the machine cannot run " + why, true, program_.machine().running_stack()});
}

void WorkerProgram::add_note(const Note& note) {
  const auto known =
      std::find_if(notes_.begin(), notes_.end(), [&](const Note& other) { return other.text == note.text; });
  if (known == notes_.end()) {
    notes_.push_back(note);
  } else {
    known->count += note.count;
  }
}

}  // namespace thrum
