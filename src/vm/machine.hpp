// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine: a program's code, its memory and its threads, and how one execution goes. run() interprets a
// thread's instructions up to its next visible operation; points.cpp says which thread runs then.
//
// All that belongs to the program's state lies in its memory (memory.hpp), so that the undo log covers it:
// Course, Thread, Frame, the heap's books. What stands in this class belongs to the execution that is led:
// the director, the trace, the race detector.
//
// Thread safety: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "execution/director.hpp"
#include "model/bug.hpp"
#include "model/program_names.hpp"
#include "model/thread_names.hpp"
#include "model/trace.hpp"
#include "races/footprints.hpp"
#include "races/known_races.hpp"
#include "races/race_detector.hpp"
#include "stateful/state_program.hpp"
#include "support/bytes.hpp"
#include "vm/choice_watch.hpp"
#include "vm/code.hpp"
#include "vm/heap.hpp"
#include "vm/idle_rounds.hpp"
#include "vm/inputs.hpp"
#include "vm/leaks.hpp"
#include "vm/livelocks.hpp"
#include "vm/memory.hpp"
#include "vm/shared_words.hpp"
#include "vm/signals.hpp"
#include "vm/spins.hpp"
#include "vm/tests.hpp"
#include "vm/thread.hpp"
#include "vm/timers.hpp"

namespace thrum::vm {

inline constexpr std::uint64_t kNoDeadline = ~std::uint64_t{0};

class Machine;
enum class Stop : std::uint8_t;

// A loop that interprets a thread's instructions. handlers not nullptr: nothing runs, and the handlers of its
// operations are put there (Instruction::handler), by opcode.
using Loop = Stop (*)(Machine* machine, Thread* thread, std::uint32_t* handlers);
// The one for concrete values.
Stop run_concrete(Machine* machine, Thread* thread, std::uint32_t* handlers);

struct MachineSettings {
  Loop loop = run_concrete;
  bool reuses_blocks = true;   // of the heap: as the native engine's heap `lifo`
  bool judges_races = true;    // and looks for accesses to memory that is not in use by other threads
  bool leaks = false;          // lost blocks of the heap are a bug in any case
  bool spurious = false;       // condition waits may end without a reason
  bool visits_states = false;  // for a stateful search (states.hpp)
  bool heap_symmetry = true;   // states that differ only in where blocks lie are one
  std::uint64_t early_timeouts_ns = 10'000'000'000;  // longer waits time out only if nothing else can go on
  std::uint64_t seed = 0;                            // of random numbers that the program requests
  std::uint64_t steps = 1'000'000;                   // instrumented operations of one execution
  std::uint64_t program_memory = ~std::uint64_t{0};  // bytes that it may have
  std::uint64_t instructions = 1'000'000'000;        // of a thread without an operation
  std::uint32_t yields = 0;                          // of a thread at one place in one execution; 0: no bound
  std::uint32_t hang_seconds = 10;                   // after which it may be told that it hangs
  std::vector<std::string> arguments;                // of main, its name first
  std::string test;                                  // the one that is to run; empty: none is asked for
  std::uint32_t part = 0;                            // of it, counted from 0
};

// What of the program's state belongs to no thread.
struct Course {
  static constexpr std::uint32_t kExitHandlers = 4096;

