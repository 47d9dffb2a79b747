// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Program no. 0: runs a toy program as a runtime runs a real one, led by a Director. It exists so that
// strategies can be tested without processes and compilers, and to show in the small what a runtime has to
// do.
//
// Atomics, locks, waits and so on are scheduling points. Creation, start, end and join of threads, plain data
// and what touches registers only are not: they run at once, as part of the step that enabled them, the
// thread that has just been created or released from a join first. A failed assertion or a misused mutex
// stops the execution.
//
// Thread safety: none.
#pragma once

#include <set>
#include <span>
#include <string>

#include "execution/director.hpp"
#include "execution/program.hpp"
#include "oracle/local_path.hpp"
#include "oracle/race_trace.hpp"
#include "oracle/toy_code.hpp"
#include "oracle/toy_terms.hpp"

namespace thrum {

class ToyProgram final : public Program, private Pending {
 public:
  // REQUIRES: is_valid(code)
  explicit ToyProgram(ToyCode code) : code_(std::move(code)) {}

  void run(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) override;
  ThreadNames& names() override { return names_; }
  Wanted::Set can_record() const override { return Program::can_record() | ToyRecorder::kCanRecord; }

  // What the terms of its traces are; the same for all its executions. Terms belong to kEvents from the
  // start.
  Terms& terms() { return recorder_.terms(); }
  const SymbolNames& symbols() const { return recorder_.symbols(); }

  // Of the last execution: what it did, as text that names it among all executions of the program and is
  // written down at the events, not at the choices. An event is its thread's digit, behind it '!' where it is
  // a timeout and '~' where it is a spurious wake-up, '>' and the thread woken by a signal, '=' and the value
  // chosen.
  const std::string& schedule() const { return schedule_; }
  FinalState final_state() const;

  // From now on each execution adds there the local states of its threads, in each state between two steps.
  // nullptr: no more.
  void record_local_states(std::set<std::string>* states) { local_states_ = states; }

  // From now on each execution adds there the local paths of its threads, in the same states;
  // path() needs it. nullptr: no more.
  void record_local_paths(std::set<std::string>* paths, std::set<std::string>* with_values) {
    local_paths_ = paths;
    local_paths_with_values_ = with_values;
  }

  // Its thread of that number in the last execution; kNoThread: it was not created.
  ThreadId thread_id(std::size_t number) const { return threads_[number].id; }

  // The local paths of all threads at the end of the last execution. REQUIRES: local paths were recorded.
  std::string path(PathForm form) const;

  // From now on each plan is begun, broken off after some steps, and begun again, as a runtime does that
  // learns something about the program in the middle of an execution.
  void begin_again() { begins_again_ = true; }

  // From now on each execution writes down there what a race detector must know of it. nullptr: no more.
  void record_races(RaceTrace* steps) { race_trace_ = steps; }

 private:
  struct Thread {
    ThreadId id = kNoThread;
    int creator = 0;
    std::uint32_t children = 0;
    std::size_t at = 0;
    std::size_t chosen_at = kToyOver;  // where an index was last recorded
    bool ended = false;
    bool asleep = false;  // in a wait, not woken yet
    bool woken = false;   // in a wait, signalled or timed out
    bool timed_out = false;
    std::uint32_t events = 0;
    std::optional<std::uint64_t> spurious;  // events of the others when it last woke up for no reason
    std::uint32_t woken_by = 0;             // Event::woken_by
    std::uint64_t queued = 0;               // when it fell asleep: waiters stand in that order
    std::uint32_t reads = 0;                // since its last event
    std::uint32_t inputs = 0;
    std::array<ToyValue, kToyRegisters> registers{};
    LocalPath path;

    bool lives() const { return id != kNoThread && !ended; }
  };

