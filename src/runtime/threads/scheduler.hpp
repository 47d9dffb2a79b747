// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scheduler: which thread of the program under test runs.
//
// Each visible operation is a call that first arrives: it publishes the operation, and returns when the
// thread may do it. Stretches without visible operations (the start of a new thread, the code after a join)
// run at once if they can. So at every choice each live thread stands before a visible operation or waits for
// another thread's end (docs/decisions/001-scheduling-points.md). Then the director is asked, and the thread
// that it names runs.
//
// Thread safety: one thread of the program runs at a time, on whatever system thread.
// Invariants, at every choice:
//   1. Each live thread is standing, or waits to join.
//   2. unsettled_ is empty.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "execution/director.hpp"
#include "model/trace.hpp"
#include "objects/objects.hpp"
#include "runtime/base/forever.hpp"
#include "runtime/base/thread.hpp"
#include "runtime/base/waits.hpp"
#include "runtime/base/world.hpp"
#include "runtime/threads/awaits.hpp"
#include "runtime/threads/spin.hpp"
#include "runtime/threads/thread_pool.hpp"

namespace thrum {

class Scheduler final : Pending {
  struct YieldCount {
    ThreadId thread;
    std::uint64_t code;
    std::uint32_t yields;
  };
  struct Counts {
    std::uint16_t created = 1;
    std::uint16_t slots_used = 1;
    std::uint16_t invariants = 0;  // stated, and not ended yet
    std::uint32_t points = 0;
    std::uint64_t events_of_former = 0;  // of ended threads whose slots other threads have got
    std::uint64_t wait_order = 0;
    std::uint64_t now_ns = 0;
    std::uint64_t clock_jump_ns = 0;      // how far the clock last jumped for waiting loops
    std::uint64_t memory_when_stuck = 0;  // its digest when only waiting loops were left; 0: not yet
    bool ran_beside_spinner = false;      // while a thread waited in a loop, others went on
  };
  // The state of an execution that changes as it runs, except the threads themselves.
  struct Course : Counts {
    Thread* current = nullptr;       // the thread whose code runs
    Thread* last = nullptr;          // the thread that did the last event
    std::vector<Thread*> live;       // by name
    std::vector<YieldCount> yields;  // only if yields are bounded
  };

 public:
  constexpr Scheduler() = default;

  // The scheduler's state in the middle of an execution, at a choice.
  struct Moment {
    Course course;
    std::vector<Thread> threads;  // by slot
    SpinDetector::Moment spins;
    Awaits::Moment awaits;
  };
  void save(Moment& moment) const;
  // REQUIRES: the program's memory has the state of that moment.
  void restore(const Moment& moment);
  // Whether a moment holds the whole state: what it leaves out has its initial value, and the rest is not too
  // large.
  bool is_moment() const {
    return unsettled_.empty() && !world.logs_accesses && !released_ && !proof_.thread && !trial_.begun &&
           !goes_on_ && course_.clock_jump_ns == 0 && course_.slots_used < kThreadsMax && spins_.is_short();
  }

  Thread& current() { return *course_.current; }
  Director& director() { return director_; }
  std::span<Thread* const> live() const { return course_.live; }
  Thread& thread_in_slot(std::uint32_t slot) { return *slots_[slot]; }

  // Main before the first choice.
  void start_main();
  // Resets the threads to the snapshot: main alone, in the middle of a stretch.
  void reset();
  std::uint16_t threads_created() const { return course_.created; }
  // Slots in use so far: fewer than threads if slots were used again.
  std::uint16_t slots_used() const { return course_.slots_used; }
  std::uint32_t points() const { return course_.points; }
  void add_points(std::uint32_t count) { course_.points += count; }