  std::uint16_t created = 0;
  std::uint16_t slots_used = 0;
  std::uint16_t live_count = 0;
  std::uint16_t current = 0;  // slot: the thread whose code runs
  std::uint16_t last = 0;     // slot: the thread that did the last event
  std::uint16_t unsettled_count = 0;
  std::uint32_t startup = 0;  // constructors that have begun; one more: main has
  std::uint32_t points = 0;
  std::uint32_t keys = 0;       // thread-specific keys that were ever made
  std::uint32_t destroyed = 0;  // of Code::destructors
  std::uint32_t exit_handlers = 0;
  std::uint32_t quick_handlers = 0;
  std::int32_t exit_status = 0;  // while exit handlers run
  std::uint64_t wait_order = 0;
  std::uint64_t now_ns = 0;
  std::uint64_t steps = 0;
  std::uint64_t events_of_former = 0;  // of threads whose slots others have now
  std::uint64_t output = 0;            // bytes of Machine::output that count
  std::uint64_t clock_jump_ns = 0;     // how far the clock last jumped for waiting loops
  std::uint8_t input_stage = 0;        // of the choice of a vector of inputs
  std::uint16_t input_vector = 0;
  std::uint16_t invariants = 0;    // that hold now
  bool in_test = false;            // the test that was asked for has begun
  bool passes_over = false;        // a part of it that is not the one that was asked for
  std::uint32_t tests_called = 0;  // calls of thrum::check()
  std::uint32_t leak_requests = 0;
  std::uint64_t live_before_part = 0;  // blocks that were in use when the part of the test began
  std::uint32_t yield_places = 0;      // where threads have yielded, if that is bounded
};

enum class Next : std::uint8_t;

// Why run() returns.
enum class Stop : std::uint8_t {
  arrived,  // the thread stands before a visible operation, or waits for another thread's end
  started,  // it has created a thread, which runs next
  ended,    // it is over
  begins,   // the call at which it stands begins the search
  over,     // the execution is over
  checked,  // an invariant was evaluated
};

// How the process ends: after the destructors, or by _exit() and the like, when nobody looks at what is left.
enum class Exit : std::uint8_t { in_order, at_once };

// Why an execution is to end: it was told so from outside.
enum class ToldToEnd : std::uint8_t { no, by_time, hangs };

struct Call;
class HeapSymmetry;
class StateKeys;
class UndoCheck;
class VmStates;

class Machine : public Pending {
 public:
  Machine(Code& code, const MachineSettings& settings, ThreadNames& names);

  // Runs the constructors and main up to the first choice, creation of a thread or end. Then executions can
  // begin.
  void prepare();
  // Whether main ended before: then there is one execution, whose end this is.
  bool ended_early() const { return !is_prepared_; }
  void execute(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace);

  // A moment before a choice of an execution (below).
  struct Moment;
  Moment mark();
  // Returns to it, any number of times, until the execution returns to an earlier one. Trace and director are
  // the execution's, not the program's: they stay as they are. false: the race detector has recorded too
  // little to return.
  bool undo(const Moment& moment);

  // exit(): runs the next of what is to run at the end of the process, in a frame of the thread; false: none
  // is left.
  bool run_exit_handler(Thread& thread, Then then);
  // The end of the process, which is an event: in two phases.
  Next leave_process(Thread& thread, int status, Exit how);
  bool is_last(const Thread& thread) const;
  // What a thread does at its end, one by one: destructors of thread-local objects, and of specific data.
  bool run_thread_destructor(Thread& thread, Then then);

  // For the operations and the loop.
  Code& code;
  MachineSettings settings;
  ThreadNames& names;
  Memory memory;
  Heap heap{memory, true};
  Signals signals{memory};
  Timers timers{*this};
  RaceDetector& races;  // the one of this process: its tables are never given back
  Director director;
  Trace* trace = nullptr;
  bool in_execution = false;  // behind the first choice
  bool over = false;          // the execution has ended
  const Plan* running_plan = nullptr;
  Inputs inputs;
  Tests tests;
  LeakSearch leaks{*this};
  ChoiceWatch* choice_watch = nullptr;  // nullptr: the director alone is told of choices
  std::uint16_t started = 0;            // slot of the thread that was created last
  std::uint64_t steps_left = 0;
  bool judges = false;  // accesses go to the race detector
  bool records_footprints = false;
  bool records_all = false;  // events, from the beginning, whatever the director wants of them
  KnownRaces known_races;
  SharedWords shared_words;
  HeapSymmetry* symmetry = nullptr;  // of the states that are visited
  bool keeps_order = false;          // Thread::id_in_order is kept, where states are visited
  bool clock_counts = false;         // the program has read the clock, or named a moment of it
  // Where a racing access was passed over that is no scheduling point; who runs executions takes it away.
  std::optional<std::vector<Place>> unexplored;
  // Whether the free of a block of that size is a visible operation.
  bool promotes_free(const Thread& thread, std::uint64_t block, std::uint64_t size) {
    if (settings.visits_states)
      return size != 0 && shared_words.note(thread.slot, block, size, SharedWords::Access::plain_write);
    return attentive_ && judges && known_races.promotes(program_code_of(thread), block, size);
  }
  StateStep cycle_traits;  // since who visits states has reset it
  std::string output;      // what the program has written

