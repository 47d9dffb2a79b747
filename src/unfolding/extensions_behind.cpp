// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Possible extensions with place replication: a step that consumes a condition is another event for each set
// of reads that it may come behind. Which sets there are is NP-hard to say, so they are tried.
#include <algorithm>
#include <iterator>
#include <vector>

#include "unfolding/prefix.hpp"

namespace thrum {

// The first event of the thread's step that consumes the condition: there are others.
void Prefix::note_change(Event event) {
  const Condition thread = events_[event].before;
  const Condition object = events_[event].object;
  Entry& without = events_[find(thread, object)];
  if (without.is_change) return;
  without.is_change = true;
  changes_of_[object].push_back(thread);
  if (!joins(cone_of(thread), cone_of(object)) || !stand(thread, object)) return;
  const std::vector<Mark> past = union_;
  // It is behind some reads in any case.
  const auto is_behind = [&](Event read) { return has(past, read); };
  if (std::ranges::any_of(reads_of_[object], is_behind)) cover(find(thread, object));
  extend_behind(thread, object, past, 0);
}

// Steps that consume the condition may come behind the read.
void Prefix::note_read(Event event) {
  const Condition object = events_[event].object;
  reads_of_[object].push_back(event);
  const auto changes = changes_of_.find(object);
  if (changes == changes_of_.end()) return;
  for (const Condition thread : std::vector<Condition>(changes->second)) {
    if (slots_.slot(thread) == slots_.slot(events_[event].before)) continue;
    if (!joins(cone_of(thread), cone_of(object))) continue;
    const std::vector<Mark> past = union_;
    if (joins(past, cone(event)) && stand(thread, object)) extend_behind(thread, object, union_, 0);
  }
}

// The step behind all reads of the condition that the past has; and the same with more of the reads, from
// that one on.
void Prefix::extend_behind(Condition thread, Condition object, std::vector<Mark> past, std::size_t from) {
  const std::vector<Event>& reads = reads_of_[object];
  std::vector<Event> behind;
  std::ranges::copy_if(reads, std::back_inserter(behind), [&](Event read) { return has(past, read); });
  const std::uint32_t number = number_of_reads(std::move(behind), true);
  if (number != 0 && find(thread, object, 0, number) == kNone) add_targets(thread, object, number, past);
  for (; from < reads.size(); ++from) {
    if (has(past, reads[from])) continue;
    if (joins(past, cone(reads[from])) && stand(thread, object))
      extend_behind(thread, object, union_, from + 1);
  }
}

}  // namespace thrum
