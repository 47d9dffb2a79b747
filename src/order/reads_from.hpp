// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each step of an execution reads from: its class by reads-from (Abdulla et al., OOPSLA 2019; Chalupa et
// al., POPL 2018). A class is, for each step that reads, the step that it reads from with all of that one's
// past. What a thread sees and does by itself is a function of that; the order of stores that nobody
// distinguishes is no part of it.
//
// Example: two threads store x, a third one loads it. There are six orders of the steps, four classes by
// dependence, and three by reads-from: the load reads the initial value, or either store.
//
// The past of a step: the earlier steps of its thread, its source, its causes (creation, join, the step that
// ended its wait), and their pasts.
//
// Tested by reads_from_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/plan.hpp"
#include "model/trace.hpp"
#include "order/locations.hpp"

namespace thrum {

class ReadsFrom {
 public:
  using Index = std::uint32_t;  // number of a step, from 0
  using Count = std::uint32_t;  // number of steps of a thread
  static constexpr Index kNone = 0xffffffff;

  // A choice in the middle of a step that has one: a value, or which thread is woken.
  struct Choice {
    Departure taken;
    std::vector<Option> options;
  };

  struct Step {
    Event event;
    Index previous = kNone;  // of its thread
    Count place = 0;         // in its thread, from 0
    std::uint32_t location = Locations::kNone;
    bool reads = false;
    bool writes = false;
    Index source = kNone;            // kNone: the initial value, or it does not read
    std::vector<Index> causes;       // the last steps of other threads that come first in any case
    std::uint32_t events_after = 0;  // of the thread
    std::vector<Choice> choices;
    Index updated_by = kNone;  // the step that reads from it and writes the same location
  };

  // How many steps of each thread there are. Threads that are not there have none.
  class Cut {
   public:
    Count operator[](ThreadId thread) const { return thread < counts_.size() ? counts_[thread] : 0; }
    void reach(ThreadId thread, Count count);
    void join(const Cut& other);
    bool has(const Step& step) const { return (*this)[step.event.thread] > step.place; }
    ThreadId threads() const { return static_cast<ThreadId>(counts_.size()); }

   private:
    std::vector<Count> counts_;
  };

  // Reads an execution. Learns locations.
  void read(const Trace& trace, Locations& locations) { read(trace, locations, Pasts::yes, 0); }
  // The same where no step has a past, a source or causes. The steps are those from that event on; others
  // were read in another execution, and are not looked at. first_key(): if the steps are all.
  void read_steps(const Trace& trace, Locations& locations, std::size_t begin) {
    read(trace, locations, Pasts::no, begin);
  }

  Index size() const { return static_cast<Index>(steps_.size()); }
  const Step& operator[](Index step) const { return steps_[step]; }
  Count steps_of(ThreadId thread) const {
    return thread < threads_.size() ? static_cast<Count>(threads_[thread].size()) : 0;
  }
  // REQUIRES: place < steps_of(thread)
  Index step_of(ThreadId thread, Count place) const { return threads_[thread][place]; }
  ThreadId threads() const { return static_cast<ThreadId>(threads_.size()); }

  // The step's past, and the step.
  const Cut& past(Index step) const { return pasts_[step]; }
  // Its past but for its source and what comes with that.
  const Cut& past_without_source(Index step) const { return without_source_[step]; }
  // What comes before it whatever is read: its own thread, causes, and their causes; and the step.
  const Cut& causal(Index step) const { return causal_[step]; }
  // The same of what a thread would do next.
  Cut causal_of_next(ThreadId thread) const;

  // The step that reads the location's initial value and writes it; kNone: none.
  Index first_update(std::uint32_t location) const {
    return location < first_updates_.size() ? first_updates_[location] : kNone;
  }

  // The key of the choice before the first step.
  ChoiceKey first_key() const { return first_key_; }
  // Why the classes do not say what executions of the program can do; empty: they do.
  std::string_view not_covered() const { return not_covered_; }
  // Whether time may run out. Then the classes do not say it either, but that is not said there.
  bool depends_on_time() const { return depends_on_time_; }
  // Whether several threads create threads that have memory: it lies where the order of creations says, which
  // the classes do not tell either.
  bool several_create() const { return several_create_; }

 private:
  struct Knowledge {
    Cut past;
    Cut causal;
    std::vector<Index> news;  // the last steps of other threads that it learned of since its own last one
  };
  enum class Pasts : bool { no, yes };
  void read(const Trace& trace, Locations& locations, Pasts pasts, std::size_t begin);
  void append(const Event& event, Locations& locations);
  void append_past(Step& step);
  void append_hidden(const Event& event);
  void teach(ThreadId to, ThreadId from);
  void add_choices(const Trace& trace);
  void look_for_limits(const Trace& trace);
  Knowledge& of(ThreadId thread);

  std::vector<Step> steps_;
  std::vector<Cut> pasts_;
  std::vector<Cut> without_source_;
  std::vector<Cut> causal_;
  std::vector<std::vector<Index>> threads_;
  std::vector<Knowledge> knows_;      // by thread
  std::vector<Index> last_write_;     // by location
  std::vector<Index> first_updates_;  // by location
  ChoiceKey first_key_;
  std::string_view not_covered_;
  bool depends_on_time_ = false;
  bool several_create_ = false;
  Pasts pasts_kept_ = Pasts::yes;
  ThreadId creator_ = kNoThread;  // of threads whose memory lies where the order of creation says
};

}  // namespace thrum