  static Course& course() { return at<Course>(kMachine + (std::uint64_t{1} << 32)); }
  static Thread& thread(std::uint32_t slot) { return at<Thread>(kThreadRecords + slot * kThreadRecordSize); }
  static Thread& current() { return thread(course().current); }
  static std::span<std::uint16_t> live() {
    return {&at<std::uint16_t>(kMachine + (std::uint64_t{2} << 32)), course().live_count};
  }
  static std::span<std::uint16_t> unsettled() {
    return {&at<std::uint16_t>(kMachine + (std::uint64_t{3} << 32)), course().unsettled_count};
  }
  // Before these are changed, their words go into the log, once for each mark.
  Course& change_course();
  Thread& change(Thread& thread);

  // Frames.
  void push(Thread& thread, Function& function, std::initializer_list<std::uint64_t> arguments, Then then);
  void enter(Thread& thread, Function& function, const CallSite& site, const std::uint64_t* from,
             std::uint64_t stack_pointer);
  // A frame that the machine made has returned: the call that it was made for goes on.
  static void leave_called(Thread& thread, const Frame& frame) {
    thread.phase = frame.phase;
    thread.in_call = frame.then == Then::call;
    std::copy(std::begin(frame.kept), std::end(frame.kept), thread.kept);
  }
  // The frame is about to change, for the first time since the mark: it goes into the log.
  void save_frame(Thread& thread, Frame& frame);
  // The thread is about to leave all its frames by its own wish: its end happens where it stands.
  void note_exit(const Thread& thread);
  // All frames are left: the thread ends.
  Next leave_all_frames(Thread& thread);
  // Frames above are left, as by an exception.
  void leave_frames(Thread& thread, Frame& to);
  Function* function_at_address(std::uint64_t address) const;
  void decode(Function& function);

  // The end of the execution.
  Stop finish(End how);
  Stop fail(BugKind kind, std::string message);
  Stop fail(Failure failure);
  void fail_freed_twice(std::uint64_t block);
  Stop fail_access(std::uint64_t address, std::uint64_t size, bool writes);
  Stop fail_misuse(std::string what) { return fail(BugKind::lock_misuse, std::move(what)); }

  // Accesses by the machine for the program.
  static bool can_read(std::uint64_t address, std::uint64_t size) {
    if (size == 0) return true;
    return in_arena(address, size) && Memory::first_unfit(address, size, kAddressable) == address + size;
  }
  static bool can_write(std::uint64_t address, std::uint64_t size) {
    if (size == 0) return true;
    return in_arena(address, size) &&
           Memory::first_unfit(address, size, kAddressable, kReadOnly) == address + size;
  }
  // The same. False: they are wrong, and the execution has failed; or the program handles that fault, and the
  // call at which the thread is begins again behind the handler.
  bool may_read(std::uint64_t address, std::uint64_t size);
  bool may_write(std::uint64_t address, std::uint64_t size);
  // A write by the machine for the program: memory that was addressable becomes defined.
  void write(std::uint64_t address, const void* from, std::uint64_t size);
  template <typename T>
  void write(std::uint64_t address, T value) {
    write(address, &value, sizeof value);
  }
  // An instrumented access; false: it failed, the limit of steps is reached, or the thread stands before it
  // as before a visible operation, and comes back to the same instruction. ordinal: counts the accesses of an
  // instruction that has several; 0: it has one.
  bool access(AccessKind kind, std::uint64_t address, std::uint64_t size, const Instruction* where,
              std::uint32_t ordinal = 0);
  // Why access() said no.
  Stop stopped() const { return over ? Stop::over : Stop::arrived; }
  bool read_for_program(std::uint64_t address, std::uint64_t size);
  bool write_for_program(std::uint64_t address, std::uint64_t size);

