// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a search has met that weakens its result, or that the user should know.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "protocol/job.hpp"
#include "runtime/forever.hpp"

namespace thrum {

class Notes {
 public:
  constexpr Notes() = default;

  // An atomic operation at that place asked for less than sequential consistency.
  void weaker_atomic(std::uint64_t code);

  // The program does something that is not under control: the result is inconclusive. Each is kept once, with
  // the stack of its first time. REQUIRES: called on the stack of the program's thread that does it.
  void uncontrolled(const char* kind, std::string text);
  // The same where what it does is a call.
  void uncontrolled_call(const std::string& name);

  // Something that the user should know, and that weakens nothing that the verdict says.
  void remark(const char* kind, std::string text) {
    remarks_.push_back({kind, 1, std::move(text), false, {}});
  }

  bool any_uncontrolled() const { return !uncontrolled_.empty(); }

  void system_calls_not_watched() { system_calls_not_watched_ = true; }

  // A loop that was taken for a waiting one changed memory by code that is not instrumented.
  void loop_changed_memory() { loop_changed_memory_ = true; }

  // A __VERIFIER_nondet function of many values was called.
  void inputs_drawn() { inputs_drawn_ = true; }

  void add_to(std::vector<Note>& notes) const;

  // A part of the search begins in this process, whose notes are others'; and what such a part has noted.
  void begin_part();
  void merge(const ReportSoFar& report, ByteReader& in);

  // For a search that is taken up in another process, whose own notes give way.
  void save(ReportSoFar& report) const;
  void save(ByteWriter& out) const;
  void load(const ReportSoFar& report);
  void load(ByteReader& in);

 private:
  void take_weaker_atomics(const ReportSoFar& report);

  static constexpr std::size_t kRecent = 256;
  std::uint64_t recent_[kRecent] = {};  // places noted lately, so that a hot one costs a comparison
  std::vector<std::uint64_t> weaker_atomics_;
  std::vector<Note> uncontrolled_;
  std::vector<Note> remarks_;
  bool loop_changed_memory_ = false;
  bool inputs_drawn_ = false;
  bool system_calls_not_watched_ = false;
};

extern constinit Forever<Notes> the_notes;
inline Notes& notes() { return the_notes.value; }

}  // namespace thrum
