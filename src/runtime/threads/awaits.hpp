// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounds of waiting loops that come to nothing, in executions of a reduced search (Rounds in
// model/policy.hpp; docs/semantics.md, "Loops, fairness, livelock"). SpinDetector (spin.hpp) does the same
// for all others.
//
// The idea. A thread arrives at a call. Its state there is its registers, its live stack, and what the call
// is to do. If it has been in that state since its last effect, its round has come to nothing. The execution
// without the round has the same end. So the thread does nothing more in this execution (Rounds::block): the
// execution in which it reads other values is explored as well, since its reads race with the stores.
//
// What a thread does between a read and its next call is a function of its state before the read and of the
// value. So the states that follow are learned. If a state that the thread has been in follows, the read is
// not enabled while the object has that value (Rounds::await): it is an await. Nothing is learned of a read
// behind which the thread accesses memory that is not atomic: such a round runs, and is checked for races and
// errors, whenever it can. Variables on its own stack that no other thread accesses are part of its state
// (stack_accesses.hpp).
//
// Histories that lead to the same state are merged (Rounds::merge). Say that a thread has come to a state by
// reads, the last of them of some bytes. If from one of its states before, fewer reads of these bytes, with
// the value that they have now, lead there as well, then the thread might as well have read later: the last
// read is not enabled. An example is a compare-exchange that fails and loads the value: to have loaded that
// value at first leads to the same. What is not known of such a shorter way is found by a probe: the plan
// begins again, and when the thread is in the earlier state, it reads the value there. The execution is given
// up behind it.
//
// Example: while (flag.load() == 0) {} learns "before the load, 0: before the load". From then on its load is
// enabled when flag is not 0.
//
// The same read may lead to another state than before: a variable that was not written yet, say, holds what
// the runtime's own calls left on the stack. From then on no read at that call is an await.
//
// What a thread has stored for its pthread keys is part of its state, too.
//
// States are compared byte by byte, and then have a number. Registers that are dead at the call are left out
// (base/liveness.hpp): a loop that has failed once would leave its temporary there. Taking states costs
// too much for every call. So they are taken of a call once a thread has come back to it without an effect,
// and with the same registers: then the plan begins again. And calls are watched, so that reads there may be
// awaits, once a round came to nothing, or a thread that goes round has read some bytes twice: then the
// search begins again, so that the same reads are awaits in all its executions.
//
// Tested by awaits_test.cpp, and by tests/native.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "model/event.hpp"
#include "model/policy.hpp"
#include "model/trace.hpp"
#include "runtime/base/fiber.hpp"
#include "runtime/base/thread.hpp"
#include "runtime/base/word_map.hpp"
#include "runtime/threads/stack_accesses.hpp"
#include "support/number_set.hpp"
#include "support/slots.hpp"

namespace thrum {

class LoopList;

// Whether it is an atomic operation that reads its object; it may also write it.
constexpr bool reads_value(Operation operation) {
  return operation == Operation::load || operation == Operation::read_modify_write ||
         operation == Operation::compare_exchange;
}

// Whether the thread's operation reads a value that may decide whether it goes on.
inline bool reads_few_bytes(const Thread& thread) {
  return reads_value(thread.operation) && thread.size <= sizeof(std::uint64_t);
}

class Awaits {
 public:
  constexpr Awaits() = default;

  // Forgets the execution; keeps what was learned.
  void reset();
  // Executions of another plan begin.
  void begin_plan(Rounds rounds) { rounds_ = rounds; }
  bool is_on() const { return rounds_ != Rounds::repeat; }
  // Whether a round may come to nothing, as is known so far. If not, the plan begins again when one does.
  bool knows_loops() const { return seen_.size() != 0; }

  // The state in the middle of an execution.
  struct Moment;
  void save(Moment& moment) const;
  void restore(const Moment& moment);