  // Visible operations (points.cpp, operations in sync_*.cpp).
  // The execution has done the steps that it was given.
  void end_of_steps();
  // The running thread stands before one. False: it need not wait for its turn.
  bool arrive(Operation operation, std::uint64_t object, std::uint32_t size, Wait wait = Wait::nothing);
  bool arrive_until(Operation operation, std::uint64_t object, Wait wait, std::uint64_t deadline_ns);
  // It has done the operation that it stood before.
  void done(bool changes, std::uint64_t value = 0, std::uint64_t operand = 0,
            Outcome outcome = Outcome::done);
  void done_by_timeout();
  void advance_clock(std::uint64_t to_ns);
  // The running thread yields. False: once too often at this place, so the execution ends.
  bool count_yield();
  // The thread has changed something, or has made a choice: it is in no waiting loop.
  void note_change(const Thread& thread) {
    spins_.note_change(thread);
    if (idle_rounds_.is_noting()) idle_rounds_.note_opaque(thread);
  }
  // It has read plain memory, and nobody tells spins that this was written. Idle rounds know the values.
  void note_unwatched_read(const Thread& thread) { spins_.note_change(thread); }
  // A block was allocated or freed.
  void note_heap_change() { spins_.note_change(current()); }
  // Somebody has written these bytes, or something else that has a number of its own.
  void note_written(std::uint64_t object, std::uint32_t size) {
    spins_.note_write(object, size);
    if (idle_rounds_.is_noting()) idle_rounds_.note_change_of(object);
  }
  void note_in_trace(Operation operation, const Thread& other);
  // Races on these bytes are meant.
  void allow_races(std::uint64_t address, std::uint64_t size);
  static constexpr std::uint64_t kLeftOut = std::uint64_t{1} << 63;
  static std::uint64_t marked_code(const Thread& thread, AccessKind kind, std::uint64_t code_number);
  // An atomic section of the thread has ended.
  void end_section() { footprints_.begin(); }
  // The heap block is about to be freed. Whether that races with none; else the execution has failed.
  // is_operation: the free is a visible operation.
  bool judge_free(const Thread& thread, std::uint64_t block, std::uint64_t size, bool is_operation = false);
  // The same of a lock or the like that begins at a place: nobody may use the old one there without order.
  bool judge_new_object(const Thread& thread, std::uint64_t object);
  // Whether the access races with none; else the execution has failed.
  bool judge(AccessKind kind, std::uint64_t address, std::uint64_t size, std::uint64_t code_number,
             bool is_operation = false);
  // What is wrong with the lock that the thread waits for: it holds it itself; nullptr: nothing.
  const char* self_lock(const Thread& thread) const;
  std::uint32_t wake(std::uint64_t object, Operation sleeping, std::uint32_t most);
  std::uint16_t choose(ChoiceKind kind);
  std::uint16_t choose_value(std::uint16_t count);
  bool is_enabled(const Thread& thread) const;
  // Whether it waits for so long that only the end of everything else would let it time out.
  bool is_endless(const Thread& thread) const;
  // Something has changed that is no part of the state: what repeats all the same is no livelock.
  void note_hidden_change() {
    livelocks_.note_hidden_change();
    cycle_traits.is_hidden = true;
  }
  // That threads go round for ever, and where each of them stands.
  Failure livelock() const;
  Thread* create(std::uint64_t body, std::uint64_t argument);
  // The thread's function has returned. Stop::arrived is never returned; nothing: it goes on, with a function
  // that runs at its end.
  std::optional<Stop> end_thread();
  Next call_external(Thread& thread);
  Thread* find_thread(std::uint64_t handle);

  // Adds a thread without code; nullptr: the execution is over.
  Thread* add_thread();
  void set_deadline(Thread& thread, std::uint64_t deadline_ns);
  // The running thread's round has read the clock.
  void note_clock_read(Thread& thread);

  // Signals and cancellation (signal_delivery.cpp).
  // Makes a signal pending, for a thread or (nullptr) for the process. False: the execution is over.
  bool send_signal(const Thread* target, const SentSignal& signal, std::uint64_t code_address);
  // Whether it would end the process, or stop it.
  bool is_fatal(int signal, const Thread* target) const;
  bool takes_alone(const Thread& thread, int signal) const;
  SentSignal accept_signal(const Thread& thread, std::uint64_t set);
  // The running thread handles the next signal inside its call. REQUIRES: one is deliverable.
  Next handle_signal(Thread& thread);
  // The running thread, which is cancelled, begins to unwind.
  Next act_on_cancel(Thread& thread, std::uint64_t code_address);
  // A frame of the machine's own that is not of a call has returned. Nothing: the thread goes on.
  std::optional<Stop> go_on_behind(Thread& thread, const Frame& left);
  bool is_calling(const Thread& thread, const Frame* frame) const;
  // A fault of the running thread's own code: a crash, or a signal that the program handles.
  Stop fault(int signal, std::uint64_t address, const char* message);
  // An access of the code: the same, or another bug.
  Stop fault_access(std::uint64_t address, std::uint64_t size, bool writes);
  // The same of a function that the machine does itself.
  void fault_in_call(std::uint64_t address, std::uint64_t size, bool writes);

