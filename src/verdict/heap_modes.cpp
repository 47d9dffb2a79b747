// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by tests/endtoend/heap_modes_test.cpp.
#include "verdict/heap_modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace thrum {

namespace {

HeapResult heap_result(const TestResult& test) {
  return {test.heap,      test.verdict, test.reason,     test.complete,
          test.guarantee, test.bounds,  test.executions, test.statistics};
}

// The weaker of each: what both have completed.
void merge_bounds(std::vector<BoundResult>& all, const std::vector<BoundResult>& others) {
  for (BoundResult& bound : all) {
    auto other = std::find_if(others.begin(), others.end(),
                              [&](const BoundResult& one) { return one.kind == bound.kind; });
    bool both = other != others.end() && other->completed && bound.completed;
    bound.completed = both ? std::optional(std::min(*bound.completed, *other->completed)) : std::nullopt;
  }
}

void merge_cuts(std::vector<CutResult>& all, const std::vector<CutResult>& others) {
  for (const CutResult& other : others) {
    auto same =
        std::find_if(all.begin(), all.end(), [&](const CutResult& one) { return one.kind == other.kind; });
    if (same == all.end()) {
      all.push_back(other);
    } else {
      same->count += other.count;
    }
  }
}

void merge_assumptions(std::vector<Assumption>& all, const std::vector<Assumption>& others) {
  for (const Assumption& other : others) {
    auto same = std::find_if(all.begin(), all.end(), [&](const Assumption& one) {
      return one.kind == other.kind && one.text == other.text;
    });
    if (same == all.end()) {
      all.push_back(other);
    } else {
      same->count = std::max(same->count, other.count);
    }
  }
  for (Assumption& one : all) {
    if (one.kind == "one-address-assignment")
      one.text =
          "Each block of memory had two addresses, by --heap lifo and by --heap fresh; no other layout "
          "was tried.";
  }
}

bool same_place(const WarningResult& a, const WarningResult& b) {
  return a.kind == b.kind && a.lines == b.lines;
}

void merge_warnings(std::vector<WarningResult>& all, const std::vector<WarningResult>& others) {
  for (const WarningResult& other : others) {
    auto same = std::find_if(all.begin(), all.end(),
                             [&](const WarningResult& one) { return same_place(one, other); });
    if (same == all.end()) {
      all.push_back(other);
    } else {
      same->count += other.count;
    }
  }
}

std::string with_heap(const std::string& heap, const std::string& text) {
  return fmt::format("with --heap {}: {}", heap, text);
}

}  // namespace

const char* heap_name(Heap heap) { return heap == Heap::fresh ? "fresh" : "lifo"; }

Heap first_heap(const CheckOptions& options) { return options.heap == "fresh" ? Heap::fresh : Heap::lifo; }

bool wants_other_heap(const CheckOptions& options, const TestResult& first) {
  if (options.heap != kBothHeaps || first.verdict == Verdict::skipped) return false;
  return first.verdict != Verdict::bug || options.keep_going;
}

void note_first_only(TestResult& first) {
  first.heaps = {heap_result(first)};
  first.statistics.reset();
  first.heap = kBothHeaps;
  first.complete = false;
  first.whole = false;
  if (first.verdict != Verdict::skipped)
    first.guarantee =
        with_heap("lifo", first.guarantee) + "; with --heap fresh: nothing, it was not searched";
}

void merge_heaps(TestResult& all, const TestResult& second) {
  all.heaps = {heap_result(all), heap_result(second)};
  if (all.verdict != second.verdict || all.reason != second.reason) {
    const HeapResult& worse = all.heaps[second.verdict > all.verdict ? 1 : 0];
    all.reason = with_heap(worse.heap, worse.reason);
  }
  all.guarantee = all.guarantee == second.guarantee
                      ? all.guarantee + ", with --heap lifo as with fresh"
                      : with_heap(all.heap, all.guarantee) + "; " + with_heap(second.heap, second.guarantee);
  all.verdict = std::max(all.verdict, second.verdict);
  all.complete = all.complete && second.complete;
  all.whole = all.whole && second.whole;
  all.bounded = all.bounded || second.bounded;
  all.fair_only = all.fair_only || second.fair_only;
  all.heap = kBothHeaps;
  all.statistics.reset();
  all.happens_before_classes.reset();
  all.executions += second.executions;
  all.steps += second.steps;
  all.seconds += second.seconds;
  all.threads_max = std::max(all.threads_max, second.threads_max);
  all.workers = std::max(all.workers, second.workers);
  all.workers_killed += second.workers_killed;
  merge_bounds(all.bounds, second.bounds);
  merge_cuts(all.cut, second.cut);
  // The weaker one, or none where one has none.
  auto least = [](const TestResult& test) {
    return test.probability ? test.probability->per_execution.value_or(-1) : -1;
  };
  if (least(second) < least(all)) all.probability = second.probability;
  merge_assumptions(all.assumptions, second.assumptions);
  merge_warnings(all.warnings, second.warnings);
  if (all.output.empty()) all.output = second.output;
}

}  // namespace thrum
