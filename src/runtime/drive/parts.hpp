// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the runtime that have state, and what each part does with its state at which moment.
//
// There are three kinds of state. A part has a row in the table of each kind that it has:
//   1. state that an execution changes, and that is restored to the snapshot before the next one;
//   2. state of one plan or of one execution;
//   3. state that was learned and outlives executions: another process needs it to resume the search or to
//      search a part of it.
// Each column of a table is a moment. At that moment every part does what its row says, in the order of the
// rows. A part that has nothing to do says so (nothing); a row with a missing column does not compile.
// for_all() is folded at compile time: it costs as much as the calls alone.
//
// The snapshot of memory is not one of the parts. It is taken after all of them, and restored after undo()
// and before restore().
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "protocol/job.hpp"
#include "runtime/base/engine.hpp"
#include "runtime/base/modules.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/base/world.hpp"
#include "runtime/judge/judging.hpp"
#include "runtime/judge/leaks.hpp"
#include "runtime/judge/recorded_values.hpp"
#include "runtime/judge/warnings.hpp"
#include "runtime/kernel/descriptors.hpp"
#include "runtime/kernel/files.hpp"
#include "runtime/kernel/output.hpp"
#include "runtime/kernel/process_state.hpp"
#include "runtime/kernel/signals.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/memory/mappings.hpp"
#include "runtime/memory/memory_limit.hpp"
#include "runtime/shortcuts/known_ends.hpp"
#include "runtime/shortcuts/waypoints.hpp"
#include "runtime/threads/allocations.hpp"
#include "runtime/threads/livelock.hpp"
#include "runtime/threads/loader.hpp"
#include "runtime/threads/round_detector.hpp"
#include "runtime/threads/scheduler.hpp"
#include "runtime/threads/test_framework.hpp"
#include "runtime/threads/thread_pool.hpp"
#include "runtime/threads/timers.hpp"
#include "support/bytes.hpp"

