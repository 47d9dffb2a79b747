// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When synchronization operations can be done.
//
// A mutex is a token: each acquisition takes the one that was there at first, or that of a release before it,
// and no token is taken twice. A semaphore has several at first. To take turns, more is not needed: as many
// acquisitions as releases and tokens at first can be done up to any time (Hall's theorem). A try operation
// that fails needs to find no token: each one before it has been taken before it, by another acquisition
// each.
//
// Read-write locks: sections that read have no token, and are kept apart from those that write
// (lock_sections.hpp). A writer that queues takes the lock, or begins a section up to where it has it; then
// no reader begins one. Of mutexes that are locked several times only the outermost section counts. A lock
// that is destroyed is taken for ever. A once is taken by the thread that runs its initialisation.
//
// A futex is a condition variable without a mutex: its waiter sleeps if it reads the value that it expects. A
// timed wait for a lock times out only where it cannot have it.
//
// A wait on a condition variable is asleep from its release of the mutex until it is woken. A signal wakes
// one that sleeps, a broadcast all; a signal may be lost only where nobody sleeps. One that times out sleeps
// no more.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "causality/lock_sections.hpp"
#include "causality/node_encoding.hpp"

namespace thrum {

class SyncEncoding {
 public:
  using Node = ThreadTrees::Node;
  using Literal = Solver::Literal;
  using Relation = ThreadTrees::Relation;

  // All must outlive it.
  SyncEncoding(NodeEncoding& nodes, const InitialState& initial)
      : nodes_(nodes), initial_(initial), sections_(nodes) {}

  // REQUIRES: its effect is known, if it has one (ThreadTrees::effect)
  void add_event(Node event);
  void add_start(Node start);
  void add_end(Node end);
  // More may be known now of what objects are like at first.
  void learn_initial_state();

  // If the literal is true, then the operation cannot be done when nothing else is done any more. REQUIRES:
  // the thread stands before it then
  void say_disabled(Literal literal, Node event);

  // If the literal is true, a writer cannot take the lock there. kNone: when nothing else is done any more.
  void say_taken(std::uint64_t object, Node at, Literal is_so);

  // Of the solver's last model: the waiter that the signal wakes, by the node at which it released its mutex,
  // if it is one of several that sleep; else kNone.
  Node chosen_by(Node signal) const;

  // The first operation that is not covered; empty: there is none.
  const std::string& not_covered() const { return not_covered_; }

 private:
  using Need = NodeEncoding::Need;
  static constexpr Need kNoNeed = 0xffffffff;

  // What each taker takes it by is true only if that one is executed, behind the release.
  struct Token {
    Node release = ThreadTrees::kNone;  // kNone: it was there at first
    Literal exists = 0;                 // if it was
    std::vector<std::pair<Node, Literal>> takers{};
  };
  struct Acquisition {
    Node node = ThreadTrees::kNone;
    Need need = kNoNeed;
    std::vector<Literal> takes{};  // by what it takes tokens
  };
  struct Failure {
    Node node = ThreadTrees::kNone;  // kNone: at the end of the execution
    Literal is_so = 0;
    std::vector<Need> needs{};  // by token: if it came before, somebody took it before
  };
  struct Tokens {
    // What a taker knows of what those did who gave.
    enum class Passes : std::uint8_t { nothing, of_giver, of_all } passes = Passes::nothing;
    std::uint64_t initial = 0;  // of the tokens
    std::vector<Token> tokens{};
    std::vector<Acquisition> acquisitions{};
    std::vector<Failure> failures{};
  };
  struct Match {
    std::size_t waker = 0;
    Literal literal = 0;  // the waiter is woken by it
  };
  struct Wait {
    Node release = ThreadTrees::kNone;
    Literal is_woken = 0;
    Need need = kNoNeed;
    Node timeout = ThreadTrees::kNone;
    std::vector<Node> ends{};  // where it has its mutex again
    std::vector<Match> matches{};
  };
  struct Waker {
    Node node = ThreadTrees::kNone;
    bool wakes_all = false;
    bool wakes_none = false;    // that is how it ends
    Need some = kNoNeed;        // it ends by waking somebody
    std::vector<Need> needs{};  // by wait: if that one sleeps, somebody is woken
  };
  struct Condition {
    std::vector<Wait> waits{};
    std::vector<Waker> wakers{};
  };
  // Sections of a lock, for what happens before what: those of readers follow those of writers, and the other
  // way round.
  struct Sharing {
    std::vector<Node> exclusive_begins{};
    std::vector<Node> exclusive_ends{};
    std::vector<Node> shared_begins{};
    std::vector<Node> shared_ends{};
  };
  struct Joined {  // if the literal is true
    Node end = ThreadTrees::kNone;
    Node join = ThreadTrees::kNone;
    Literal literal = 0;
  };
  struct Joins {
    std::vector<Joined> joined{};
    std::vector<Node> ends{};
    std::vector<std::pair<Node, Need>> joins{};
  };