  // The atomic operation at the thread's next instruction.
  void arrive_at_atomic(Thread& thread, const AtomicSite& site, const std::uint64_t* registers);
  bool perform_atomic(Thread& thread, const AtomicSite& site, std::uint64_t* registers);
  // An atomic operation of a library, which is no event. What counts how often a block is used makes its free
  // later than its uses.
  void note_quiet_update(const Thread& thread, std::uint64_t address, std::uint64_t value, std::uint8_t size);
  std::uint64_t code_of(const Instruction* instruction) const;
  std::uint64_t code_of(const Thread& thread) const;
  // The same of the innermost function that is the program's own.
  std::uint64_t program_code_of(const Thread& thread) const;

  // The execution has ended; else how many jumps back and calls follow before it is asked again. begins: the
  // thread has done something else before.
  static constexpr std::uint64_t kEndOfPatience = 0;
  std::uint64_t patience(bool begins);
  // The same behind a call of a function of the machine: only an instrumented operation gives new patience.
  // left: how many were left before.
  std::uint64_t patience_behind_call(std::uint64_t left);
  Stop end_of_patience();

  // How threads wait, as plans of this search should have it.
  Waiting waiting() const { return idle_rounds_.waiting(); }

  // Whether events are recorded: not of the rounds that threads run alone at the end.
  bool records_events() const {
    return (director.records_events() || records_all) && !trial_.has_begun && !course().passes_over;
  }
  // Parts of a test that are passed over run without choices, and are judged by other searches.
  void pass_over();
  void begin_part();

  // Places (places.cpp). Lasting names of addresses; all that were asked for have their names in
  // program_names().
  Place place_of(std::uint64_t address);
  // The same. Of a block of the heap, or a variable of a function that runs, the trace tells more.
  Place described_place(std::uint64_t address);
  // Return addresses, innermost first.
  std::vector<Place> stack_of(const Thread& thread);
  std::vector<Place> running_stack() { return stack_of(current()); }
  void note_allocation(std::uint64_t block, std::uint64_t size);
  // Where the block was allocated, if that was noted; return addresses, innermost first.
  std::vector<Place> allocation_stack(ThreadId thread, std::uint32_t number);
  // Addresses that the machine holds for the program, or for one of its threads.
  static void add_held(std::vector<std::uint64_t>& addresses);
  static void add_held_semaphores(std::vector<std::uint64_t>& addresses);
  static void add_held_for(const Thread& thread, std::vector<std::uint64_t>& addresses);
  ProgramNames program_names();
  // How many atomic operations were seen that ask for less than sequential consistency.
  std::size_t weaker_atomics() const { return weaker_atomics_.size(); }
  // What executions have shown of the program, which no mark brings back: for a process that goes on with the
  // search, or with another part of it, and adds that to its own.
  void write_learned(ByteWriter& out) const;
  void add_learned(ByteReader& in);

  // Set at any moment, also by a handler of a signal.
  volatile ToldToEnd told_to_end = ToldToEnd::no;

  bool restarts_search = false;    // something was learned of the program
  bool passed_over_races = false;  // that the program declares to be meant
  std::vector<Option> options;     // of the present choice
  std::string refused;             // why an execution ended as refused
  // When the process ended: operations and code of threads that nobody was left to wake.
  std::vector<std::pair<Operation, std::uint64_t>> blocked_at_exit;

 private:
  friend class UndoCheck;
  friend class StateKeys;
  friend class VmStates;
  static constexpr std::uint64_t kThreadRecords = kMachine + (std::uint64_t{4} << 32);
  static constexpr std::uint64_t kThreadRecordSize = 1024;
  static_assert(sizeof(Thread) <= kThreadRecordSize);