  // The running thread arrives before a visible operation, and returns when it may do it. wait: the condition
  // that must hold first.
  void arrive(Operation operation, std::uint64_t object, std::uint32_t size, std::uint64_t code,
              Wait wait = Wait::nothing);
  // The same before an operation that a waiting loop may contain. REQUIRES: the call came through a
  // loop_entry of switch.S.
  void arrive_in_loop(Operation operation, std::uint64_t object, std::uint32_t size, std::uint64_t code);
  // The same before a store, which is no part of a loop that waits, but may be the way out of one.
  void arrive_to_store(std::uint64_t object, std::uint32_t size, std::uint64_t code);
  // The same before a call that takes the object, or tries to (Operation::try_lock and the like). A loop that
  // polls under a lock may begin its round with such a call. needs: the condition for a blocking call that
  // takes the object.
  void arrive_to_take(Operation operation, std::uint64_t object, std::uint64_t code, Wait needs);
  // The running thread is about to read memory by a plain access. True if it came back there by a round of a
  // loop that waits for plain memory, and has waited until that memory was changed. Then the read is an
  // operation, which the caller has to do. REQUIRES: the execution is watched (round_detector.hpp); the call
  // came through a loop_entry.
  bool waits_at_plain_read(std::uint64_t address, std::uint32_t size, std::uint64_t code);
  // The same before a yield.
  void arrive_at_yield(std::uint64_t code);
  // Whether the execution was over, and threads in loops run rounds alone to see whether they would go on.
  bool is_in_trial() const { return trial_.thread != nullptr; }
  // Something has happened that ends a trial or a probe (awaits.hpp). If none was going on, returns.
  void leave_aside();
  // The running thread accesses memory.
  void note_access(std::uint64_t address, std::uint64_t size);
  // The running thread does a step behind a read of which is learned what follows. accessed: as for
  // count_step().
  void note_step_in_round(const volatile void* accessed, std::size_t size);
  // A compare-exchange of the running thread has failed, and written the expected value there.
  void note_expected(const volatile void* expected, std::size_t size) {
    if (__builtin_expect(holds_steps(), 0)) note_access_in_round(expected, size);
  }
  // The running thread is about to yield or to sleep, and does not wait in a spin instead. Does not return if
  // it yields once too often (Job::yields).
  void count_yield(std::uint64_t code);
  // The same for a wait that ends at the latest at a deadline in virtual time (or kNoDeadline). True if it
  // returned because the deadline passed.
  bool arrive_until(Operation operation, std::uint64_t object, std::uint64_t code, Wait wait,
                    std::uint64_t deadline_ns);
  // The thread's wait, which begins now, ends at the latest at that time of the clock; or kNoDeadline.
  void set_deadline(Thread& thread, std::uint64_t deadline_ns);
  // Whether the thread waits for something other than time, and for so long that its deadline counts as none.
  bool is_endless(const Thread& thread) const;
  enum class Effect : std::uint8_t { none, read, change };
  // The running thread has done the operation before which it arrived: it is an event now. effect: for loops
  // that wait for a change of the object.
  void done(Effect effect, std::uint64_t value = 0, std::uint64_t operand = 0,
            Outcome outcome = Outcome::done);

  // The live part of main's stack, above end, has been restored.
  void clear_main_stack(char* end) { clear_stack(*slots_[0], end); }

  // About the read-modify-write that the running thread is about to do; see Event.
  void note_argument(std::uint64_t argument, Update update, std::uint64_t operand = 0) {
    course_.current->operation_argument = argument;
    course_.current->operation_operand = operand;
    course_.current->update = update;
  }

  // The event wrote a second object as well.
  void note_write(std::uint64_t object);

  // The running thread has changed plain memory or the heap, which the round detector has logged: only for it
  // may what follows belong to a round that began before.
  void note_logged_change() {
    if (awaits_.is_on()) awaits_.note_change(*course_.current);
  }

  // The event read a second object as well.
  void note_read(std::uint64_t object);

