// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bytes of jobs and reports.
//
// One function for each type lists its fields. A Writer runs it to write, a Reader to read, so the two cannot
// drift apart. The Reader must expect any bytes: the worker that wrote them may have been destroyed by its
// own bugs. It checks each value that is later used as an index or an enumerator.
//
// Threads are passed as names, since the two processes number them differently.
//
// Tested by job_test.cpp.
#include "protocol/job.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "protocol/names.hpp"

namespace thrum {

namespace {

class Writer {
 public:
  Writer(ByteWriter& out, const ThreadNames& names) : out_(out), names_(names) {}

  template <typename T>
  void number(const T& value) {
    out_.put(value);
  }
  template <typename E>
  void enumerator(const E& value, E /*last*/) {
    out_.put(value);
  }
  void flag(const bool& value) { out_.put(static_cast<std::uint8_t>(value)); }
  void text(const std::string& value) { out_.put_string(value); }
  // A number without a thread comes from destroyed memory of the program. It is left out, so that the rest
  // can be read.
  void thread(const ThreadId& id) { out_.put_string(names_.name(id < names_.size() ? id : kMainThread)); }
  void thread_or_none(const ThreadId& id) { out_.put_string(id < names_.size() ? names_.name(id) : ""); }
  void plan(const Plan& value) { write_plan(out_, value, names_); }

  template <typename T, typename Each>
  void list(const std::vector<T>& values, Each each) {
    out_.put(static_cast<std::uint32_t>(values.size()));
    for (const T& value : values) each(*this, value);
  }
  template <typename T, typename Each>
  void optional(const std::optional<T>& value, Each each) {
    flag(value.has_value());
    if (value) each(*this, *value);
  }

  static constexpr bool kReads = false;
  bool ok() const { return true; }
  void fail() {}

 private:
  ByteWriter& out_;
  const ThreadNames& names_;
};

class Reader {
 public:
  Reader(ByteReader& in, ThreadNames& names) : in_(in), names_(names) {}

  template <typename T>
  void number(T& value) {
    value = in_.get<T>();
  }
  template <typename E>
  void enumerator(E& value, E last) {
    auto raw = in_.get<std::underlying_type_t<E>>();
    if (raw > static_cast<std::underlying_type_t<E>>(last)) {
      in_.fail();
      raw = 0;
    }
    value = static_cast<E>(raw);
  }
  void flag(bool& value) {
    auto raw = in_.get<std::uint8_t>();
    if (raw > 1) in_.fail();
    value = raw == 1;
  }
  void text(std::string& value) { value = in_.get_string(); }
  void thread(ThreadId& id) {
    thread_or_none(id);
    if (id != kNoThread) return;
    in_.fail();
    id = kMainThread;
  }
  void thread_or_none(ThreadId& id) {
    id = kNoThread;
    std::string name = in_.get_string();
    if (name.empty()) return;
    // A name adds at most half as many threads to the table as it has characters; the table holds at most
    // kNoThread.
    std::optional<ThreadId> known;
    if (names_.size() + name.size() < kNoThread) known = names_.parse(name);
    if (known) {
      id = *known;
    } else {
      in_.fail();
    }
  }
  void plan(Plan& value) { value = read_plan(in_, names_); }

  template <typename T, typename Each>
  void list(std::vector<T>& values, Each each) {
    std::uint32_t count = in_.get_count();
    values.clear();
    for (std::uint32_t i = 0; i < count && in_.ok(); ++i) each(*this, values.emplace_back());
  }
  template <typename T, typename Each>
  void optional(std::optional<T>& value, Each each) {
    bool has = false;
    flag(has);
    T read{};
    if (has) each(*this, read);
    if (has) value = std::move(read);
  }

  static constexpr bool kReads = true;
  bool ok() const { return in_.ok(); }
  void fail() { in_.fail(); }