  enum class Arrival : std::uint8_t {
    ordinary,
    nothing,  // its round has come to nothing
    learned,  // the same; and a read of the round is not enabled, as is known now: the plan begins again
    watch,    // calls are watched from now on: the search begins again
    deeper,   // stacks are cleared deeper, or states of more calls are taken: the plan begins again
    probe,    // a shorter way is to be probed: the plan begins again
    runs_on,  // it is probed: the object gets the probe's value, and the thread runs on
    unsound,  // what was learned before is contradicted: the search begins again
  };
  // The thread, whose operation, object, size and arguments are set, arrives at a call (code: its return
  // address) that may be part of a waiting loop.
  struct Now {
    std::uint64_t switches;  // how often threads have taken turns
    std::uint64_t steps;     // instrumented operations done so far
  };
  Arrival arrive(const Thread& thread, std::uint64_t code, const CallerState& caller, const Now& now);
  // The same where nothing but the call has to be noted, which is so outside loops. False: not so, and
  // arrive() is to be called.
  bool arrive_outside_loops(const Thread& thread, std::uint64_t code, const CallerState& caller,
                            std::uint64_t switches);
  // The thread, whose result is set, ends. steps: as in Now.
  Arrival arrive_at_end(const Thread& thread, std::uint64_t steps);
  // Whether the round that arrive() has just found has to be proved first, as SpinDetector::unproved() says.
  bool unproved(const Thread& thread, std::uint64_t code) const {
    return of(thread).was_alone && !proved_.has(code);
  }
  void prove(std::uint64_t code) { proved_.insert(code); }
  // Whether it is to be learned what follows the operation of the thread, which has read that value.
  bool learns(const Thread& thread, std::uint64_t value) const;
  // Whether note_own_access() is to get what it accesses then: the same, or it is known and accesses were
  // seen.
  bool sees_accesses(const Thread& thread, std::uint64_t value) const;
  // The thread goes on and reads that value: whether its stack is as it was at its arrival.
  void note_stack(const Thread& thread, std::uint64_t value);
  // The thread has done its operation and changed nothing: it has read that value, or nothing (a yield).
  // memory: a digest of the program's memory, if learns(). steps: as in Now.
  void note_read(const Thread& thread, std::uint64_t value, std::uint64_t memory, std::uint64_t steps);
  // The digest that was given for the thread's last operation; 0: none.
  std::uint64_t memory_before(const Thread& thread) const { return of(thread).last.memory; }
  // Since then the thread has accessed variables on its own stack. False: others access them, too.
  bool note_own_access(const Thread& thread, std::uint64_t address, std::uint64_t size);
  // One of them was a step.
  void note_step(const Thread& thread) {
    Read& last = of(thread).last;
    if (last.steps != kUnclean) ++last.steps;
  }
  StackAccesses& own_accesses() { return own_accesses_; }
  // The thread accesses memory. True: what was learned before is contradicted, and the search begins again.
  bool note_access(const Thread& thread, std::uint64_t address, std::uint64_t size) {
    return !own_accesses_.empty() && contradicts(thread, address, size);
  }
  // Something has happened since then of which nothing is learned.
  void note_unseen_change(const Thread& thread) { of(thread).last.steps = kUnclean; }
  // Whether something may be learned of the thread's last operation.
  bool follows_read(const Thread& thread) const { return of(thread).last.before != 0; }
  // Whether something can be learned of the thread's operation. If not, note_nothing_learned() does for
  // note_read(), and note_change() for note_effect().
  bool has_state(const Thread& thread) const { return of(thread).state != 0; }
  void note_nothing_learned(const Thread& thread) {
    PerThread& mine = of(thread);
    mine.last.before = mine.reader.before = 0;
    mine.last.memory = 0;
  }
  // The thread has done its operation, which has changed something. value: that it read.
  void note_effect(const Thread& thread, std::uint64_t value);
  // The thread has done something else that its rounds do not reach back beyond.
  void note_change(const Thread& thread) {
    PerThread& mine = of(thread);
    forget_read(mine);
    mine.visits.clear();
    mine.goes_round = mine.depends_on_time = false;
  }
  // The thread has done an operation of which nothing is learned, and which changed nothing.
  void note_other(const Thread& thread);
  // The same, and the operation waited for a time, or read the clock: what the next round does may differ.
  void note_time(const Thread& thread);
  bool depends_on_time(const Thread& thread) const { return of(thread).depends_on_time; }

  // The condition of the thread's pending operation (Await in model/trace.hpp); 0: it is no await.
  std::uint64_t condition(const Thread& thread) const { return of(thread).condition; }
  // Whether the await is not enabled while its object has that value.
  bool refuses(const Thread& thread, std::uint64_t value) const;
  // Whether a yield must go on at once, since it is not known yet what follows it.
  bool goes_on(const Thread& thread) const;
  // The value that the probed thread reads.
  std::uint64_t probe_value() const { return probe_.value; }
  // The probed thread has done something else than to read.
  void give_up_probe(const Thread& thread);

  // A thread runs a round of its own at the end of an execution, to see whether it comes back.
  void begin_trial(const Thread& thread);
  void end_trial() { trial_ = kNoTrial; }

  // Forgets what follows reads. What was learned of a call that is contradicted must not be part of a way to
  // another state.
  void forget_facts() {
    next_.clear();
    next_count_ = 0;
  }