  // The running thread creates another one. nullptr: a stack of that size is not available. If more threads
  // live at once than there are slots, control is lost.
  Thread* create(void* (*body)(void*), void* argument, const ThreadPool::StackRequest& stack);
  // A new thread runs up to its first visible operation; then its creator goes on.
  void start(Thread& child);
  // The running thread, whose code has returned, ends. Returns only for main, and only when all other threads
  // have ended too: then main lives again, to end the process.
  void end_current();
  // Waits, in the middle of a stretch, until the other thread has ended or the running one is cancelled.
  void join(Thread& other, std::uint64_t code);
  // Records the pending operations of the threads in the trace.
  void note_pending();
  // The pending operation of a thread that stands or waits to join.
  Waiter waiter(const Thread& thread) const;
  // The thread, which was just created, checks its invariant; or that has ended, and was joined.
  void add_invariant() { ++course_.invariants; }
  void end_invariant(Thread& checker);
  bool has_invariants() const { return course_.invariants != 0; }
  // Whether no other thread of the program is alive.
  bool is_last(const Thread& thread) const;
  // The running thread, which stands, handles a signal that is pending for it. Returns when the thread may do
  // its pending operation, or when the signal has ended its wait.
  void handle_signal_here();

  // Wakes threads that wait for a wake-up at the object, longest waiting first. If only one is to be woken,
  // which one is a choice.
  std::uint32_t wake(std::uint64_t object, Operation sleeping, std::uint32_t most);
  // A choice among n values.
  std::uint16_t choose_value(std::uint16_t n);

  // The execution is left. True if a proof was going on: then the call counts as no spin.
  bool drop_proof();

  SpinDetector& spins() { return spins_; }
  Awaits& awaits() { return awaits_; }

  // Whether a thread's pending operation is enabled, by the state of the program's objects.
  bool enabled(const Thread& thread) const {
    if (thread.wait == Wait::nothing) return true;
    if (thread.wait == Wait::join) return thread.cancelled;
    return thread.wait == Wait::lock ? lock_is_free(thread.object) : wait_is_over(thread);
  }

  // Whether the lock is free that the thread takes when its loop is released.
  static bool can_take(const Thread& thread) {
    return is_attempt(thread.operation) || object_is_free(thread.needs, thread.object);
  }
  // Whether a thread that waits in a loop may go on, apart from the lock that it takes then.
  bool loop_is_released(const Thread& thread) const;

  // A spin is being proved, and needs more steps than the execution has left: grants them, once. False: it
  // has had them.
  bool lengthens_proof();

  // How deep stacks are cleared at the beginning (SpinDetector::clear_stack).
  std::size_t cleared_depth() const { return std::max(spins_.depth(), awaits_.depth()); }

  std::uint64_t now_ns() const { return course_.now_ns; }
  void advance_clock(std::uint64_t to_ns);
  void set_clock(std::uint64_t ns) { course_.now_ns = ns; }
  // Whether the clock has not jumped for waiting loops yet.
  bool clock_is_steady() const { return course_.clock_jump_ns == 0; }