  // Waiting loops (waiting.cpp).
  void wait_in_loop(Thread& thread);
  bool comes_back(Thread& thread, bool& by_idle_round);
  bool comes_back_in_trial(Thread& thread);
  void look_for_livelock(const Thread& thread);
  bool waits_at_plain_read(Thread& thread, std::uint64_t address, std::uint64_t size,
                           const Instruction* where);
  bool comes_by_idle_round(Thread& thread);
  bool is_released(const Thread& thread) const;
  bool loops_interfere() const;
  // Whether the thread, which waits in a loop, can begin a round as far as the lock goes that it takes then.
  static bool can_take(const Thread& thread) {
    return is_attempt(thread.operation) || is_free(thread.needs, thread.object);
  }
  void note_read(const Thread& thread, std::uint64_t value);
  void note_for_idle_rounds(const Thread& thread, bool changes, std::uint64_t value, Outcome outcome);
  void note_watches(const Thread& thread);
  Thread* next_trial();
  Thread* go_on_in_trial();
  Thread* release_waiting();
  bool advance_for_spinners();
  Next handle_signal(Thread& thread, Handling& back, std::uint64_t code_address);
  Next run_handler(Thread& thread, const SentSignal& signal, Handling& back, std::uint64_t code_address);
  Next interrupt(Thread& thread, bool before_wait);
  Next end_by_signal(int signal, std::uint64_t code_address);
  static bool ends_by_signal(const Thread& waiting);
  static bool is_signalled(const Thread& thread) {
    return Signals::any_pending() && Signals::deliverable(thread) != 0;
  }
  bool goes_back(Thread& thread, const Handling& back);
  void leave_alternate(Thread& thread, const Handling& back);
  std::uint64_t leave_handlers(Thread& thread, const Frame* to);
  bool has_handler_for_fault(int signal) const;
  bool handle_fault(Thread& thread);
  std::optional<Stop> await_handlers(Thread& thread);
  bool let(Thread& thread);
  void collect_late_runs();
  bool have_only_timers() const;
  Stop fail_invariant(const Thread& checker);
  bool refuse_in_invariant(const char* does);
  bool access_in_invariant(bool writes, std::uint64_t address);
  bool may_call_in_invariant(const Function& function);
  bool check_invariant(Thread& checker);
  bool check_invariants();
  std::optional<Stop> go_on_checking(Thread& checker);
  static bool is_checking(const Thread& thread);
  struct AtomicStep;
  bool report(const AtomicStep& step, bool changes, std::uint64_t value, std::uint64_t operand,
              Outcome outcome, int order);
  bool passes(const AtomicStep& step, bool found);
  bool judge_volatile(const AtomicStep& step, AccessKind kind);
  bool load(const AtomicStep& step);
  bool store(const AtomicStep& step);
  bool judge_update(const AtomicStep& step, bool changes);
  bool compare_exchange(const AtomicStep& step);
  bool update(const AtomicStep& step);
  AccessKind kind_of_atomic(const Thread& thread) const;
  std::optional<MemoryAccess> pending_access(const Thread& thread) const;
  bool passes_in_section(AccessKind kind, std::uint64_t address, std::uint64_t size);
  ThreadId free_id(const Thread& parent) const;
  std::optional<std::uint16_t> take_slot();
  void forget_former(Thread& former);
  void forget_settings(const Thread& former);
  void forget_locale(const Thread& former);
  void forget_errno(const Thread& former);
  void forget_keys(const Thread& former);
  void load_program();
  void start_main();
  // is_at_choice: it is at a choice among threads. Else a thread runs.
  void run_threads(bool is_at_choice);
  Stop run_current();
  std::uint16_t ask(const ChoicePoint& point);
  Thread* pick();
  Thread* choose_thread(bool last_enabled, bool yielded);
  void collect_options(const Thread& last);
  bool fail_by_self_lock();
  bool may_go_on(const Thread& thread) const;
  void look_at_exit();
  Thread* end_stuck();
  Waiter waiter(const Thread& thread) const;
  void note_pending();
  void record(Thread& thread, std::uint64_t value, std::uint64_t operand, Outcome outcome);
  std::uint64_t events_of_others(const Thread& thread) const;
  std::span<const PendingOperation> pending() override;
  ThreadId creator(ThreadId thread) const override { return names.ancestry(thread).parent; }
  std::uint64_t place(ThreadId thread) const override;
  void begin_step(Thread& thread);
  void begin_storage(Thread& thread);
  std::uint64_t place_arguments();
  void place_library_data();
  std::uint64_t environment_address() const;
  static std::optional<Stop> stop_of(Next next);
  std::optional<Stop> leave_robust_mutexes(Thread& thread);
  std::optional<Stop> choose_inputs(Thread& main);
  static bool has_chosen_inputs();
  std::optional<Stop> finish_thread(Thread& thread);
  std::optional<Stop> exit_as_last(Thread& thread);
  void note_footprint(const Thread& thread, bool writes, std::uint64_t address, std::uint64_t size);
  void record_access(const Thread& thread, Operation operation, bool writes, std::uint64_t address,
                     std::uint64_t size);
  const Instruction* behind(const Thread& of, const Frame* frame) const;
  std::uint32_t early_stack();
  std::map<std::uint32_t, std::vector<Place>> exit_stacks_;  // by slot: of pthread_exit
  void note_foreign(AccessKind kind, std::uint64_t address, std::uint64_t size, std::uint64_t code_number);
  bool end_judged(const Thread& thread);
  std::optional<Stop> go_on_at_end(Thread& thread);
  bool stand_before(Operation operation, std::uint64_t object, std::uint32_t size, Wait wait);
  bool is_late(const Thread& thread) const;
  bool may_time_out(const Thread& thread, bool idle) const;
  void collect_timeouts();
  void insert_live(std::uint16_t slot);
  void remove_live(std::uint16_t slot);
  void push_unsettled(std::uint16_t slot);
  void synchronise(const Thread& thread, std::uint64_t value, std::uint64_t operand, Outcome outcome);
  void use_object(const Thread& thread);
  void fail_by_race(const Race& race);
  void stand_at(const Instruction* where);
  void tell_freed(const Heap::Block& block, Failure& failure);
  void fail_with(Failure failure, AccessKind kind, std::uint64_t address, std::uint64_t size,
                 std::uint64_t code_number);
  void tell_earlier(const Access& access, Failure& failure);
  void recognise(AccessKind kind, std::uint64_t address, std::uint64_t size, std::uint64_t code_number,
                 bool is_operation);
  void write_down(AccessKind kind, std::uint64_t address, std::uint64_t size, std::uint64_t code_number);
  std::uint64_t code_of_access(std::uint64_t code_number) const;
  void execute_until_known(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace);
  void begin_execution(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace);
  void execute_once(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace);
  bool access_in_states(AccessKind kind, std::uint64_t address, std::uint64_t size, const Instruction* where,
                        std::uint32_t ordinal);
  bool access_attentively(AccessKind kind, std::uint64_t address, std::uint64_t size,
                          const Instruction* where, std::uint32_t ordinal);
  bool judge_access(AccessKind kind, std::uint64_t address, std::uint64_t size, const Instruction* where);
  bool judge_plainly(AccessKind kind, std::uint64_t address, std::uint64_t size, const Instruction* where);
  bool attentive_ = false;  // accesses are looked at for more than races
  bool check_races(std::uint64_t address, std::uint64_t size);
  bool is_meant(const Race& race) const;
  bool is_allowed(std::uint64_t address) const;
  bool is_passed_over(const Race& race) const;

