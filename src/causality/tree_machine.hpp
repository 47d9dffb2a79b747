// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each step of the trees does to a state: executions of what is known, without the program.
//
// Only where values decide. Threads are joined as soon as they are over, as the program does it.
//
// Tested by tests/causality/causality_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "causality/cells.hpp"
#include "causality/initial_state.hpp"
#include "causality/thread_trees.hpp"

namespace thrum {

class TreeMachine {
 public:
  using Node = ThreadTrees::Node;
  // Where each thread is, what memory holds, and what synchronization objects are like. Equal words: equal
  // states.
  using State = std::vector<std::uint64_t>;

  // Both must outlive it.
  TreeMachine(const ThreadTrees& trees, const InitialState& initial) : trees_(trees), initial_(initial) {}

  // Takes in what the trees have got since. States from before are none any more.
  void extend();
  // The trees begin again.
  void forget();
  // An operation that it does not know; empty: there is none.
  const std::string& not_covered() const { return not_covered_; }

  enum class Went : std::uint8_t {
    on,
    to_news,     // to something that no execution has shown
    to_the_end,  // of the execution
  };
  // The state that executions begin in.
  Went start(State& state);
  // REQUIRES: the operation can be done, and was done in an execution. woken: of find_sleepers()
  Went step(State& state, Node operation, ThreadId woken);
  // The nodes that the last step, or the start, has come to, in their order; but not decisions, each of which
  // is followed by one of its outcomes.
  const std::vector<Node>& path() const { return path_; }
  // Where something new is met: the node that it would come behind.
  Node news() const { return news_; }

  std::size_t threads() const { return threads_; }
  // Of a state.
  std::size_t words() const { return first_.size(); }
  // Behind what the thread has done; kNone: it was not created.
  Node at(const State& state, ThreadId thread) const { return static_cast<Node>(state[thread] >> 32); }
  bool is_over(const State& state, ThreadId thread) const { return (state[thread] & kOver) != 0; }
  // Whether the thread, which stands before it, can do the operation. REQUIRES: it begins a step, and is no
  // join
  bool can_do(const State& state, Node operation) const;
  // Whether it would be misuse of a lock, which is destroyed while it is in use, or was before.
  bool is_misuse(const State& state, Node operation) const;
  // Whether the operation belongs to a lock that some thread destroys.
  bool may_be_misuse(Node operation) const;
  // If the operation wakes one thread: those that it may wake.
  void find_sleepers(const State& state, Node operation, std::vector<ThreadId>& sleepers) const;
  // Whether the read would give the same again.
  bool gives(const State& state, Node outcome) const;

  // Cells and synchronization objects, by number.
  std::size_t cells() const { return cells_.size(); }
  std::size_t objects() const { return objects_.size(); }
  template <typename Visit>  // (number of the cell)
  void visit_cells(Node access, Visit visit) const {
    for (const Piece& piece : pieces_of(access)) visit(piece.cell);
  }
  template <typename Visit>  // (number of an object that lies there)
  void visit_objects(std::uint64_t begin, std::uint64_t end, Visit visit) const {
    for (auto at = numbers_.lower_bound(begin); at != numbers_.end() && at->first < end; ++at)
      visit(at->second);
  }
  static constexpr std::uint32_t kNoObject = 0xffffffff;
  // What the operation is done to; of a wait on a condition variable or a timeout, what is waited for.
  std::uint32_t object_of(Node event) const { return uses_[event].object; }
  std::uint32_t mutex_of(Node event) const { return uses_[event].mutex; }

 private:
  static constexpr std::uint64_t kOver = 1;
  static constexpr std::uint64_t kSleepUnit = 2;  // a thread sleeps on the object before that number
  static constexpr std::uint64_t kSleepMask = 0xfffffffe;

