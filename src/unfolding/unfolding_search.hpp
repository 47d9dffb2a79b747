// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A search by the contextual unfolding (prefix.hpp): each execution shows an event that none has shown
// before, until all that any execution can show were shown. Then every state of each thread by itself was
// met, and so each failed assertion and crash. Deadlocks and data races are states of several threads: they
// are looked for in the prefix (deadlocks.hpp, races_between.hpp), and what is found is run.
//
// Behind its target an execution goes on with threads whose next event is new, if there are such. So one
// execution shows many of them: independent conflicts are met side by side, and not one by one.
//
// Joins. What a thread does behind a join may depend on all that the joined thread has seen: then there is an
// event for each way in which it may have ended. Mostly that is not so: main joins its threads, and ends. So
// at first a join reads nothing of the joined thread, only that it has ended (a late join). If the thread
// then does something on an object, creates a thread, or reads memory that another thread writes, the search
// begins again, and the thread's joins read how the joined threads have ended. The same where it accesses
// what a thread accesses that it has not joined: whether that is a data race depends on what the joined
// threads had seen. So the search needs to know the plain accesses.
//
// Tested by tests/oracle/unfolding_test.cpp.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "order/locations.hpp"
#include "order/reads_from.hpp"
#include "search/ordered_plan.hpp"
#include "search/strategy.hpp"
#include "support/members.hpp"
#include "support/random.hpp"
#include "unfolding/deadlines.hpp"
#include "unfolding/deadlocks.hpp"
#include "unfolding/prefix.hpp"
#include "unfolding/races_between.hpp"
#include "unfolding/shown_events.hpp"

namespace thrum {

class UnfoldingSearch final : public Strategy, public Durable, public Reporting, private Advisor {
 public:
  using Mode = Prefix::Mode;
  struct Counts {
    std::uint64_t vain = 0;        // that did not show their target: a step that has to wait there
    std::uint64_t lost = 0;        // that did not, and it never waits
    std::uint64_t unforeseen = 0;  // events that were no extension
    std::uint64_t restarts = 0;    // see Locations::changes, and joins
    std::uint64_t queries = 0;     // executions of a deadlock or a data race that was found in the prefix
    std::uint64_t denied = 0;      // those that did not show it

    template <typename Self>
    static auto members(Self& self) {
      return std::tie(self.vain, self.lost, self.unforeseen, self.restarts, self.queries, self.denied);
    }
  };

  // Which extension is run next. What is found in the end is the same.
  enum class Order : std::uint8_t { newest, random };
  struct Settings {
    Mode mode = Mode::contextual;
    std::uint64_t memory_max = ~std::uint64_t{0};  // bytes of the prefix; beyond it the search gives up
    Order order = Order::newest;
    std::uint64_t seed = 1;         // Order::random
    bool is_greedy = true;          // behind its target an execution goes on towards what is new
    bool orders_creations = false;  // from the beginning
    std::size_t shown_max = 0;      // events that are described for a picture (UnfoldingStatistics::shown)
  };

  explicit UnfoldingSearch(const Settings& settings)
      : settings_(settings),
        random_(settings.seed),
        shown_(settings.shown_max),
        prefix_(std::make_unique<Prefix>(settings.mode)),
        races_(std::make_unique<RacesBetween>(*prefix_, *footprints_)),
        orders_creations_(settings.orders_creations) {}

  explicit UnfoldingSearch(Mode mode = Mode::contextual) : UnfoldingSearch(Settings{.mode = mode}) {}

  bool next(Plan& plan) override;
  Wanted wanted() const override {
    const Wanted::Set places = shown_.takes_more() ? Wanted::kPlaces : Wanted::Set{0};
    const Wanted::Set what = Wanted::kChoices | Wanted::kEvents | Wanted::kFootprints;
    return {static_cast<Wanted::Set>(what | places), Wanted::From::start, 0};
  }
  Advisor* advisor() override { return this; }
  void learn(const Plan& plan, const Trace& trace) override;
  Durable* durable() override { return this; }
  void save(ByteWriter& out, const ThreadNames& names) const override;
  bool load(ByteReader& in, ThreadNames& names) override;
  bool keeps_addresses() const override { return true; }
  Reporting& reporting() override { return *this; }
  Guarantee guarantee() const override;
  std::string problem() const override;
  Progress progress() override;
  std::optional<double> estimate() const override;
  SearchStatistics statistics() const override;
  ForSuite for_suite() const override { return for_suite_; }

