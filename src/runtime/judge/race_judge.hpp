// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Judges the memory accesses of executions: data races, and uses of memory that was freed or has ended.
//
// It tells the race detector (races/race_detector.hpp) which order each operation makes, passes it each
// access, and turns its findings into failures. Before that it checks whether the bytes may be used: on the
// heap by the state of the block, on other threads' stacks by whether the thread lives.
//
// The details of an earlier access are not recorded while executions are fast. If an execution whose places
// are recorded fails by a race, it is run again, and then the earlier access is recognised when it happens.
//
// Thread safety: one thread runs at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "model/event.hpp"
#include "model/trace.hpp"
#include "races/known_races.hpp"
#include "races/race_detector.hpp"
#include "runtime/base/forever.hpp"
#include "runtime/base/thread.hpp"
#include "runtime/base/world.hpp"
#include "runtime/memory/heap.hpp"

namespace thrum {

class RaceJudge {
 public:
  constexpr RaceJudge();

  // An execution begins. again: it repeats the last one, in which a race was found; the earlier access has to
  // be recognised.
  void begin(bool again);
  // The judge's state in the middle of an execution, at a choice; a mark of the detector holds the rest.
  struct Moment;
  void set_mark(Moment& moment);
  void return_to(std::size_t mark, const Moment& moment);
  bool can_return() const { return world.job->races == Races::ignore || detector_.can_return(); }
  // Whether the last execution failed by a race whose earlier access was not recognised.
  bool wants_again(const Trace& trace) const;

  // Actions of threads that order them.
  void create(const Thread& parent, const Thread& child);
  void join(const Thread& thread, const Thread& other);
  void end(const Thread& thread);
  // The thread has done its pending operation. (For atomic operations see below.)
  void synchronise(const Thread& thread, std::uint64_t value, std::uint64_t operand, Outcome outcome);
  // Orders that belong to no event.
  void acquire(std::uint64_t object);
  void release(std::uint64_t object);

  // The races that are explored. They may be changed between executions only.
  KnownRaces& known() { return known_; }
  // Whether some race is known or allowed, or accesses were declared to be none.
  bool makes_exceptions() const { return excepts_ || !allowed_.empty(); }
  // From now on Scheduler::note_access() gets each plain access.
  void tell_accesses() { tells_accesses_ = attentive_ = true; }
  // Whether an access needs more than judging, or comes before the first choice.
  bool is_attentive() const { return __builtin_expect(attentive_, 0); }

  // Whether an access becomes a visible operation if a race at its place is known.
  enum class Point : std::uint8_t {
    here,     // yes: the access itself comes next; switch.S has the entry point of a read
    done,     // it is a visible operation already
    nowhere,  // no: it is part of a call that does more
  };
  // The running thread accesses memory. code: the address behind the call.
  void access(AccessKind kind, const volatile void* address, std::size_t size, std::uint64_t code,
              Point point);
  // Atomic accesses; order: __ATOMIC_*.
  void load(const volatile void* address, std::size_t size, int order, std::uint64_t code);
  void store(const volatile void* address, std::size_t size, int order, std::uint64_t code);
  void change(const volatile void* address, std::size_t size, int order, std::uint64_t code);
  // A read-modify-write that leaves the value as it was (RaceDetector::read_modify_nothing).
  void change_nothing(const volatile void* address, std::size_t size, int order, std::uint64_t code);
  void fence(int order);

  // The running thread unmaps memory. An unordered use by another thread is reported as for freed memory.
  void unmap(const void* address, std::size_t size, std::uint64_t code);
  // It frees a heap block, or gets one that was used before.
  void free(const void* block, std::uint64_t code);
  void reused(const void* block, std::size_t size);
  // Fails if the block is freed already.
  void check_not_freed(const void* block, std::uint64_t code);

  // Races on these bytes are allowed in this execution.
  void allow(const volatile void* address, std::size_t size);
  // The running thread's plain accesses of that kind are not judged until as many calls with false as with
  // true have been made.
  void leave_out(AccessKind kind, bool begin);

  // From now on, in this execution, some threads check invariants. What these read is no race.
  void expect_checks() { attentive_ = true; }

  // Whether the last change of the byte was atomic, as for the bytes of locks.
  bool used_atomically(std::uint64_t address) { return detector_.used_atomically(address); }