 private:
  bool wait_is_over(const Thread& thread) const;
  void arrive_here(Operation operation, std::uint64_t object, std::uint32_t size, std::uint64_t code,
                   Wait wait, Wait needs = Wait::nothing);
  bool comes_to_spin(Thread& me, std::uint64_t code);
  void note_stack_of_reader();
  void note_access_in_round(const volatile void* accessed, std::size_t size);
  void arrive_at_end(Thread& me);
  void look_for_unseen_changes(const Thread& me);
  Wait wait_in_loop(Operation operation, std::uint64_t object, std::uint32_t size, std::uint64_t code);
  Wait run_on(const Thread& me);
  Wait wait_after(Awaits::Arrival arrival, Thread& me, std::uint64_t code);
  bool arrives_outside_loops(Thread& me, Operation operation, std::uint64_t object, std::uint32_t size,
                             std::uint64_t code);
  void note_for_awaits(const Thread& me, Effect effect, std::uint64_t value);
  void note_time(const Thread& me);
  void note_for_learning(const Thread& me, Effect effect, std::uint64_t value);
  bool is_refused(const Thread& thread) const;
  void clear_stack(const Thread& thread, char* end) const;
  Thread* next_trial();
  [[noreturn]] void pass_trial();
  [[noreturn]] void begin_search_again();
  Thread& go_on_in_trial();
  void arrive_to_spin(Operation operation, std::uint64_t object, std::uint32_t size, std::uint64_t code,
                      Wait needs = Wait::nothing);
  void stand(Thread& thread);
  void check_invariants();
  Thread& pick();
  Thread& pick_attentively();
  void stand_attentively(Thread& thread);
  bool is_quiet(bool last_enabled, bool yielded) const;
  Thread* only_one();
  Thread& choose_thread(bool last_enabled, bool yielded);
  Thread* release_spinner();
  Thread& force(Thread& thread);
  void check_released();
  void note_watches(const Thread& thread);
  void begin_proof(Thread& thread, std::uint64_t code, const CallerState& caller);
  void continue_proof(const Thread& thread, std::uint64_t code, const CallerState& caller);
  bool give_another_round(const Thread& thread);
  void forget_round(const Thread& thread);
  bool loop_reads_clock(const Thread& thread) const;
  bool loops_interfere() const;
  bool advance_for_spinners();
  bool rounds_changed_memory();
  // Digest of the program's memory without the stacks of its threads; never 0.
  std::uint64_t memory_digest() const;
  bool may_time_out(const Thread& thread, bool idle) const;
  bool is_late(const Thread& thread) const;
  std::uint64_t shortest_endless_wait_ns() const;
  void collect_late_runs();
  void collect_timeouts();
  void add_spurious_options();
  std::uint64_t events_of_others(const Thread& thread) const;
  bool only_timers_live() const;
  std::uint16_t choose(ChoiceKind kind);
  void collect_options(const Thread& last);
  void run(Thread& thread);
  void let(Thread& thread);
  void run_unsettled();
  void settle_changes();
  void settle_writes();  // the running thread's writes so far are changes of its own
  bool comes_by_idle_round(Thread& me, std::uint64_t code);
  bool knows_round(Thread& me, std::uint64_t code);
  void note_effect(const Thread& me, Effect effect, std::uint64_t value, Outcome outcome);
  Thread& end_stuck();
  [[noreturn, gnu::cold]] void fail_stuck();
  std::span<const PendingOperation> pending() override;
  std::uint64_t place(ThreadId thread) const override;
  ThreadId creator(ThreadId thread) const override { return world.names->ancestry(thread).parent; }
  void insert_live(Thread& thread);
  std::uint16_t take_slot();

  Course course_;
  std::vector<std::unique_ptr<Thread>> slots_;
  std::vector<Thread*> unsettled_;  // threads in the middle of a stretch, which run next; last in, first out
  std::vector<Option> options_;
  std::vector<Thread*> option_threads_;
  struct Sleeper {
    Standing* standing;
    ThreadId thread;
  };
  std::vector<Sleeper> waiters_;
  std::vector<PendingOperation> pending_;
  ChoicePoint point_;
  bool same_key_ = false;  // the point before had the key of point_
  Director director_;
  SpinDetector spins_;
  Awaits awaits_;
  struct Trial {  // of threads whose rounds came to nothing, when no thread was enabled
    bool begun = false;
    std::uint64_t code = 0;    // where a thread was whose round came to nothing; 0: before an await
    Thread* thread = nullptr;  // whose round runs
    std::size_t next = 0;      // the next one, by its place among those that live
    std::uint32_t operations = 0;
    std::uint32_t arrivals_back = 0;  // which the round detector did not take for the end of a round
    bool is_unknown = false;          // what a round of some thread reads
  };
  Trial trial_;
  // The running thread goes on at once behind a yield (Awaits::goes_on) or in a probe; then the plan begins
  // again.
  bool goes_on_ = false;
  struct Proof {                     // of a spin (SpinDetector::unproved)
    const Thread* thread = nullptr;  // nullptr: none runs
    std::uint64_t code = 0;
    std::uint64_t memory = 0;  // its digest
    std::uint32_t arrivals = 0;
    bool at_plain_read = false;
    bool lengthened = false;
    LoopState state;
  };
  Proof proof_;
  const Thread* released_ = nullptr;   // the last waiting loop that got another round, until others go on
  std::uint64_t released_code_ = 0;    // its call
  std::uint64_t released_memory_ = 0;  // the digest of memory then
};

extern constinit Forever<Scheduler> the_scheduler;
inline Scheduler& scheduler() { return the_scheduler.value; }

}  // namespace thrum