  enum class Use : std::uint8_t { other, lock, semaphore, once, barrier };
  struct Object {
    std::uint64_t address = 0;
    Use use = Use::other;
    bool is_destroyed = false;  // by some thread, in some execution
  };
  // The state of an object, in one word.
  struct Content {
    std::int32_t count = 0;    // tokens; of a barrier: arrivals; of a once: its state
    std::int16_t readers = 0;  // that hold it
    std::int16_t queued = 0;   // writers that keep readers out
  };
  static constexpr std::int32_t kUnknownOnce = -1;
  struct Uses {
    std::uint32_t object = kNoObject;
    std::uint32_t mutex = kNoObject;
    bool is_inner = false;  // of a mutex that the thread holds, and goes on to hold
  };
  struct Piece {
    std::uint32_t cell = 0;
    std::uint32_t shift = 0;  // in bits
    std::uint64_t mask = 0;
  };
  struct Pieces {
    const Piece* first = nullptr;
    const Piece* last = nullptr;
    const Piece* begin() const { return first; }
    const Piece* end() const { return last; }
  };

  void take_cells();
  void add_pieces(Node access);
  void take_uses();
  void take_timeout(Node node);
  std::uint32_t number_of(std::uint64_t address, Use use);
  int depth_before(std::uint64_t object, Node node) const;
  bool is_inner(Node event) const;
  void make_first();
  Content first_content(const Object& object) const;

  std::size_t memory() const { return threads_; }
  std::size_t contents() const { return threads_ + cells_.size() + (cells_.size() + 63) / 64; }
  bool is_known(const State& state, std::uint32_t cell) const {
    return (state[threads_ + cells_.size() + cell / 64] >> cell % 64 & 1) != 0;
  }
  void know(State& state, std::uint32_t cell) const {
    state[threads_ + cells_.size() + cell / 64] |= std::uint64_t{1} << cell % 64;
  }
  Content content(const State& state, std::uint32_t object) const;
  void set_content(State& state, std::uint32_t object, Content content) const;
  void move(State& state, ThreadId thread, Node to) const {
    state[thread] = (state[thread] & 0xffffffff) | std::uint64_t{to} << 32;
  }
  std::uint32_t sleeps_on(const State& state, ThreadId thread) const {
    return static_cast<std::uint32_t>((state[thread] & kSleepMask) / kSleepUnit) -
           1;  // kNoObject: it does not
  }
  void sleep(State& state, ThreadId thread, std::uint32_t object) const {
    state[thread] = (state[thread] & ~kSleepMask) | (object + std::uint64_t{1}) * kSleepUnit;
  }
  void awake(State& state, ThreadId thread) const { state[thread] &= ~kSleepMask; }
  bool sleeps(const State& state, ThreadId thread) const { return (state[thread] & kSleepMask) != 0; }

  bool can_lock(const State& state, std::uint32_t object) const;
  bool can_share(const State& state, std::uint32_t object) const;
  bool can_time_out(const State& state, Node timeout) const;
  bool can_arrive(const State& state, Node arrival) const;
  bool can_enter(const State& state, Node enter) const;
  void perform(State& state, Node operation, ThreadId woken) const;
  void count(State& state, std::uint32_t object, std::int32_t change) const;
  void share(State& state, std::uint32_t object, int change) const;
  void queue(State& state, std::uint32_t object, int change) const;
  void leave_queue(State& state, Node operation) const;
  void wake(State& state, std::uint32_t object, ThreadId one) const;
  bool wakes_all(Node waker) const;
  void move_on(State& state, ThreadId thread, Node to);
  Went go_on(State& state, ThreadId thread);
  Went join_all(State& state);
  Went read(State& state, ThreadId thread, Node read);
  void write(State& state, Node write) const;
  void fall_asleep(State& state, ThreadId thread, Node next) const;
  Pieces pieces_of(Node access) const {
    const auto& [begin, end] = ranges_[access];
    return {pieces_.data() + begin, pieces_.data() + end};
  }

  const ThreadTrees& trees_;
  const InitialState& initial_;
  std::string not_covered_;
  std::uint64_t changes_ = 0;  // that were taken in
  Cells cells_;
  Node with_cells_ = 0;  // nodes up to here
  std::vector<Piece> pieces_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges_;  // by node: of its pieces
  std::vector<Object> objects_;
  std::map<std::uint64_t, std::uint32_t> numbers_;  // of objects, by address
  std::vector<Uses> uses_;                          // by node
  std::vector<Node> futex_wakes_;
  std::size_t threads_ = 0;
  State first_;
  std::vector<Node> path_;
  Node news_ = ThreadTrees::kNone;
  bool may_join_ = false;  // in this step a thread has ended, or has come to a join
};

}  // namespace thrum