 private:
  struct Earlier {  // the access to be recognised
    std::uint16_t number;
    std::uint32_t clock;
    std::uint64_t address;
    std::uint64_t code;
    std::size_t skip;  // so many equal accesses come first
  };
  struct Foreign {  // an access to another thread's stack or storage
    std::uint16_t owner;
    Access access;
  };
  void judge(AccessKind kind, std::uint64_t address, std::uint64_t size, std::uint64_t code);
  void judge_at_point(AccessKind kind, std::uint64_t address, std::uint64_t size, std::uint64_t code,
                      bool at_point = true);
  void access_attentively(AccessKind kind, std::uint64_t address, std::uint64_t size, std::uint64_t code,
                          Point point);
  void judge_attentively(AccessKind kind, std::uint64_t address, std::uint64_t size, std::uint64_t code,
                         Point point);
  bool is_passed_over(const Race& race) const;
  template <AccessKind kKind>
  void judge_plainly(const Thread& me, std::uint64_t address, std::uint64_t size, std::uint64_t code);
  template <AccessKind kKind>
  bool judge_in_pool(const Thread& me, std::uint64_t address, std::uint64_t size, std::uint64_t code);
  void order(const Thread& thread, std::uint64_t value, std::uint64_t operand, Outcome outcome);
  void use_object(const Thread& thread);
  void check_memory(const Thread& me, AccessKind kind, std::uint64_t address, std::uint64_t size,
                    std::uint64_t code);
  void check_stack(const Thread& me, AccessKind kind, std::uint64_t address, std::uint64_t size,
                   std::uint64_t code);
  [[noreturn, gnu::cold]] void fail_by_heap(const Thread& me, const ProgramHeap::Use& use, AccessKind kind,
                                            std::uint64_t address, std::uint64_t size, std::uint64_t code);
  bool is_left_out(const Thread& me, AccessKind kind) const;
  // The races in which the access of [address, address + size) takes part.
  void check_races(std::uint64_t address, std::uint64_t size);
  void note_learned(const Thread& me);
  bool is_allowed(std::uint64_t address) const;
  void recognise(const Thread& me, AccessKind kind, std::uint64_t address, std::uint64_t size,
                 std::uint64_t code);
  static void write_down(Thread& me, AccessKind kind, std::uint64_t address, std::uint64_t size,
                         std::uint64_t code);
  [[noreturn, gnu::cold]] void fail_by(const Race& race);
  void tell_earlier(Failure& failure, const Access& earlier, std::size_t skip = 0);
  void tell_freed(Failure& failure, std::uint64_t begin, std::uint64_t size);
  [[noreturn]] static void fail_with(Failure failure, AccessKind kind, std::uint64_t address,
                                     std::uint64_t size, std::uint64_t code, std::uint32_t learned_by = 0);

  RaceDetector detector_;
  KnownRaces known_;
  bool excepts_ = true;    // until an execution begins
  bool attentive_ = true;  // the same
  bool tells_accesses_ = false;
  bool at_point_ = false;        // the access that is judged is the pending operation
  std::vector<ThreadId> names_;  // by number of thread
  struct LeftOut {
    std::uint16_t reads = 0;
    std::uint16_t writes = 0;
  };
  std::vector<LeftOut> left_out_;  // by number of thread: how often leave_out() was called with true
  bool leaves_out_ = false;        // leave_out() was called at all
  std::vector<std::pair<std::uint64_t, std::uint64_t>> allowed_;  // begin and end
  std::size_t allowed_before_ = 0;  // the first so many came before the first choice
  std::vector<Access> freed_;       // freed blocks, if places are recorded
  std::vector<Foreign> foreign_;
  std::optional<Earlier> earlier_;  // of the last failure that named one
  bool recognising_ = false;
  std::size_t skipped_ = 0;  // while recognising
  // If places are recorded: how much a thread knew of another when it last learned of it, and by which event
  // of the trace, counted from 1. By numbers of threads.
  struct Learned {
    std::uint32_t clock = 0;
    std::uint32_t event = 0;
  };
  std::map<std::pair<std::uint16_t, std::uint16_t>, Learned>* learned_ = nullptr;
  std::optional<MemoryAccess> recognised_;
  EventPlaces recognised_places_;
};

struct RaceJudge::Moment {
  std::vector<LeftOut> left_out;
  std::vector<Foreign> foreign;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> allowed;
};

extern constinit Forever<RaceJudge> the_race_judge;
inline RaceJudge& race_judge() { return the_race_judge.value; }

}  // namespace thrum
