// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/notes.hpp"

#include <algorithm>
#include <utility>

#include "runtime/modules.hpp"
#include "runtime/record.hpp"
namespace thrum {

constinit Forever<Notes> the_notes;

void Notes::weaker_atomic(std::uint64_t code) {
  std::uint64_t& recent = recent_[(code >> 2) % kRecent];
  if (recent == code) return;
  recent = code;
  if (std::find(weaker_atomics_.begin(), weaker_atomics_.end(), code) == weaker_atomics_.end())
    weaker_atomics_.push_back(code);
}

void Notes::uncontrolled(const char* kind, std::string text) {
  for (Note& known : uncontrolled_) {
    if (known.text != text) continue;
    ++known.count;
    return;
  }
  uncontrolled_.push_back({kind, 1, std::move(text), true, running_stack()});
}

void Notes::uncontrolled_call(const std::string& name) {
  uncontrolled("uncontrolled-call", "the program calls " + name + ", which is not under control");
}

void Notes::save(ReportSoFar& report) const {
  report.notes = uncontrolled_;
  report.notes.insert(report.notes.end(), remarks_.begin(), remarks_.end());
  for (std::uint64_t code : weaker_atomics_) find_in_modules(code, report.weaker_atomics.emplace_back());
}

void Notes::load(const ReportSoFar& report) {
  uncontrolled_.clear();
  remarks_.clear();
  for (const Note& note : report.notes) (note.uncontrolled ? uncontrolled_ : remarks_).push_back(note);
  take_weaker_atomics(report);
}

void Notes::begin_part() {
  uncontrolled_.clear();
  remarks_.clear();
}

void Notes::merge(const ReportSoFar& report, ByteReader& in) {
  for (const Note& note : report.notes) {
    std::vector<Note>& notes = note.uncontrolled ? uncontrolled_ : remarks_;
    auto known =
        std::find_if(notes.begin(), notes.end(), [&](const Note& other) { return other.text == note.text; });
    if (known == notes.end()) {
      notes.push_back(note);
    } else {
      known->count += note.count;
    }
  }
  take_weaker_atomics(report);
  loop_changed_memory_ |= in.get<bool>();
  inputs_drawn_ |= in.get<bool>();
}

void Notes::take_weaker_atomics(const ReportSoFar& report) {
  for (const Place& place : report.weaker_atomics) {
    if (std::uint64_t code = address_in_module(place); code != 0) weaker_atomic(code);
  }
}

void Notes::save(ByteWriter& out) const {
  out.put(loop_changed_memory_);
  out.put(inputs_drawn_);
}

void Notes::load(ByteReader& in) {
  loop_changed_memory_ = in.get<bool>();
  inputs_drawn_ = in.get<bool>();
}

void Notes::add_to(std::vector<Note>& notes) const {
  if (!weaker_atomics_.empty()) {
    notes.push_back(
        {"weaker-atomics", weaker_atomics_.size(),
         "atomic operations that ask for less than sequential consistency were run as if they asked for it",
         false});
  }
  notes.insert(notes.end(), uncontrolled_.begin(), uncontrolled_.end());
  notes.insert(notes.end(), remarks_.begin(), remarks_.end());
  if (system_calls_not_watched_) {
    notes.push_back({"system-calls-not-watched", 1,
                     "this kernel has no syscall user dispatch: system calls of the program were not watched",
                     true});
  }
  if (inputs_drawn_) {
    notes.push_back({"inputs-fixed", 1,
                     "Inputs are fixed: those of many values (__VERIFIER_nondet_int and the like) had one "
                     "value each, drawn "
                     "by --seed; arguments, files, environment and the like were as they are now.",
                     false});
  }
  if (loop_changed_memory_) {
    notes.push_back(
        {"unseen-changes", 1,
         "a loop that seemed to wait changes memory by code that is not instrumented: schedules of "
         "it were left out",
         true});
  }
}

}  // namespace thrum