  // A once is a token that its runner takes, and gives back if the initialisation fails.
  struct Once {
    Literal is_fresh = 0;  // at first
    Literal is_over = 0;   // at first
    bool is_known = false;
    std::vector<Node> ends{};  // where its initialisation is over
    std::vector<std::pair<Node, Need>> finds{};
  };

  // Who arrives and is not the last one takes a token. The last one finds none, and puts all back.
  struct Barrier {
    std::uint64_t tokens = 0;  // of each round
    std::vector<Node> lasts{};
    std::vector<std::pair<Node, Need>> leaves{};
  };

  // Semaphores, and locks.
  Tokens& counted(std::uint64_t object);
  Tokens& lock_of(std::uint64_t object);
  Tokens& tokens_of(std::uint64_t object, std::uint64_t initial);
  void add_try(const ThreadTrees::Operation& operation, Node node);
  void take_lock(std::uint64_t object, Node node);
  void release_lock(std::uint64_t object, Node node);
  void begin_shared(std::uint64_t object, Node node);
  void end_shared(std::uint64_t object, Node node);
  void queue(const ThreadTrees::Operation& operation, Node node);
  void leave_queue(std::uint64_t object, Node node);
  void say_no_reader(std::uint64_t object, Node at, Literal is_so);
  int depth_before(std::uint64_t object, Node node) const;
  bool is_inner(std::uint64_t object, Node node) const;
  Once& once_of(std::uint64_t object);
  void learn_once(std::uint64_t object, Once& once);
  void enter_once(const ThreadTrees::Operation& operation, Node node);
  void leave_once(const ThreadTrees::Operation& operation, Node node);
  void offer_over(Node end, Node find, Need need);
  void synchronize(const Tokens& object, Node release, Node taker, Literal takes);
  static void note_section(NodeEncoding& nodes, Node node, bool begins, std::vector<Node>& own,
                           const std::vector<Node>& others);
  void add_section(Node node);
  void add_check(Node node);
  void keep_together(const Joined& joined, Node check);
  bool is_check(Node node) const;
  void add_acquisition(Tokens& object, Node node);
  void add_release(Tokens& object, Node node);
  void add_release(Tokens& object, Node node, Literal exists);
  void add_failure(Tokens& object, Node node, Literal is_so);
  void offer_token(Tokens& object, std::size_t token, Acquisition& acquisition);
  void require_taken(Tokens& object, Failure& failure, std::size_t token);
  void offer_taken(Failure& failure, std::size_t token, Node taker, Literal takes);
  Barrier& barrier_of(std::uint64_t object);
  void arrive(const ThreadTrees::Operation& operation, Node node);
  void leave_barrier(const ThreadTrees::Operation& operation, Node node);
  void offer_leave(Node last, Node leave, Need need);
  void say_waits_for_others(const ThreadTrees::Operation& operation, Node leave, Literal literal);
  void add_sleep(const ThreadTrees::Operation& operation, Node release);
  void say_asleep(Condition& condition, Node release, Literal literal, Literal or_else);
  void add_timeout_of_lock(const ThreadTrees::Operation& operation, Node node);
  void add_others_ended(Node node);
  void need_end(Node start, Node node);
  void add_wait(const ThreadTrees::Operation& operation, Node node);
  void add_reacquisition(const ThreadTrees::Operation& operation, Node node);
  void add_waker(const ThreadTrees::Operation& operation, Node node);
  void match(Condition& condition, std::size_t wait, std::size_t waker);
  void forbid_lost(Condition& condition, std::size_t wait, std::size_t waker);
  void offer_left(Condition& condition, std::size_t wait, const Match& match, std::size_t waker);
  void offer_left(Condition& condition, std::size_t wait, std::size_t waker, Node by, Literal is_so);
  void add_timeout(Node node);
  void add_join(const ThreadTrees::Operation& operation, Node node);
  void join(Node end, Node join, Need need);
  void order(Node a, Node b);
  Relation relation(Node a, Node b) const { return nodes_.trees().relation(a, b); }
  Literal executed(Node node) const { return nodes_.executed(node); }

  NodeEncoding& nodes_;
  const InitialState& initial_;
  LockSections sections_;
  std::map<std::uint64_t, Tokens> objects_;
  std::map<std::uint64_t, Once> onces_;
  std::map<std::uint64_t, Barrier> barriers_;
  struct End {
    Node start = ThreadTrees::kNone;
    Node others_ended = ThreadTrees::kNone;
    Need need = kNoNeed;
  };
  void offer_end(const End& own, Node end);
  std::vector<End> ends_;  // that others_ended needs
  std::vector<Node> starts_;
  std::vector<Node> others_ended_;
  std::map<std::uint64_t, Condition> conditions_;
  std::map<ThreadId, Joins> joins_;
  std::vector<Node> atomic_sections_;
  std::vector<Node> checks_;                  // of invariants
  std::map<std::uint64_t, Sharing> sharing_;  // by lock
  std::string not_covered_;
};

}  // namespace thrum
