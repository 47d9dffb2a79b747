// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by fingerprint_test.cpp.
#include "report/fingerprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "report/source_lines.hpp"

namespace thrum {

namespace {

constexpr std::size_t kFunctions = 3;  // of a stack

class Hash {
 public:
  void add(std::string_view text) {
    constexpr std::uint64_t kPrime = 0x100000001b3;  // FNV-1a
    for (char c : text) value_ = (value_ ^ static_cast<unsigned char>(c)) * kPrime;
    value_ = (value_ ^ 0xff) * kPrime;
  }
  std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

std::string stack_text(const std::vector<SourceLine>& lines) {
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), kFunctions); ++i) text += lines[i].function + "\n";
  return lines.empty() ? text : text + normal_line(lines[0].text);
}

// Which stacks there are; in an order of their own, since which thread is which may differ.
std::vector<std::string> stacks(const TraceFile& file) {
  const Trace& trace = file.trace;
  if (trace.failure.waiters.empty() && trace.details.access_places.empty() && trace.details.lost.empty())
    return {stack_text(failing_lines(file))};
  std::vector<std::string> all;
  if (!trace.details.lost.empty()) {
    for (const std::vector<Place>& stack : involved_stacks(file))
      all.push_back(stack_text(user_lines(file, stack)));
  }
  for (std::size_t i = 0; i < std::min(trace.details.access_places.size(), trace.failure.accesses.size());
       ++i) {
    all.push_back(std::string(access_kind_name(trace.failure.accesses[i].kind)) + "\n" +
                  stack_text(user_lines(file, trace.details.access_places[i].stack)));
  }
  for (std::size_t i = 0; i < std::min(trace.details.waiter_places.size(), trace.failure.waiters.size());
       ++i) {
    const Waiter& waiter = trace.failure.waiters[i];
    if (waiter.operation == Operation::thread_join) continue;  // most wait for each other's end, in the end
    all.push_back(std::string(operation_name(waiter.operation)) + "\n" +
                  stack_text(user_lines(file, trace.details.waiter_places[i].stack)));
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());  // how many wait at one place does not matter
  return all;
}

}  // namespace

std::string text_fingerprint(std::string_view text) {
  std::uint64_t state = 0x243f'6a88'85a3'08d3;
  for (bool at_end = false; !at_end;) {
    std::uint64_t word = 0;  // the last one holds what is left, which may be nothing
    at_end = text.size() < sizeof word;
    text.remove_prefix(text.copy(reinterpret_cast<char*>(&word), sizeof word));
    state = std::rotl((state ^ word) * 0x9e37'79b9'7f4a'7c15, 29);
  }
  return fmt::format("{:016x}", state | 1);
}

std::string fingerprint(const TraceFile& file) {
  const Failure& failure = file.trace.failure;
  Hash hash;
  hash.add(bug_kind_name(failure.kind));
  // A check of an invariant fails behind many places; its name is the bug's.
  if (failure.kind == BugKind::invariant) {
    hash.add(failure.message);
    return hash.text();
  }
  std::vector<std::string> all = stacks(file);
  bool has_place =
      std::any_of(all.begin(), all.end(), [](const std::string& stack) { return !stack.empty(); });
  for (const std::string& stack : all) hash.add(stack);
  if (failure.kind == BugKind::assertion)
    hash.add(failure.message);  // compilers merge calls from several lines
  if (!has_place || failure.kind == BugKind::undefined_behaviour) hash.add(without_numbers(failure.message));
  return hash.text();
}

std::string normal_line(const std::string& text) {
  std::string result;
  char quote = 0;  // the one that the string or character that we are in began with
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote != 0) {
      result += c;
      if (c == '\\' && i + 1 < text.size()) {
        result += text[++i];
      } else if (c == quote) {
        quote = 0;
      }
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    if (c == '/' && text.compare(i, 2, "//") == 0) break;
    if (c == '/' && text.compare(i, 2, "/*") == 0) {
      std::size_t end = text.find("*/", i + 2);
      if (end == std::string::npos) break;
      i = end + 1;
      continue;
    }
    if (c != ' ' && c != '\t') result += c;
  }
  return result;
}

}  // namespace thrum