  // What a failure, an event and an end have besides, in the trace.
  bool records_places() const { return !in_execution || director.records_places(); }
  void note_failure_places();
  void note_others();
  void note_block(const Heap::Block& block);
  std::uint32_t frame_number(const Thread& thread, std::uint64_t address);
  std::vector<CodeLine> lines_of(std::uint64_t return_address) const;

  // The earlier access of a race, which a second run of its plan looks for, and what that has found.
  struct Earlier {
    std::uint16_t thread;
    std::uint32_t clock;
    std::uint64_t address;
    std::uint64_t code;
  };
  std::optional<Earlier> earlier_;
  bool recognises_ = false;
  std::vector<Access> freed_;  // frees in this execution, if races are looked for
  std::optional<MemoryAccess> recognised_;
  EventPlaces recognised_places_;

  std::set<std::uint64_t> weaker_atomics_;  // their code addresses
  const AtomicSite* last_weaker_ = nullptr;

  Via via_ = Via::run;              // how the chosen thread goes on
  const Thread* checks_ = nullptr;  // whose invariant is evaluated between two steps
  bool is_prepared_ = false;
  bool has_begun_program_ = false;
  void begin_program();
  std::uint64_t patience_left_ = 0;
  std::uint64_t steps_then_ = 0;  // steps_left when it was given
  struct Allocation {
    std::uint64_t size = 0;
    std::vector<Place> stack;
  };
  using BlockName = std::pair<ThreadId, std::uint32_t>;
  std::map<BlockName, Allocation> allocations_;  // of the execution
  struct EarlyAllocation {                       // before the first choice, by main
    std::uint64_t size = 0;
    std::uint32_t stack = 0;  // in early_stacks_
  };
  std::vector<EarlyAllocation> early_allocations_;                      // by number
  std::vector<std::vector<std::uint64_t>> early_stacks_;                // return addresses, innermost first
  std::unordered_map<std::uint64_t, std::size_t> early_stack_numbers_;  // by hash
  // That place_of() has named.
  std::set<std::uint64_t> named_code_;
  std::set<std::uint64_t> named_data_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, NamedLocal> named_locals_;  // by function and distance
  bool wants_to_begin_ = false;
  Mark beginning_;