 private:
  ByteReader& in_;
  ThreadNames& names_;
};

// X is T or const T.

constexpr auto number = [](auto& codec, auto& value) { codec.number(value); };

constexpr auto text = [](auto& codec, auto& value) { codec.text(value); };

constexpr auto place = [](auto& codec, auto& x) {
  codec.enumerator(x.space, Place::Space::other);
  if (x.space == Place::Space::none) return;
  if (x.space == Place::Space::heap || x.space == Place::Space::stack) {
    codec.thread(x.owner);
  } else {
    codec.number(x.owner);
  }
  codec.number(x.number);
  codec.number(x.offset);
};

constexpr auto event_places = [](auto& codec, auto& x) {
  place(codec, x.object);
  place(codec, x.value);
  place(codec, x.operand);
  codec.list(x.stack, place);
};

// For some operations the argument is a thread.
constexpr auto argument = [](auto& codec, auto& x) {
  const bool is_thread = x.operation == Operation::thread_create || x.operation == Operation::thread_join;
  const bool is_woken = x.operation == Operation::signal || x.operation == Operation::futex_wake;
  if (!is_thread && !is_woken) return codec.number(x.argument);
  const std::uint64_t first = is_woken ? 1 : 0;  // woken threads are counted from 1; 0: none
  ThreadId id = x.argument < first ? kNoThread : static_cast<ThreadId>(x.argument - first);
  codec.thread_or_none(id);
  if constexpr (std::remove_reference_t<decltype(codec)>::kReads)
    x.argument = id == kNoThread ? 0 : id + first;
};

constexpr auto event = [](auto& codec, auto& x) {
  codec.number(x.object);
  codec.number(x.value);
  codec.number(x.operand);
  codec.number(x.code);
  codec.number(x.index);
  codec.thread(x.thread);
  codec.enumerator(x.operation, Operation::process_exit);
  codec.enumerator(x.outcome, Outcome::unchanged);
  codec.number(x.size);
  argument(codec, x);
  codec.number(x.woken_by);
  codec.enumerator(x.update, Update::bit_nand);
  codec.flag(x.timed);
  codec.flag(x.has_deadline);
  codec.flag(x.forced);
  codec.number(x.focus);
  codec.flag(x.acquires);
  codec.flag(x.releases);
};

constexpr auto known_race = [](auto& codec, auto& x) {
  place(codec, x.first);
  place(codec, x.second);
  place(codec, x.bytes);
  codec.number(x.size);
};

constexpr auto waiter = [](auto& codec, auto& x) {
  codec.thread(x.thread);
  codec.enumerator(x.operation, Operation::process_exit);
  codec.number(x.object);
  codec.thread_or_none(x.holder);
  codec.flag(x.spinning);
  codec.number(x.code);
  codec.flag(x.ready);
};

constexpr auto stack_frame = [](auto& codec, auto& x) {
  place(codec, x.code);
  codec.number(x.stack_pointer);
  codec.number(x.base_pointer);
  codec.number(x.end);
};

constexpr auto heap_block = [](auto& codec, auto& x) {
  codec.thread(x.thread);
  codec.number(x.number);
  codec.number(x.size);
  codec.list(x.allocated, place);
};

constexpr auto lost_blocks = [](auto& codec, auto& x) {
  codec.thread(x.thread);
  codec.number(x.blocks);
  codec.number(x.bytes);
  codec.flag(x.with_another);
  codec.list(x.stack, place);
};

constexpr auto memory_access = [](auto& codec, auto& x) {
  codec.thread(x.thread);
  codec.enumerator(x.kind, AccessKind::thread_end);
  codec.number(x.size);
  codec.number(x.address);
  codec.number(x.code);
  codec.number(x.events);
  codec.number(x.learned_by);
};

constexpr auto failure = [](auto& codec, auto& x) {
  codec.enumerator(x.kind, BugKind::invariant);
  codec.text(x.message);
  codec.thread(x.thread);
  codec.number(x.code);
  codec.list(x.waiters, waiter);
  codec.list(x.accesses, memory_access);
  codec.text(x.file);
  codec.number(x.line);
  codec.flag(x.is_fatal);
};

// The meaning of an option depends on the kind of its choice, so options are written with their choice.
template <typename Codec, typename Point, typename Options>
void choice(Codec& codec, Point& x, Options& options) {
  codec.thread(x.key.thread);
  codec.enumerator(x.key.kind, ChoiceKind::value);
  codec.number(x.key.index);
  codec.flag(x.running_enabled);
  codec.flag(x.yielded);
  codec.number(x.enabled);
  codec.number(x.round);
  codec.number(x.taken);
  codec.number(x.cost_before);
  codec.number(x.step);
  codec.number(x.options_count);
  if constexpr (Codec::kReads) {
    if (x.taken >= x.options_count || x.enabled > x.options_count || x.round >= x.options_count) codec.fail();
    x.options_begin = static_cast<std::uint32_t>(options.size());
  }
  for (std::uint32_t i = 0; i < x.options_count && codec.ok(); ++i) {
    if constexpr (Codec::kReads) options.emplace_back();
    auto& option = options[x.options_begin + i];
    if (x.key.kind == ChoiceKind::value) {
      codec.number(option.value);
    } else {
      codec.thread(option.value);
    }
    codec.enumerator(option.via, kLastVia);
  }
}

constexpr auto watched = [](auto& codec, auto& x) {
  codec.number(x.event);
  codec.number(x.size);
  codec.number(x.object);
};

constexpr auto pending_operation = [](auto& codec, auto& x) {
  codec.thread(x.thread);
  codec.enumerator(x.operation, Operation::process_exit);
  codec.flag(x.enabled);
  codec.number(x.size);
  codec.number(x.object);
  codec.number(x.operand);
  codec.number(x.woken_by);
  codec.number(x.focus);
  codec.enumerator(x.via, kLastVia);
  codec.flag(x.sleeps);
  codec.flag(x.timed);
  codec.flag(x.has_deadline);
  codec.number(x.condition);
};

constexpr auto await = [](auto& codec, auto& x) {
  codec.number(x.event);
  codec.number(x.condition);
};

constexpr auto refusal = [](auto& codec, auto& x) {
  codec.number(x.condition);
  codec.number(x.value);
};

constexpr auto sampling = [](auto& codec, auto& x) {
  codec.flag(x.as_expected);
  codec.number(x.sources);
  codec.number(x.log_chance);
  codec.list(x.counts, [](auto& inner, auto& count) {
    inner.thread(count.thread);
    inner.number(count.object);
    inner.number(count.count);
  });
};

constexpr auto recorded_access = [](auto& codec, auto& x) {
  codec.number(x.event);
  codec.thread(x.thread);
  codec.enumerator(x.operation, Operation::process_exit);
  codec.flag(x.writes);
  codec.flag(x.in_section);
  codec.number(x.size);
  codec.number(x.object);
  codec.number(x.value);
  codec.number(x.term);
  codec.number(x.code);
};

constexpr auto event_terms = [](auto& codec, auto& x) {
  codec.number(x.event);
  codec.number(x.read);
  codec.number(x.written);
};

constexpr auto decision = [](auto& codec, auto& x) {
  codec.number(x.event);
  codec.number(x.accesses);
  codec.thread(x.thread);
  codec.flag(x.of_event);
  codec.number(x.code);
  codec.number(x.term);
  codec.number(x.outcome);
};

constexpr auto recorded_input = [](auto& codec, auto& x) {
  codec.thread(x.thread);
  codec.number(x.number);
  codec.number(x.bits);
  codec.number(x.symbol);
};

constexpr auto execution_counts = [](auto& codec, auto& x) {
  codec.number(x.steps);
  codec.number(x.points);
  codec.number(x.withheld);
  codec.number(x.threads);
  codec.flag(x.midway);
  codec.flag(x.trusted);
  codec.flag(x.left_control);
};

constexpr auto details = [](auto& codec, auto& x) {
  codec.list(x.places, event_places);
  codec.list(x.failure_stack, place);
  codec.list(x.waiter_places, event_places);
  codec.list(x.access_places, event_places);
  codec.list(x.others, waiter);
  codec.list(x.other_places, event_places);
  codec.list(x.frames, stack_frame);
  codec.list(x.blocks, heap_block);
  codec.list(x.known_races, known_race);
  codec.list(x.lost, lost_blocks);
  codec.text(x.output);
  if (x.other_places.size() != x.others.size()) codec.fail();
};

constexpr auto trace = [](auto& codec, auto& x) {
  codec.enumerator(x.end, End::uncontrolled);
  codec.list(x.choices, [&](auto& inner, auto& point) { choice(inner, point, x.options); });
  codec.list(x.events, event);
  codec.number(x.branch);
  codec.list(x.watches, watched);
  codec.list(x.awaits, await);
  codec.list(x.refusals, refusal);
  codec.list(x.pending, pending_operation);
  codec.number(x.cost);
  sampling(codec, x.sampling);
  codec.enumerator(x.fairness, Fairness::on);
  codec.enumerator(x.waiting, Waiting::values);
  codec.enumerator(x.rounds, Rounds::merge);
  codec.flag(x.begins_again);
  codec.flag(x.compares_deadlines);
  codec.flag(x.reveals_threads);
  codec.flag(x.reuses_blocks);
  codec.flag(x.starved);
  codec.flag(x.grew);
  codec.number(x.shared);
  codec.thread(x.last);
  failure(codec, x.failure);
  codec.number(x.lasso.begin);
  codec.number(x.lasso.end);
  details(codec, x.details);
  execution_counts(codec, x.counts);
  codec.list(x.accesses, recorded_access);
  codec.list(x.terms, event_terms);
  codec.list(x.decisions, decision);
  codec.list(x.inputs, recorded_input);
  const bool is_lasso_inside = x.lasso.begin <= x.lasso.end && x.lasso.end <= x.events.size();
  const bool has_places = x.details.places.empty() || x.details.places.size() == x.events.size();
  const bool has_waiter_places =
      x.details.waiter_places.empty() || x.details.waiter_places.size() == x.failure.waiters.size();
  if (!is_lasso_inside || !has_places || !has_waiter_places) codec.fail();
};

constexpr auto bound = [](auto& codec, auto& x) {
  codec.enumerator(x.base, Base::round_robin);
  codec.optional(x.limit, number);
  codec.optional(x.completed, number);
  codec.enumerator(x.covers, Covers::deadlocks_and_races);
};

constexpr auto found_bug = [](auto& codec, auto& x) {
  failure(codec, x.failure);
  codec.plan(x.plan);
  codec.number(x.preemptions);
  codec.flag(x.minimal);
  codec.optional(x.switches, number);
  codec.flag(x.switches_minimal);
  codec.number(x.execution);
  codec.number(x.seconds);
  codec.text(x.strategy);
  codec.text(x.unconfirmed);
  codec.flag(x.simplified);
  codec.optional(x.without, [](auto& inner, auto& without) {
    inner.plan(without.plan);
    trace(inner, without.trace);
  });
  trace(codec, x.trace);
};

constexpr auto chance = [](auto& codec, auto& x) {
  codec.enumerator(x.of, Chance::Of::object_order);
  codec.optional(x.log_least, number);
  codec.number(x.depth);
  codec.number(x.threads);
  codec.number(x.steps);
  codec.number(x.objects);
  codec.number(x.executions);
  codec.flag(x.unfit);
};

constexpr auto level_count = [](auto& codec, auto& x) {
  codec.number(x.executions);
  codec.number(x.classes);
  codec.number(x.bugs);
  codec.optional(x.completed, number);
};

constexpr auto growth_point = [](auto& codec, auto& x) {
  codec.number(x.executions);
  codec.number(x.classes);
  codec.number(x.seconds);
  codec.number(x.local_states.late);
  codec.number(x.local_states.full);
  codec.number(x.value_sequences);
};

constexpr auto member_count = [](auto& codec, auto& x) {
  codec.text(x.name);
  codec.number(x.executions);
  codec.number(x.bugs);
  codec.number(x.seconds);
};

constexpr auto coverage_count = [](auto& codec, auto& x) {
  codec.number(x.count);
  codec.flag(x.is_exact);
  codec.number(x.last_new);
};

constexpr auto statistics = [](auto& codec, auto& x) {
  codec.enumerator(x.base, Base::round_robin);
  codec.list(x.levels, level_count);
  codec.list(x.growth, growth_point);
  codec.list(x.members, member_count);
  codec.flag(x.counts_classes);
  codec.optional(x.classes, number);
  codec.optional(x.local_states, coverage_count);
  codec.optional(x.value_sequences, coverage_count);
  codec.number(x.in_vain);
  codec.number(x.waited);
  codec.number(x.before);
};

constexpr auto event_link = [](auto& codec, auto& x) {
  for (auto* place_of_one : {&x.previous, &x.object, &x.source, &x.joined}) codec.number(*place_of_one);
  for (auto* is_so : {&x.consumes, &x.is_late, &x.fails}) codec.flag(*is_so);
  codec.list(x.behind, number);
};

// A structure that consists of numbers.
template <typename Numbers>
constexpr auto numbers = [](auto& codec, auto& x) {
  std::apply([&codec](auto&... member) { (codec.number(member), ...); }, Numbers::members(x));
};

constexpr auto stateful = [](auto& codec, auto& x) {
  numbers<StatefulStatistics>(codec, x);
  codec.list(x.bounds, [](auto& inner, auto& within) {
    inner.number(within.states);
    inner.number(within.steps);
  });
  codec.list(x.curves, [](auto& inner, auto& curve) {
    inner.text(curve.name);
    inner.list(curve.points, [](auto& points, auto& point) {
      points.number(point.first);
      points.number(point.second);
    });
  });
};

constexpr auto shown_unfolding = [](auto& codec, auto& x) {
  codec.list(x.links, event_link);
  codec.list(x.trace.events, event);
  codec.list(x.trace.details.places, event_places);
  codec.list(x.trace.details.frames, stack_frame);
  codec.list(x.trace.details.blocks, heap_block);
  codec.number(x.events);
  const std::size_t count = x.links.size();
  bool is_whole = x.trace.events.size() == count && x.trace.details.places.size() == count;
  for (std::uint32_t i = 0; i < count && is_whole; ++i) {
    const auto& link = x.links[i];
    const auto is_before = [&](std::uint32_t one) { return one == ShownUnfolding::kNone || one < i; };
    is_whole = is_before(link.previous) && is_before(link.source) && is_before(link.joined) &&
               std::all_of(link.behind.begin(), link.behind.end(), is_before) &&
               (link.object == ShownUnfolding::kNone || link.object < count);
  }
  if (!is_whole) codec.fail();
};

constexpr auto search_result = [](auto& codec, auto& x) {
  codec.enumerator(x.end, SearchEnd::lost_control);
  codec.flag(x.guarantee.complete);
  codec.flag(x.guarantee.exhausted);
  codec.list(x.guarantee.bounds, bound);
  codec.optional(x.guarantee.chance, chance);
  codec.enumerator(x.guarantee.covers, Covers::deadlocks_and_races);
  codec.list(x.bugs, found_bug);
  codec.number(x.executions);
  codec.number(x.steps);
  for (auto& cut : x.claims.cuts) codec.number(cut);
  for (auto& open : x.claims.open_from) codec.number(open);
  codec.number(x.claims.passed);
  codec.number(x.claims.assumed_away);
  codec.number(x.claims.beyond_yields);
  codec.number(x.withheld);
  codec.number(x.threads_max);
  codec.number(x.seconds);
  codec.number(x.kept.waiting);
  codec.number(x.kept.nodes);
  codec.number(x.kept.nodes_max);
  codec.number(x.kept.spilled);
  codec.number(x.kept.uncompressed);
  codec.number(x.kept.apart);
  codec.number(x.kept.complete);
  codec.number(x.kept.remembered);
  codec.optional(x.kept.unfolding, [](auto& inner, auto& unfolding) {
    inner.number(unfolding.local_states);
    inner.number(unfolding.vain);
    inner.number(unfolding.restarts);
    inner.number(unfolding.queries);
    inner.number(unfolding.denied);
    inner.number(unfolding.pairs);
    inner.number(unfolding.bytes);
    inner.optional(unfolding.shown, shown_unfolding);
  });
  codec.optional(x.kept.causality, numbers<CausalityStatistics>);
  codec.optional(x.kept.stateful, stateful);
  statistics(codec, x.statistics);
  codec.plan(x.lost_plan);
  codec.text(x.lost_reason);
  codec.number(x.audited);
  codec.number(x.midway);
  codec.number(x.trusted);
  codec.optional(x.divergence, [](auto& inner, auto& divergence) {
    trace(inner, divergence.first);
    trace(inner, divergence.second);
    inner.number(divergence.event);
    const std::size_t shorter = std::min(divergence.first.events.size(), divergence.second.events.size());
    if (divergence.event > shorter) inner.fail();
  });
};

constexpr auto module = [](auto& codec, auto& x) {
  codec.text(x.path);
  codec.flag(x.instrumented);
  codec.number(x.bias);
  codec.number(x.begin);
  codec.number(x.end);
};

constexpr auto note = [](auto& codec, auto& x) {
  codec.text(x.kind);
  codec.number(x.count);
  codec.text(x.text);
  codec.flag(x.uncontrolled);
  codec.list(x.stack, place);
};

constexpr auto warning = [](auto& codec, auto& x) {
  codec.text(x.kind);
  codec.number(x.count);
  codec.list(x.evidence, trace);
};

constexpr auto announced_test = [](auto& codec, auto& x) {
  codec.text(x.name);
  codec.list(x.options, text);
};

constexpr auto waiting_loop = [](auto& codec, auto& x) {
  place(codec, x.call);
  codec.enumerator(x.kind, WaitingLoop::Kind::uncontrolled);
  codec.number(x.differences);
};

constexpr auto suite_run = [](auto& codec, auto& x) {
  codec.number(x.run);
  codec.list(x.departed, [](auto& inner, auto& one) {
    inner.number(one.schedule);
    inner.number(one.departure);
    inner.enumerator(one.end, End::uncontrolled);
  });
  codec.list(x.changed, number);
  codec.number(x.failed);
  codec.flag(x.leaks);
};

constexpr auto report = [](auto& codec, auto& x) {
  search_result(codec, x.result);
  codec.flag(x.started_threads);
  codec.enumerator(x.threads, Threads::system);
  codec.number(x.trace_digest);
  codec.list(x.modules, module);
  codec.list(x.notes, note);
  codec.list(x.warnings, warning);
  codec.list(x.loops, waiting_loop);
  codec.optional(x.replayed, trace);
  codec.number(x.unmet);
  codec.optional(x.suite, suite_run);
  codec.optional(x.tests, [](auto& inner, auto& tests) { inner.list(tests, announced_test); });
  codec.text(x.part_name);
  codec.flag(x.part_missing);
  codec.flag(x.may_have_more);
  codec.number(x.executions_skipped);
  codec.text(x.skip_reason);
  codec.text(x.alone);
  codec.text(x.refused);
};

constexpr auto offset_range = [](auto& codec, auto& x) {
  codec.number(x.begin);
  codec.number(x.end);
};

constexpr auto so_far = [](auto& codec, auto& x) {
  search_result(codec, x.before);
  search_result(codec, x.result);
  codec.list(x.notes, note);
  codec.list(x.weaker_atomics, place);
  codec.list(x.known_races, known_race);
};

constexpr auto job = [](auto& codec, auto& x) {
  codec.text(x.strategy);
  codec.enumerator(x.settings.base, Base::round_robin);
  codec.optional(x.settings.limit, number);
  codec.number(x.settings.seed);
  codec.number(x.settings.depth);
  codec.enumerator(x.settings.rounds, Rounds::merge);
  codec.list(x.settings.priorities, text);
  codec.number(x.settings.memory_max);
  codec.number(x.settings.shown_max);
  codec.flag(x.settings.measure_tree);
  codec.text(x.temporary_folder);
  codec.list(x.focus_code, offset_range);
  codec.list(x.focus_data, offset_range);
  codec.number(x.executions);
  codec.number(x.steps);
  codec.number(x.program_memory);
  codec.number(x.hang_seconds);
  codec.number(x.early_timeouts_ns);
  codec.number(x.yields);
  codec.number(x.repeat);
  codec.flag(x.keep_going);
  codec.enumerator(x.heap, Heap::fresh);
  codec.enumerator(x.races, Races::ignore);
  codec.flag(x.leaks);
  codec.enumerator(x.fairness, Fairness::on);
  codec.flag(x.spurious);
  codec.flag(x.state_cache);
  codec.number(x.state_curves);
  codec.flag(x.heap_symmetry);
  codec.optional(x.state_depth, [](auto& inner, auto& value) { inner.number(value); });
  codec.enumerator(x.threads, Threads::system);
  for (auto* flag : {&x.count_classes, &x.keeps_classes, &x.count_local_states, &x.count_values, &x.waypoints,
                     &x.trusts_classes, &x.fsgsbase, &x.digest_traces})
    codec.flag(*flag);
  codec.text(x.test);
  codec.number(x.part);
  codec.flag(x.only_list);
  codec.list(x.known_races, known_race);
  codec.flag(x.has_solver);
  codec.flag(x.led);
  codec.enumerator(x.suite, SuiteUse::replay);
  codec.optional(x.replay, [](auto& inner, auto& value) { inner.plan(value); });
  codec.text(x.cpp_bitcode);
  codec.text(x.c_bitcode);
};

}  // namespace

void write_job(ByteWriter& out, const Job& value, const ThreadNames& names) {
  Writer writer(out, names);
  job(writer, value);
}

std::optional<Job> read_job(ByteReader& in, ThreadNames& names) {
  Reader reader(in, names);
  Job value;
  job(reader, value);
  if (!in.ok()) return std::nullopt;
  return value;
}

void write_report(ByteWriter& out, const Report& value, const ThreadNames& names) {
  Writer writer(out, names);
  report(writer, value);
  write_names(out, value.names);
}

std::optional<Report> read_report(ByteReader& in, ThreadNames& names) {
  Reader reader(in, names);
  Report value;
  report(reader, value);
  value.names = read_names(in);
  if (!in.ok()) return std::nullopt;
  return value;
}

void write_bug(ByteWriter& out, const FoundBug& value, const ThreadNames& names) {
  Writer writer(out, names);
  found_bug(writer, value);
}

std::optional<FoundBug> read_bug(ByteReader& in, ThreadNames& names) {
  Reader reader(in, names);
  FoundBug value;
  found_bug(reader, value);
  if (!in.ok()) return std::nullopt;
  return value;
}

void write_trace(ByteWriter& out, const Trace& value, const ThreadNames& names) {
  Writer writer(out, names);
  trace(writer, value);
}

std::optional<Trace> read_trace(ByteReader& in, ThreadNames& names) {
  Reader reader(in, names);
  Trace value;
  trace(reader, value);
  if (!in.ok()) return std::nullopt;
  return value;
}

void write_so_far(ByteWriter& out, const ReportSoFar& value, const ThreadNames& names) {
  Writer writer(out, names);
  so_far(writer, value);
}

std::optional<ReportSoFar> read_so_far(ByteReader& in, ThreadNames& names) {
  Reader reader(in, names);
  ReportSoFar value;
  so_far(reader, value);
  if (!in.ok()) return std::nullopt;
  return value;
}

}  // namespace thrum
