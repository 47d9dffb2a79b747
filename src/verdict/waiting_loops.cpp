// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by waiting_loops_test.cpp.
#include "verdict/waiting_loops.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "verdict/tracing.hpp"

namespace thrum {

namespace {

std::string difference_words(std::uint8_t differences) {
  constexpr const char* kRegisters[] = {"rbx", "rbp", "r12", "r13", "r14", "r15"};
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::size(kRegisters); ++i) {
    if ((differences >> i & 1u) != 0) parts.emplace_back(kRegisters[i]);
  }
  if ((differences & WaitingLoop::kStackDiffers) != 0) parts.emplace_back("the stack");
  if ((differences & WaitingLoop::kArgumentsDiffer) != 0) parts.emplace_back("the operation's arguments");
  std::string words;
  for (std::size_t i = 0; i < parts.size(); ++i)
    words += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return words;
}

void describe(const WaitingLoop& loop, LoopResult& result) {
  const auto set = [&](const char* kind, std::string text) {
    result.kind = kind;
    result.text = std::move(text);
  };
  using Kind = WaitingLoop::Kind;
  switch (loop.kind) {
    case Kind::spin: return set("spin", "waits until something that its round has read is written");
    case Kind::idle_round:
      return set("idle-round",
                 "its round writes, and changes nothing; waits until something that it has read has "
                 "another value");
    case Kind::block:
      return set("block", "waits to the end of the execution behind a round that came to nothing");
    case Kind::await: return set("await", "its read waits where it would begin the round again");
    case Kind::merge:
      return set("merge",
                 "its read waits where it would begin the round again, or where a later read would lead to "
                 "the same");
    case Kind::differs: return set("ordinary", "its rounds differ in " + difference_words(loop.differences));
    case Kind::uncontrolled: return set("ordinary", "code that is not instrumented takes part in it");
  }
}

}  // namespace

std::vector<LoopResult> waiting_loops(const Report& report) {
  std::vector<LoopResult> results;
  for (const WaitingLoop& loop : report.loops) {
    LoopResult result;
    if (const std::vector<SourceLine> lines = stack_lines(report, {loop.call}); !lines.empty())
      result.where = {"", "", lines[0].file, lines[0].line, lines[0].function};
    describe(loop, result);
    const bool is_known = std::ranges::any_of(results, [&](const LoopResult& other) {
      return other.where.file == result.where.file && other.where.line == result.where.line &&
             other.text == result.text;
    });
    if (!is_known) results.push_back(std::move(result));
  }
  return results;
}

}  // namespace thrum
