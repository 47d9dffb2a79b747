// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/notes.hpp"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

#include "runtime/base/engine.hpp"
#include "runtime/base/modules.hpp"
#include "runtime/base/world.hpp"
#include "support/duration.hpp"

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
  const std::string_view name = kind;
  if (world.running && (name == "uncontrolled-call" || name == "uncontrolled-memory"))
    current_trace().counts.left_control = true;
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

bool Notes::draws_inputs(std::uint64_t code) {
  if (std::exchange(inputs_drawn_, true)) return false;
  first_draw_ = code;
  return true;
}

void Notes::ran_on(const std::string& thread) {
  remarks_.push_back(
      {"ran-on", 1,
       "when the time ended, thread " + thread + " was running on without an instrumented operation", false,
       running_stack()});
}

void Notes::late_wait(std::uint64_t code, std::uint64_t length_ns, bool ran_out) {
  constexpr std::uint32_t kLookedAtMax = 64;
  auto call = std::find_if(late_calls_.begin(), late_calls_.end(),
                           [&](const LateCall& known) { return known.code == code; });
  if (call == late_calls_.end()) call = late_calls_.insert(call, {code, 0});
  if (call->looked_at == kLookedAtMax) return;
  ++call->looked_at;
  add_late_wait({kLateWait, ran_out ? 1u : 0u, length_words(length_ns), false, running_stack()});
}

// Keeps one note for each place. Its count says how often the wait was seen to time out.
void Notes::add_late_wait(const Note& note) {
  auto known = std::find_if(remarks_.begin(), remarks_.end(), [&](const Note& other) {
    return other.kind == note.kind && other.stack == note.stack;
  });
  if (known == remarks_.end()) {
    remarks_.push_back(note);
  } else {
    known->count += note.count;
  }
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
    if (note.kind == kLateWait) {
      add_late_wait(note);
      continue;
    }
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
  may_go_round_ |= in.get<bool>();
  inputs_drawn_ |= in.get<bool>();
  input_vectors_ |= in.get<std::uint64_t>();
}

void Notes::take_weaker_atomics(const ReportSoFar& report) {
  for (const Place& place : report.weaker_atomics) {
    if (std::uint64_t code = address_in_module(place); code != 0) weaker_atomic(code);
  }
}

void Notes::save(ByteWriter& out) const {
  out.put(loop_changed_memory_);
  out.put(may_go_round_);
  out.put(inputs_drawn_);
  out.put(input_vectors_);
}

void Notes::load(ByteReader& in) {
  loop_changed_memory_ = in.get<bool>();
  may_go_round_ = in.get<bool>();
  inputs_drawn_ = in.get<bool>();
  input_vectors_ = in.get<std::uint64_t>();
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
    notes.push_back(
        {kSomeInputs, static_cast<std::uint64_t>(std::popcount(input_vectors_)),
         "Not all inputs were tried: those of many values (__VERIFIER_nondet_int and the like) had "
         "some of their values; arguments, files, environment and the like were as they are now.",
         false});
  }
  if (may_go_round_) {
    notes.push_back({"may-go-round",
                     1,
                     "in some schedules all threads that are left poll what others of them change for a "
                     "moment; whether they can go round for ever was not decided",
                     false,
                     {}});
  }
  if (loop_changed_memory_) {
    notes.push_back(
        {"unseen-changes", 1,
         "a loop that seemed to wait changes memory by code that is not instrumented: schedules of "
         "it were left out",
         true});
  }
}

namespace {

[[noreturn]] void refuse() {
  if (!world.running) report_without_search(nullptr, End::refused);
  cut_execution(End::refused);
}

}  // namespace

void lose_control(const char* kind, const std::string& text) {
  notes().uncontrolled(kind, text);
  refuse();
}

void lose_control_by_call(const std::string& name) {
  notes().uncontrolled_call(name);
  refuse();
}

}  // namespace thrum