  Trace early_;     // what happens before it
  struct Foreign {  // an access to another thread's stack or storage
    std::uint16_t owner;
    Access access;
  };
  std::vector<Foreign> foreign_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>>
      allowed_;                     // races on these bytes are meant: begin, end
  std::size_t allowed_before_ = 0;  // of them: before the first choice
  Footprints footprints_;
  std::vector<ThreadId> race_names_;  // of the race detector's threads
  ChoicePoint point_;
  std::vector<Thread*> option_threads_;
  std::vector<PendingOperation> pending_;
  std::uint64_t marks_ = 0;
  std::size_t race_marks_ = 0;          // of the race detector
  std::vector<std::uint64_t> touched_;  // by slot: the mark at which its record was last logged
  std::vector<std::uint64_t> stepped_;  // the same, of its frames
  std::uint64_t course_touched_ = 0;
  LoopStates states_{memory, heap};
  Spins spins_{states_};
  IdleRounds idle_rounds_{states_};
  Livelocks livelocks_{*this, states_};
  std::uint64_t steps_granted_ = 0;  // when they are done, it may run again as a trial
  bool blocks_ = false;              // a thread whose round came to nothing does no more (Policy::rounds)
  struct Trial {                     // each such thread runs a round alone, at the end
    bool has_begun = false;
    std::size_t next = 0;      // in live()
    Thread* thread = nullptr;  // the one that runs its round
    std::uint64_t code = 0;    // where it stood
    std::uint32_t operations = 0;
    std::uint32_t arrivals_back = 0;  // there
    bool is_unknown = false;          // what some thread's round reads
  };
  Trial trial_;
  // New frames begin with zeros: where states are compared, they must not depend on what ran before. What is
  // not known to be dead counts, and may never have been written.
  bool clears_frames_ = false;
  bool begins_again_ = false;  // the execution, since something was learned of its loops
};

struct Machine::Moment {
  // What is known of waiting loops.
  struct Loops {
    LoopStates::Course states;
    Spins::Moment spins;
    IdleRounds::Moment idle_rounds;
    Trial trial;
  };

  Mark memory;
  std::size_t races;  // the number of the detector's mark
  std::uint64_t steps_left;
  std::shared_ptr<const Loops> loops;  // nullptr: states are visited, and need none of it
  // What is recorded beside the arena only ever grows: how much there was.
  std::size_t foreign, allowed, freed, race_names;
  std::map<std::uint32_t, std::vector<Place>> exit_stacks;
};

// An order of C++ (__ATOMIC_ACQUIRE and so on) as the race detector has it.
MemoryOrder memory_order(int order);

// What the decoder has made becomes what the loop takes.
void bind_handlers(Function& function, Loop loop = run_concrete);

}  // namespace thrum::vm