  // Whether something that was learned has been contradicted since the last call.
  bool take_contradiction() { return std::exchange(is_contradicted_, false); }

  // How deep stacks are cleared at the beginning (SpinDetector::clear_stack).
  std::size_t depth() const { return depth_; }
  // A plan has run: the refusals found since the last call.
  void take_refusals(std::vector<Refusal>& refusals);

  // The calls at which reads may be awaits.
  const NumberSet& watched() const { return watched_; }
  void watch(std::uint64_t code) {
    seen_.insert(code);
    watched_.insert(code);
  }
  // The call belongs to no waiting loop.
  void never(std::uint64_t code) { never_.insert(code); }
  // The loops that were met.
  void add_loops(LoopList& loops) const;

 private:
  static constexpr std::uint64_t kUnclean = ~std::uint64_t{0};
  using State = std::uint32_t;                     // its number, from 1; 0: not known
  static constexpr State kOther = ~State{0};       // a state in which no round comes to nothing
  static constexpr std::size_t kArrivalsMax = 64;  // since an effect; behind them no round comes to nothing
  static constexpr std::uint64_t kFramesMax = 1 << 16;  // bytes of live stack
  struct Kept {
    std::uint64_t digest;
    std::uint64_t begin;  // in bytes_
    std::uint32_t size;
    Operation operation;
  };
  struct Next {
    State before = 0;
    State after = 0;
    std::uint64_t value = 0;
  };
  // The states that a thread has been in since its last effect.
  struct Condition {
    std::uint64_t digest;
    std::uint32_t begin;  // in members_
    std::uint32_t size;
  };
  struct Visit {
    std::uint64_t code;
    std::uint64_t stack_pointer;
    State state;
    bool reads;          // its operation reads its object
    std::uint32_t size;  // of the object
    std::uint64_t object;
    std::uint32_t events;  // that the thread had done
    std::uint64_t switches;
    decltype(CallerState::registers) registers;

    bool is_at(std::uint64_t call, std::uint64_t its_stack_pointer) const {
      return code == call && stack_pointer == its_stack_pointer;
    }
  };
  // A way by reads of the same bytes, all with one value, that has to be learned.
  struct Probe {
    State from = 0;  // 0: there is none
    std::uint32_t thread = 0;
    std::uint32_t events = 0;
    std::uint32_t reads = 0;  // at most so many
    std::uint64_t value = 0;
    bool runs = false;
  };
  // An operation that changed nothing, and of which something may be learned.
  struct Read {
    State before = 0;             // 0: there is none
    bool stack_is_known = false;  // it was as in `before`
    std::uint64_t memory = 0;
    std::uint64_t value = 0;
    std::uint64_t steps = 0;  // instrumented operations done by then; kUnclean: nothing is learned
  };
  struct Course {
    State state = 0;               // before the pending operation
    bool stack_is_known = false;   // note_stack()
    bool goes_round = false;       // since its last effect: it has been at one call in two states
    bool was_alone = false;        // no other thread ran in its last round
    bool depends_on_time = false;  // since its last effect
    std::uint64_t condition = 0;
    struct {  // the last operation that changed nothing and was no yield
      State before = 0;
      std::uint64_t value = 0;
    } reader;
    Read last;
  };
  struct PerThread : Course {
    std::vector<Visit> visits;  // since the last effect
  };
  static void copy(const PerThread& from, PerThread& to);
  PerThread& of(const Thread& thread) {
    if (__builtin_expect(threads_.size() <= thread.slot, 0)) add_slots(thread);
    return threads_[thread.slot];
  }
  void add_slots(const Thread& thread);
  const PerThread& of(const Thread& thread) const { return const_cast<Awaits*>(this)->of(thread); }
  bool contradicts(const Thread& thread, std::uint64_t address, std::uint64_t size);
  void note_difference(const PerThread& mine, std::uint64_t code, std::uint64_t stack_pointer, State state);
  static std::uint64_t frames_size(const Thread& thread, const CallerState& caller) {
    return reinterpret_cast<std::uint64_t>(thread.stack_top) - caller.stack_pointer;
  }
  static Visit& add_visit(PerThread& mine, const Thread& thread, std::uint64_t code,
                          const CallerState& caller, std::uint64_t switches) {
    Visit& visit = mine.visits.emplace_back();
    visit.code = code;
    visit.stack_pointer = caller.stack_pointer;
    visit.state = 0;
    visit.reads = reads_value(thread.operation);
    visit.size = thread.size;
    visit.object = thread.object;
    visit.events = thread.events;
    visit.switches = switches;
    std::copy(std::begin(caller.registers), std::end(caller.registers), visit.registers);
    return visit;
  }
  static bool has_been_at(const PerThread& mine, std::uint64_t code, const CallerState& caller) {
    return std::ranges::any_of(mine.visits,
                               [&](const Visit& visit) { return visit.is_at(code, caller.stack_pointer); });
  }
  bool comes_back(PerThread& mine, std::uint64_t code, const CallerState& caller);
  Arrival arrive_unseen(const Thread& thread, PerThread& mine, std::uint64_t code, const CallerState& caller,
                        std::uint64_t switches);
  Arrival come_back(PerThread& mine, std::uint64_t code, bool is_trial);
  Arrival merge(const Thread& thread, PerThread& mine, std::uint64_t code);
  bool before_reader(const PerThread& mine, PerThread& then) const;
  Arrival watch_all(const PerThread& mine, std::uint64_t code);
  bool watches_all(const PerThread& mine, std::uint64_t code) const;
  // Whether the last read may lead where an earlier one could have led: its thread goes round, and has read
  // the same bytes before.
  static bool may_merge(const PerThread& mine) {
    if (!mine.goes_round || !mine.visits.back().reads) return false;
    const Visit& last = mine.visits.back();
    return std::any_of(mine.visits.begin(), mine.visits.end() - 1, [&](const Visit& visit) {
      return visit.reads && visit.object == last.object && visit.size == last.size;
    });
  }
  State number_of(const Thread& thread, std::uint64_t code, const CallerState& caller);
  State number_of_end(const Thread& thread);
  State number_of_taken(Operation operation);
  void learn(PerThread& mine, State after, std::uint64_t steps = kUnclean);
  // Nothing is learned of what follows the last operation.
  void forget_read(PerThread& mine) {
    if (__builtin_expect(mine.last.before != 0, 0)) learn(mine, kOther);
    mine.reader.before = 0;
    mine.state = 0;
    mine.condition = 0;
  }
  State after(State state, std::uint64_t value) const;
  std::uint64_t code_of(State state) const;
  static bool has_visited(const PerThread& mine, State state);
  enum class Way : std::uint8_t { none, shorter, unknown };
  Way way_to(const PerThread& mine, State state, std::uint64_t value, Probe& probe) const;
  bool read_same_bytes(State one, State other) const;
  bool continue_probe(State state);
  bool refuses(const PerThread& mine, State state, std::uint64_t value) const;
  std::uint64_t condition_of(const PerThread& mine);