  const Prefix& prefix() const { return *prefix_; }
  const Locations& locations() const { return locations_; }
  const Counts& counts() const { return counts_; }
  // An execution was not what was foreseen, and nothing explains that: the search is wrong, or the program
  // does what is not seen.
  bool is_lost() const { return counts_.unforeseen != 0 || counts_.lost != 0; }
  // Threads whose joins read how the joined threads have ended.
  std::size_t joins_that_tell() const { return reads_joined_.size(); }
  // The deadlocks that were found in the prefix, and shown.
  std::set<Deadlocks::Waits> deadlocks() const {
    return deadlocks_ ? deadlocks_->known() : std::set<Deadlocks::Waits>{};
  }

 private:
  using Condition = Prefix::Condition;
  using Slot = Prefix::Slot;
  static constexpr std::uint32_t kNone = Prefix::kNone;
  static constexpr const char* kCreations = "several threads that create threads, some behind joins";

  // What each slot holds; kNone: a condition that no execution has shown before. And which events have read
  // it.
  class Marking {
   public:
    Condition at(Slot slot, const Prefix& prefix) const;
    void set(Slot slot, Condition condition);
    void add_read(Slot slot, Prefix::Event read);
    std::vector<Prefix::Event> reads(Slot slot) const;
    void clear();

   private:
    static constexpr std::uint32_t kInitial = 0xfffffffe;
    std::vector<Condition> conditions_;              // by slot
    std::vector<std::vector<Prefix::Event>> reads_;  // by slot
  };
  // The events that an execution is planned to begin with, which are known: they need not be learned again.
  struct Known {
    std::vector<Prefix::Event> order;
    std::vector<Prefix::Mark> marks;    // what the slots hold behind them
    std::vector<std::uint32_t> events;  // how many, by thread

    void clear();
    bool has(ThreadId thread, std::uint32_t event) const {
      return thread < events.size() && event < events[thread];
    }
  };
  // Counts the events of each thread.
  class Counter {
   public:
    void clear() { counts_.clear(); }
    // How many of the thread's it was called for before.
    std::uint32_t next(ThreadId thread) {
      if (counts_.size() <= thread) counts_.resize(thread + std::size_t{1});
      return counts_[thread]++;
    }
    std::uint32_t count(ThreadId thread) const { return thread < counts_.size() ? counts_[thread] : 0; }

   private:
    std::vector<std::uint32_t> counts_;
  };
  // What the execution that runs is for.
  enum class Task : std::uint8_t { nothing, event, race, deadlock };

  // ---- unfolding_advisor.cpp
  void begin() override;
  Advice at_point(const View& view) override;
  enum class News : std::uint8_t { spoils, none, later, now };
  News news_of(const PendingOperation& pending);
  News news_of_event(Condition before, Slot object, Condition there);
  Prefix::Event find_event(Condition before, Slot object, Condition there, std::uint32_t choices = 0);
  void follow(const Event& event);
  void follow_step(const Event& event, Slot object);

  // ---- unfolding_search.cpp
  void begin_again();
  bool find_task();
  bool find_late_join();
  bool is_behind_round(Prefix::Event event) const;
  bool can_come_to(Prefix::Event event, std::vector<Prefix::Mark>& marks);
  bool write(Plan& plan);
  bool write_race(OrderedPlan& steps);
  bool order_race(std::span<const Prefix::Mark> marks, std::vector<Prefix::Event>& order);
  void give_up_task();
  void look_for_unknown_order();
  void write_steps(OrderedPlan& steps, std::span<const Prefix::Event> order);
  void know(std::vector<Prefix::Mark> marks, std::vector<Prefix::Event> order);
  void begin_marking(Marking& marking) const;
  void settle(const Trace& trace);
  void take_targets();
  Slot slot_of_thread(ThreadId thread);
  Slot slot_of(const Event& event);  // that it reads or consumes; kNone
  bool takes_turn(ThreadId thread, const Marking& marking);

  // ---- unfolding_learn.cpp
  struct Step;  // one of the execution that is learned
  std::optional<std::size_t> find_known_events(const Trace& trace) const;
  void pass_known(const Event& event, std::uint32_t number);
  void learn_events(const Trace& trace);
  void learn_event(const Event& event, ReadsFrom::Index& index, bool ends_execution);
  void note_shown(const Trace& trace, std::size_t at);
  void learn_hidden(const Event& event);
  void learn_join(const Event& event);
  void learn_step(const Event& event, const Step& step);
  void note_contradiction();
  Prefix::Event learn_choices(Condition before, Condition there, std::uint32_t behind,
                              std::span<const ReadsFrom::Choice> choices);
  Prefix::Event learn_timeout(Condition before, Condition there, std::uint32_t behind);
  void learn_spin(Condition condition, const Event& next);
  void learn_pending(const Trace& trace);
  static bool is_event(Operation operation);  // of the unfolding
  static Event next_event_of(const PendingOperation& pending);
  Prefix::Next next_of(const Event& event);
  void note_footprint(ThreadId thread);
  void take_accesses(const Trace& trace, std::uint32_t events);
  bool is_late(const Event& join) const;
  void need_all_of_joined(ThreadId joiner, std::span<const Slot> joined);
  struct BehindLateJoin {
    ThreadId thread;
    FootprintSets::Number footprint;
    std::vector<Slot> ended;  // the threads joined

