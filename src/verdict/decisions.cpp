// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by decisions_test.cpp.
#include "verdict/decisions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "report/symbolizer.hpp"
#include "verdict/tracing.hpp"

namespace thrum {

namespace {

constexpr const char* kNotSeen = "the search did not see all that the program did";

std::optional<Place> place_in_modules(const Report& report, std::uint64_t address) {
  for (std::size_t i = 0; i < report.modules.size(); ++i) {
    const Module& module = report.modules[i];
    if (address >= module.begin && address < module.end)
      return Place{Place::Space::module, static_cast<std::uint16_t>(i), 0, address - module.bias};
  }
  return std::nullopt;
}

// The file is empty where it is not known.
Location location_of(const Report& report, std::uint64_t code) {
  const std::optional<Place> place = place_in_modules(report, code);
  const std::vector<SourceLine> lines = place ? stack_lines(report, {*place}) : std::vector<SourceLine>();
  if (lines.empty()) return {};
  return {"", "", lines[0].file, lines[0].line, lines[0].function};
}

std::string name_of(const Report& report, std::uint64_t object, std::uint32_t size) {
  const std::optional<Place> place = place_in_modules(report, object);
  return place ? symbolizer().data(report.modules[place->owner].path, place->offset, size) : "";
}

// As a debugger shows integers of that size.
std::int64_t number_of(std::uint64_t value, std::uint32_t size) {
  switch (size) {
    case 2: return static_cast<std::int16_t>(value);
    case 4: return static_cast<std::int32_t>(value);
    default: return static_cast<std::int64_t>(value);
  }
}

// What looks like an address stands in hexadecimal.
std::string value_words(std::int64_t number) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 40;
  const bool is_small = number > -kLarge && number < kLarge;
  return is_small ? fmt::format("{}", number) : fmt::format("{:#x}", static_cast<std::uint64_t>(number));
}

class Reads {
 public:
  Reads(const WorkerOutcome& outcome, bool is_weakened) : outcome_(outcome), is_weakened_(is_weakened) {}

  void add(const ShownRead& read);
  std::vector<ReadResult> take();

 private:
  struct Line {
    std::set<std::int64_t> values;
    std::uint64_t ways = 0;
    std::uint64_t undecided = 0;
    std::string reason;
  };
  using Key =
      std::tuple<std::string, std::uint32_t, std::string, std::string>;  // file, line, function, object

  const WorkerOutcome& outcome_;
  bool is_weakened_;
  std::map<Key, std::map<std::string, Line>> lines_;  // by thread
};

// What one line of the source reads several times is one.
void Reads::add(const ShownRead& read) {
  const Location where = location_of(outcome_.report, read.code);
  const std::string object = read.object == 0 ? "" : name_of(outcome_.report, read.object, read.size);
  Line& line =
      lines_[{where.file, where.line, where.function, object}][outcome_.decision_threads.at(read.thread)];
  for (const std::uint64_t value : read.values) line.values.insert(number_of(value, read.size));
  line.ways += read.ways;
  line.undecided += is_weakened_ ? read.ways : read.undecided;
  if (line.reason.empty()) line.reason = is_weakened_ && read.reason.empty() ? kNotSeen : read.reason;
}

std::vector<ReadResult> Reads::take() {
  std::vector<ReadResult> results;
  for (const auto& [key, threads] : lines_) {
    const std::size_t first = results.size();
    for (const auto& [thread, line] : threads) {
      ReadResult result;
      std::tie(result.where.file, result.where.line, result.where.function, result.object) = key;
      for (const std::int64_t value : line.values) {
        if (result.values.size() < ReadResult::kValuesMax) result.values.push_back(value_words(value));
      }
      result.values_count = line.values.size();
      result.reason = line.undecided > 0 ? line.reason : "";
      const auto same = std::find_if(
          results.begin() + static_cast<std::ptrdiff_t>(first), results.end(), [&](const ReadResult& other) {
            return other.values == result.values && other.values_count == result.values_count &&
                   other.reason == result.reason;
          });
      ReadResult& merged = same == results.end() ? results.emplace_back(std::move(result)) : *same;
      merged.threads.push_back(thread);
      merged.ways += line.ways;
      merged.undecided += line.undecided;
    }
  }
  return results;
}

}  // namespace

void add_decisions(const WorkerOutcome& outcome, bool lists_reads, bool is_weakened,
                   CausalityResult& result) {
  for (const UndecidedPlace& undecided : outcome.decisions.undecided) {
    UndecidedResult& place = result.undecided_places.emplace_back();
    place.where = location_of(outcome.report, undecided.code);
    place.where.thread = outcome.decision_threads.at(undecided.thread);
    place.reason = undecided.reason;
  }
  if (is_weakened) result.unreachable = 0;
  if (!lists_reads) return;
  Reads reads(outcome, is_weakened);
  for (const ShownRead& read : outcome.decisions.reads) reads.add(read);
  result.reads = reads.take();
}

}  // namespace thrum