  static constexpr std::uint32_t kNoTrial = ~std::uint32_t{0};

  Rounds rounds_ = Rounds::repeat;
  std::uint32_t trial_ = kNoTrial;  // the slot of its thread
  NumberSet seen_;                  // calls of which states are taken
  NumberSet watched_;
  NumberSet never_;
  NumberSet unlearnable_;
  NumberSet proved_;
  StackAccesses own_accesses_;
  NumberSet accessing_;  // calls behind which there are such
  // For add_loops(), by code: where rounds came to nothing, of which reads that became known, and which were
  // not enabled for another reason; and in what states that followed each other differed.
  NumberSet found_;
  NumberSet awaited_;
  NumberSet merged_;
  NumberSet differing_;
  WordMap differences_;
  std::size_t depth_ = 0;
  std::vector<PerThread> threads_;  // by slot
  std::vector<Kept> states_;
  std::vector<char> bytes_;
  std::vector<char> taken_;  // number_of(), kept for its memory
  Slots<State> state_slots_;
  Slots<Next> next_;
  std::size_t next_count_ = 0;
  std::vector<Condition> conditions_;
  std::vector<State> members_;
  Slots<std::uint32_t> condition_slots_;  // numbers from 1
  std::vector<Refusal> refusals_;
  Probe probe_;
  bool is_contradicted_ = false;
};

inline bool Awaits::arrive_outside_loops(const Thread& thread, std::uint64_t code, const CallerState& caller,
                                         std::uint64_t switches) {
  PerThread& mine = of(thread);
  if (mine.last.before != 0 || mine.depends_on_time || is_contradicted_) return false;
  if (trial_ != kNoTrial || !own_accesses_.empty() || mine.visits.size() == kArrivalsMax) return false;
  if (frames_size(thread, caller) > kFramesMax || seen_.has(code)) return false;
  if ((has_been_at(mine, code, caller) && comes_back(mine, code, caller)) || may_merge(mine)) return false;
  mine.state = 0;
  mine.condition = 0;
  add_visit(mine, thread, code, caller, switches);
  return true;
}

struct Awaits::Moment {
  std::vector<PerThread> threads;
};

}  // namespace thrum
