// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/bug.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <array>

namespace thrum {

std::string_view bug_kind_name(BugKind kind) {
  static constexpr std::array<std::string_view, kBugKindCount> kNames = {"assertion",
                                                                         "test-failure",
                                                                         "deadlock",
                                                                         "livelock",
                                                                         "data-race",
                                                                         "crash",
                                                                         "uncaught-exception",
                                                                         "use-after-free",
                                                                         "double-free",
                                                                         "buffer-overflow",
                                                                         "leak",
                                                                         "stack-overflow",
                                                                         "out-of-memory",
                                                                         "lock-misuse",
                                                                         "nonzero-exit",
                                                                         "undefined-behaviour",
                                                                         "hang",
                                                                         "invariant"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view access_kind_name(AccessKind kind) {
  static constexpr std::array<std::string_view, kAccessKindCount> kNames = {
      "read", "write", "atomic read", "atomic write", "free", "end of the thread"};
  return kNames[static_cast<std::size_t>(kind)];
}

namespace {

// The places of the two accesses of a race, in either order.
std::pair<std::uint64_t, std::uint64_t> race_codes(const Failure& failure) {
  return std::minmax(failure.accesses.front().code, failure.accesses.back().code);
}

// The places, without joins, where threads wait for each other, and for which most other threads wait in the
// end.
std::set<std::pair<Operation, std::uint64_t>> waits(const Failure& failure) {
  std::set<std::pair<Operation, std::uint64_t>> result;
  for (const Waiter& waiter : failure.waiters) {
    if (waiter.operation != Operation::thread_join) result.emplace(waiter.operation, waiter.code);
  }
  return result;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_word(char c) {
  return is_hex_digit(c) || (c >= 'g' && c <= 'z') || (c >= 'G' && c <= 'Z') || c == '_';
}

}  // namespace

bool same_bug(const Failure& a, const Failure& b) {
  // The message of a failed expectation contains values.
  if (a.kind == BugKind::test_failure && b.kind == a.kind && !a.file.empty())
    return a.file == b.file && a.line == b.line;
  if (a.kind != b.kind) return false;
  if (a.kind == BugKind::leak) return a.code == b.code;  // how much is lost differs
  if (a.kind == BugKind::hang) return true;              // its place in the loop is chance
  // UBSan's messages contain operands; other messages are fixed texts of the program.
  bool same_words = a.message == b.message || (a.kind == BugKind::undefined_behaviour &&
                                               without_numbers(a.message) == without_numbers(b.message));
  if (!same_words) return false;
  if (a.kind == BugKind::data_race) return race_codes(a) == race_codes(b);
  return a.waiters.empty() ? a.code == b.code : waits(a) == waits(b);
}

std::string without_numbers(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    bool begins = is_digit(text[i]) && (i == 0 || !is_word(text[i - 1]));
    if (!begins) {
      result += text[i++];
      continue;
    }
    bool hex = text.compare(i, 2, "0x") == 0;
    std::size_t end = i + (hex ? 2 : 0);
    while (end < text.size() && (hex ? is_hex_digit(text[end]) : is_digit(text[end]) || text[end] == '.'))
      ++end;
    if (text[end - 1] == '.') --end;  // the full stop of a sentence
    if (result.ends_with("-")) result.pop_back();
    result += '#';
    i = end;
  }
  return result;
}

}  // namespace thrum
