// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a search has met that weakens its result or that the user should know.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "protocol/job.hpp"
#include "runtime/base/forever.hpp"

namespace thrum {

class Notes {
 public:
  constexpr Notes() = default;

  // An atomic operation at that place asked for less than sequential consistency.
  void weaker_atomic(std::uint64_t code);

  // The program does something that is not under control, so the result is inconclusive. Each kind and text
  // is kept once, with the stack of the first time. REQUIRES: called on the stack of the thread that does it.
  void uncontrolled(const char* kind, std::string text);
  // The same for a call of that name.
  void uncontrolled_call(const std::string& name);

  // Something that the user should know and that does not weaken the verdict.
  void remark(const char* kind, std::string text) {
    remarks_.push_back({kind, 1, std::move(text), false, {}});
  }

  // The time limit was reached while that thread ran on without an instrumented operation. REQUIRES: called
  // on its stack.
  void ran_on(const std::string& thread);

  bool any_uncontrolled() const { return !uncontrolled_.empty(); }

  void system_calls_not_watched() { system_calls_not_watched_ = true; }

  // Code that is not instrumented changed memory in a loop that was taken for a waiting one.
  void loop_changed_memory() { loop_changed_memory_ = true; }

  // A wait at that place is too long to time out while other threads can go on. ran_out: it did time out in
  // the end. REQUIRES: called on the stack of the thread that waits.
  void late_wait(std::uint64_t code, std::uint64_t length_ns, bool ran_out);

  // A __VERIFIER_nondet function of many values was called at that place. False: an earlier call was noted
  // already.
  bool draws_inputs(std::uint64_t code);
  bool inputs_drawn() const { return inputs_drawn_; }
  std::uint64_t first_draw() const { return first_draw_; }  // the place; 0: it was in another process
  // An execution uses that vector of inputs.
  void try_inputs(std::uint16_t vector) { input_vectors_ |= std::uint64_t{1} << vector; }
  // All threads wait in loops whose rounds interfere: the program may run for ever.
  void may_go_round() { may_go_round_ = true; }

  void add_to(std::vector<Note>& notes) const;

  // A part of the search begins in this process; the notes so far belong to other parts. The next two pass on
  // the part's notes.
  void begin_part();
  void merge(const ReportSoFar& report, ByteReader& in);

  // For a search that is resumed in another process, where the saved notes replace those of the process.
  void save(ReportSoFar& report) const;
  void save(ByteWriter& out) const;
  void load(const ReportSoFar& report);
  void load(ByteReader& in);

 private:
  void take_weaker_atomics(const ReportSoFar& report);
  void add_late_wait(const Note& note);

  static constexpr std::size_t kRecent = 256;
  std::uint64_t recent_[kRecent] = {};  // places noted lately: a hot place costs one comparison
  std::vector<std::uint64_t> weaker_atomics_;
  std::vector<Note> uncontrolled_;
  std::vector<Note> remarks_;
  // late_wait(): the calls seen, and how often. A call has a stack for each of its callers.
  struct LateCall {
    std::uint64_t code;
    std::uint32_t looked_at;
  };
  std::vector<LateCall> late_calls_;
  bool loop_changed_memory_ = false;
  bool may_go_round_ = false;
  bool inputs_drawn_ = false;
  std::uint64_t first_draw_ = 0;
  std::uint64_t input_vectors_ = 0;  // a bit for each vector
  bool system_calls_not_watched_ = false;
};

extern constinit Forever<Notes> the_notes;
inline Notes& notes() { return the_notes.value; }

// The program is about to do something that cannot be controlled. It does not happen, and the execution is
// cut. Before the first choice the process reports and ends. kind and text: of the note in the result, which
// is inconclusive.
[[noreturn, gnu::cold]] void lose_control(const char* kind, const std::string& text);
// The same for a call of that name.
[[noreturn, gnu::cold]] void lose_control_by_call(const std::string& name);

}  // namespace thrum