namespace thrum {

// An execution that begins.
struct Beginning {
  const Plan& plan;
  Wanted wanted;
  bool is_advised;  // an advisor decides besides the plan
};

// The state of a search that another process has saved.
struct Saved {
  ByteReader& in;
  ThreadNames& names;
  bool same_layout;  // objects have the same addresses as in that process
  const ReportSoFar& report;
};

// Does nothing at a moment, with any arguments.
struct Nothing {
  template <typename... Arguments>
  using Hook = void (*)(Arguments...);
  template <typename... Arguments>
  constexpr operator Hook<Arguments...>() const {
    return [](Arguments...) {};
  }
};
inline constexpr Nothing nothing;

// Main alone.
void save_threads();
void restore_threads(bool midway);

// Which loops wait. Everything else that is learned of calls does not change what a plan means, and is
// learned again.
void write_loops(ByteWriter& out);
void read_loops(ByteReader& in);

// ---- 1. Of the snapshot ----

struct SnapshotPart {
  void (*forget)();              // the snapshot will be replaced
  void (*save)();                // the present state becomes the snapshot's
  void (*undo)();                // called before memory is restored
  void (*restore)(bool midway);  // called after that; midway: a waypoint restores threads later
};

inline constexpr std::array kSnapshotParts = {
    // Shortcuts and names, which depend on the snapshot.
    SnapshotPart{[] { known_ends().forget(); }, nothing, nothing, nothing},
    SnapshotPart{[] { waypoints().forget(); }, nothing, nothing, nothing},
    SnapshotPart{[] { judging().forget(); }, nothing, nothing, nothing},
    // State in the kernel, if system calls were made, which is rare.
    SnapshotPart{nothing, [] { descriptors().save(); },
                 [] {
                   if (world.made_calls) descriptors().restore();
                 },
                 nothing},
    SnapshotPart{nothing, [] { files().save(); },
                 [] {
                   if (world.made_calls) files().restore();
                 },
                 nothing},
    SnapshotPart{nothing, nothing,
                 [] {
                   if (world.made_calls) mappings().restore();
                   world.made_calls = false;
                 },
                 nothing},
    SnapshotPart{nothing, [] { process_state().save(); }, nothing, [](bool) { process_state().restore(); }},
    SnapshotPart{nothing, [] { signals().save(); }, nothing, [](bool) { signals().restore(); }},
    SnapshotPart{nothing, [] { timers().save(); }, nothing, [](bool) { timers().restore(); }},
    // Memory that the snapshot does not hold.
    SnapshotPart{nothing, [] { the_heap.save(); }, nothing,
                 [](bool) { the_heap.restore(scheduler().slots_used()); }},
    SnapshotPart{nothing, [] { the_memory_limit.save(); }, nothing, [](bool) { the_memory_limit.restore(); }},
    // Threads, after the heap: the heap's restore needs their number.
    SnapshotPart{nothing, save_threads, nothing, restore_threads},
    SnapshotPart{nothing, [] { test_framework().save(); }, nothing, [](bool) { test_framework().restore(); }},
};

// ---- 2. Of a plan, or an execution ----

struct ExecutionPart {
  void (*begin_plan)(const Beginning&);  // executions of another plan begin
  void (*begin)(const Beginning&);       // an execution begins
};

inline constexpr std::array kExecutionParts = {
    ExecutionPart{[](const Beginning& it) { leak_search().begin_plan(it.is_advised ? nullptr : &it.plan); },
                  [](const Beginning&) { leak_search().begin(); }},
    ExecutionPart{[](const Beginning& it) { warnings().begin(it.plan); }, nothing},
    ExecutionPart{[](const Beginning& it) {
                    scheduler().spins().begin_plan(it.plan.policy.waiting == Waiting::values);
                    scheduler().awaits().begin_plan(it.plan.policy.rounds);
                  },
                  nothing},
    ExecutionPart{[](const Beginning&) { livelock_detector().begin_plan(); }, nothing},
    // Whether executions are judged depends on what the other parts and the caller want of them.
    ExecutionPart{[](const Beginning& it) {
                    const bool is_plain = waypoints().is_plain(it.wanted) && !it.is_advised;
                    judging().begin(is_plain && it.wanted.from == Wanted::From::last_departure);
                  },
                  nothing},
    ExecutionPart{nothing, [](const Beginning& it) { round_detector().begin(it.plan.policy.waiting); }},
    ExecutionPart{nothing, [](const Beginning&) { loader().reset(); }},
    ExecutionPart{nothing, [](const Beginning&) { allocations().begin(); }},
    ExecutionPart{nothing, [](const Beginning& it) { output().begin(it.wanted.has(Wanted::kPlaces)); }},
};

// ---- 3. Of the search ----

struct SearchPart {
  void (*write)(ByteWriter&, const ThreadNames&);  // for a process that resumes the search
  void (*read)(Saved&);                            // in that process: replaces its own state
  void (*begin_share)();                           // this process searches a part of another process's search
  void (*merge)(Saved&);                           // adds what such a process has learned
};

// Libraries that executions have loaded are read before these parts: before that, nothing in them has a name.
inline constexpr std::array kSearchParts = {
    SearchPart{[](ByteWriter& out, const ThreadNames&) { notes().save(out); },
               [](Saved& it) {
                 notes().load(it.report);
                 notes().load(it.in);
               },
               [] { notes().begin_part(); }, [](Saved& it) { notes().merge(it.report, it.in); }},
    SearchPart{[](ByteWriter& out, const ThreadNames&) { write_loops(out); },
               [](Saved& it) { read_loops(it.in); }, nothing, [](Saved& it) { read_loops(it.in); }},
    // Which memory is shared. Where objects have other addresses, no search that depends on it goes on.
    SearchPart{[](ByteWriter& out, const ThreadNames&) { recorded_values().save(out); },
               [](Saved& it) { recorded_values().load(it.in); }, nothing,
               [](Saved& it) { recorded_values().load(it.in); }},
    SearchPart{[](ByteWriter& out, const ThreadNames&) { test_framework().save(out); },
               [](Saved& it) { test_framework().load(it.in); },
               [] { test_framework().begin_part_of_search(); },
               [](Saved& it) { test_framework().merge(it.in); }},
    SearchPart{[](ByteWriter& out, const ThreadNames& names) { warnings().save(out, names, put_code); },
               [](Saved& it) { warnings().load(it.in, it.names, it.same_layout, get_code); },
               [] { warnings().begin_part(); },
               [](Saved& it) { warnings().merge(it.in, it.names, get_code); }},
};

// Calls that member of each row, in order.
template <const auto& table, auto moment, typename... Arguments>
void for_all(Arguments&&... arguments) {
  const auto call = [&]<std::size_t... i>(std::index_sequence<i...>) {
    static_assert(((table[i].*moment != nullptr) && ...), "a part does not say what it does at a moment");
    ((table[i].*moment)(arguments...), ...);
  };
  call(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(table)>>>());
}

}  // namespace thrum