    friend auto operator<=>(const BehindLateJoin&, const BehindLateJoin&) = default;
    template <typename Self>
    static auto members(Self& self) {
      return std::tie(self.thread, self.footprint, self.ended);
    }
  };
  // All that is kept between two executions.
  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.locations_, self.time_, self.changes_, *self.footprints_, *self.prefix_,
                    *self.races_, self.thread_slots_, self.location_slots_, self.targets_,
                    self.first_key_.thread, self.first_key_.kind, self.first_key_.index, self.reads_joined_,
                    self.all_read_joined_, self.restarts_by_joins_, self.orders_creations_,
                    self.behind_late_joins_, self.of_threads_, self.counts_, self.not_covered_, self.begun_,
                    self.done_, self.part_done_);
  }
  bool contradicts(ThreadId thread, FootprintSets::Number footprint, const BehindLateJoin& behind);
  void look_behind_late_joins(ThreadId thread, FootprintSets::Number footprint, Condition condition);

  Locations locations_;
  Deadlines time_;
  std::uint64_t changes_ = 0;  // Locations::changes() when the search began
  Settings settings_;
  Random random_;
  ShownEvents shown_;
  std::unique_ptr<FootprintSets> footprints_ = std::make_unique<FootprintSets>();
  std::unique_ptr<Prefix> prefix_;
  std::unique_ptr<RacesBetween> races_;
  std::unique_ptr<Deadlocks> deadlocks_;  // once the prefix is complete
  std::vector<Slot> thread_slots_;        // by thread
  std::vector<Slot> location_slots_;      // by location
  struct Target {
    Prefix::Event event;
    double part;  // of the search, by the estimate
  };
  std::vector<Target> targets_;
  Task task_ = Task::nothing;
  Prefix::Event target_ = kNone;
  RacesBetween::Pair race_{};
  std::vector<Prefix::Mark> deadlock_;
  ReadsFrom run_;
  ChoiceKey first_key_;  // of the choice before the first step
  Marking marking_;
  Marking seen_;  // by the advisor
  struct Told {
    Condition before = kNone;
    Condition there = kNone;
    News news = News::none;
  };
  std::vector<Told> told_;  // by thread: the last answer of news_of(), and what it was for
  Known known_;
  Counter counter_;       // of the execution that is learned
  Counter seen_counter_;  // of the one that runs
  std::size_t seen_events_ = 0;
  std::size_t seen_steps_ = 0;
  std::size_t planned_steps_ = 0;  // up to the target; the plan says nothing where a thread goes on

  // Joins. All that is kept when the search begins again.
  std::set<ThreadId> reads_joined_;  // threads whose joins read how the joined threads have ended
  bool all_read_joined_ = false;
  std::uint32_t restarts_by_joins_ = 0;
  bool begins_again_ = false;
  bool is_contradicted_ = false;  // the execution that is learned does not fit with those before
  // Several threads create threads. What these are given lies where the order of all creations says, so each
  // creation takes its turn in that order first: a step that nobody chooses.
  bool orders_creations_ = false;
  // Of this search: the footprints behind late joins, and of all threads.
  std::set<BehindLateJoin> behind_late_joins_;
  std::set<std::pair<ThreadId, FootprintSets::Number>> of_threads_;
  std::vector<std::vector<FootprintSets::Bytes>> accesses_;  // by thread: since its last event
  std::size_t taken_accesses_ = 0;
  ThreadId last_of_all_ = kNoThread;  // of the execution: ends the process when all others have ended

  Counts counts_;
  std::string not_covered_;
  bool begun_ = false;
  bool done_ = false;
  bool has_too_little_memory_ = false;
  ForSuite for_suite_ = ForSuite::no;
  // Of the search, by the estimate.
  double part_ = 0;  // that the execution which runs stands for, with targets that others have shown
  double part_done_ = 0;
};

}  // namespace thrum