  void run_steps(std::uint64_t steps, const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace);
  void reset();
  const Instruction* pending_of(const Thread& thread) const;  // nullptr: at its end
  bool enabled(const Thread& thread) const;
  bool expires(const Thread& thread, bool earliest_only) const;
  bool wakes_spuriously(const Thread& thread) const;
  std::uint64_t events_of_others(const Thread& thread) const;
  void start(int number, int creator);
  void settle(int number);
  void choose_index(int number, const Instruction& instruction);
  bool run_hidden(int number, const Instruction& instruction);
  int pick(Via& via);
  void collect_options(ChoicePoint& point);
  void report_deadlock();
  void step(int number, Via via);
  void perform(int number, const Instruction& instruction, Event& event);
  void perform_memory(int number, const Instruction& instruction, Event& event);
  void wait(int number, const Instruction& instruction, Event& event);
  void wake(const Instruction& instruction, Event& event, int number);
  void unlock(int number, int mutex);
  void fail(BugKind kind, const char* message, int number);
  ToyValue value(const Thread& thread, std::uint8_t operand) const;
  ToyValue read(int number, int value);
  ToyValue take_input(Thread& thread, std::uint32_t bits);
  int decide(int number, std::size_t at, TermKind kind, const ToyValue& a, const ToyValue& b,
             ToyRecorder::Which of = ToyRecorder::Which::next_event);
  void compute(int number, const Instruction& instruction);
  void do_plain(int number, const Instruction& instruction);
  void note_pending();
  void note_local_states();
  void note_local_paths();
  bool records_paths() const { return local_paths_ || local_paths_with_values_; }
  std::string local_path(int number, PathForm form) const;
  void note_outcome(Thread& thread, std::size_t at, int outcome);
  void note_value(Thread& thread, int value);
  void note(int number, Operation operation, ThreadId other);
  void perform_section(int number, const Instruction& instruction);
  void note_in_section(int number, bool writes, int variable, const ToyValue& value = {});
  void tell(int number, RaceStep::What what, std::uint64_t address = 0, std::uint32_t size = 0,
            Order order = Order::seq_cst);
  std::span<const PendingOperation> pending() override;
  ThreadId creator(ThreadId thread) const override { return names_.ancestry(thread).parent; }
  std::uint64_t place(ThreadId thread) const override;

  ToyCode code_;
  ThreadNames names_;
  Director director_;
  Trace* trace_ = nullptr;
  ToyRecorder recorder_;
  std::span<const InputValue> inputs_;  // the plan's
  bool begins_again_ = false;
  std::uint64_t attempts_ = 0;
  bool stopped_ = false;
  int failed_ = -1;  // the thread that failed
  int running_ = 0;
  std::uint64_t clock_ = 0;  // only orders those who fall asleep
  std::array<Thread, kToyThreads> threads_;
  std::vector<int> order_;  // the threads created so far, in order of their names
  FinalState::Objects shared_{};
  FinalState::Objects plain_{};
  FinalState::Objects holder_{};
  FinalState::Objects semaphores_{};
  std::vector<Option> options_;
  std::vector<int> option_threads_;
  std::vector<PendingOperation> pending_;
  std::string schedule_;
  RaceTrace* race_trace_ = nullptr;
  std::set<std::string>* local_states_ = nullptr;
  std::set<std::string>* local_paths_ = nullptr;
  std::set<std::string>* local_paths_with_values_ = nullptr;
};

// The number of an object in events. Variables are one byte each; the others are synchronization objects.
constexpr std::uint64_t toy_object(char letter, int number) {
  return static_cast<std::uint64_t>(letter) * 16 + static_cast<std::uint64_t>(number);
}

// Where the object lies in the memory of a race trace: variables of two bytes, so that they share an aligned
// eight of them; plain data of four, so that two of them may lie across its border; the others of one byte.
constexpr std::uint64_t toy_address(char letter, int number) {
  auto i = static_cast<std::uint64_t>(number);
  switch (letter) {
    case 'x': return 0x1000 + 2 * i;
    case 'p': return 0x1010 + 4 * i;
    case 'm': return 0x1020 + i;
    default: return 0x1024 + i;  // s
  }
}

}  // namespace thrum
