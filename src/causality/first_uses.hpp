// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What synchronization objects were like before the first operation on them, as operations show it. That is
// what an execution begins with, as long as no object is initialised again in its middle, which is no event:
// then what operations find does not fit, and the program is refused.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "causality/initial_state.hpp"
#include "model/trace.hpp"

namespace thrum {

class FirstUses {
 public:
  // It must outlive this.
  explicit FirstUses(InitialState& initial) : initial_(initial) {}

  void begin_execution();
  void learn(const Event& event);
  // Of an operation that a thread stands before in the end.
  void learn(const PendingOperation& pending);

  // What is not covered; empty: nothing.
  const std::string& not_covered() const { return not_covered_; }

  // What it knows between two executions.
  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.not_covered_, self.guessed_, self.semaphores_, self.loaded_, self.shared_,
                    self.complete_);
  }

 private:
  void learn_semaphore(const Event& event);
  void learn_lock(const Event& event, std::uint64_t object);
  void learn_once(const Event& event);
  void learn_barrier(const Event& event);
  void learn_load(std::uint64_t object);
  void learn_tokens(std::uint64_t object, std::uint64_t count);
  void refuse(const char* what);

  InitialState& initial_;
  std::string not_covered_;
  std::set<std::uint64_t> guessed_;     // semaphores that have that many tokens, or more
  std::set<std::uint64_t> semaphores_;  // all that were seen
  std::set<std::uint64_t> loaded_;      // what was read
  std::set<std::uint64_t> shared_;      // locks that readers share
  std::set<std::uint64_t> complete_;    // barriers of which it is known for how many threads they are
  // Of the execution.
  std::optional<Event> unlock_;                               // the last event
  std::set<std::uint64_t> locks_;                             // that were used
  std::set<std::uint64_t> destroyed_;                         // locks
  std::map<std::uint64_t, std::uint64_t> counts_;             // of semaphores, and of arrivals at barriers
  std::map<std::uint64_t, OnceState> onces_;                  // as they are now
  std::map<std::pair<ThreadId, std::uint64_t>, int> holds_;   // how often a thread holds a mutex
  std::map<std::pair<ThreadId, std::uint64_t>, int> shares_;  // the same of a lock that it shares
};

}  // namespace thrum
