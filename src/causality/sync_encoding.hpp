// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When synchronization operations can be done.
//
// A mutex is a token: each acquisition takes the one that was there at first, or that of a release before it,
// and no token is taken twice. A semaphore has several at first. To take turns, more is not needed: as many
// acquisitions as releases and tokens at first can be done up to any time (Hall's theorem). A try operation
// that fails needs to find no token: each one before it has been taken before it, by another acquisition
// each.
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

#include "causality/node_encoding.hpp"

namespace thrum {

class SyncEncoding {
 public:
  using Node = ThreadTrees::Node;
  using Literal = Solver::Literal;
  using Relation = ThreadTrees::Relation;

  // All must outlive it.
  SyncEncoding(NodeEncoding& nodes, const InitialState& initial) : nodes_(nodes), initial_(initial) {}

  void add_event(Node event);
  void add_end(Node end);
  // More tokens may be known now.
  void learn_initial_tokens();

  // If the literal is true, then the operation cannot be done when nothing else is done any more. REQUIRES:
  // the thread stands before it then
  void say_disabled(Literal literal, Node event);

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
    bool is_mutex = false;
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
    std::vector<Need> needs{};  // by wait: if that one sleeps, somebody is woken
  };
  struct Condition {
    std::vector<Wait> waits{};
    std::vector<Waker> wakers{};
  };
  struct Joins {
    std::vector<Node> ends{};
    std::vector<std::pair<Node, Need>> joins{};
  };

  Tokens& tokens_of(std::uint64_t object, std::uint64_t initial);
  Tokens& mutex_of(std::uint64_t object);
  void synchronize(const Tokens& object, Node release, Node taker, Literal takes);
  void add_section(Node node);
  void add_acquisition(Tokens& object, Node node);
  void add_release(Tokens& object, Node node);
  void add_failure(Tokens& object, Node node, Literal is_so);
  void offer_token(Tokens& object, std::size_t token, Acquisition& acquisition);
  void require_taken(Tokens& object, Failure& failure, std::size_t token);
  void offer_taken(Failure& failure, std::size_t token, Node taker, Literal takes);
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
  std::map<std::uint64_t, Tokens> objects_;
  std::map<std::uint64_t, Condition> conditions_;
  std::map<ThreadId, Joins> joins_;
  std::vector<Node> sections_;
  std::string not_covered_;
};

}  // namespace thrum
