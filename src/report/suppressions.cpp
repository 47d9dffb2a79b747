// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by suppressions_test.cpp.
#include "report/suppressions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "report/source_lines.hpp"

namespace thrum {

namespace {

constexpr const char* kNames[] = {"race", "race_top", "mutex", "deadlock", "called_from_lib", "leak"};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  std::size_t begin = text.find_first_not_of(kSpace);
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// Whether name, from its beginning to its end, is what the pattern with its stars says.
bool glob(std::string_view pattern, std::string_view name) {
  std::size_t at = 0;
  std::size_t in_pattern = 0;
  std::size_t star = std::string_view::npos;  // the last one, and what it stands for so far ends at `retry`
  std::size_t retry = 0;
  while (at < name.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = in_pattern++;
      retry = at;
    } else if (in_pattern < pattern.size() && pattern[in_pattern] == name[at]) {
      ++in_pattern;
      ++at;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      at = ++retry;
    } else {
      return false;
    }
  }
  while (in_pattern < pattern.size() && pattern[in_pattern] == '*') ++in_pattern;
  return in_pattern == pattern.size();
}

BugKind kind_of(Suppression::Kind kind) {
  switch (kind) {
    case Suppression::Kind::mutex: return BugKind::lock_misuse;
    case Suppression::Kind::deadlock: return BugKind::deadlock;
    case Suppression::Kind::leak: return BugKind::leak;
    default: return BugKind::data_race;
  }
}

bool matches_line(const Suppression& suppression, const SourceLine& line) {
  return pattern_matches(suppression.pattern, line.function) ||
         pattern_matches(suppression.pattern, line.file);
}

bool matches_module(const Suppression& suppression, const TraceFile& bug, const std::vector<Place>& stack) {
  return std::any_of(stack.begin(), stack.end(), [&](const Place& place) {
    return place.space == Place::Space::module && place.owner < bug.modules.size() &&
           pattern_matches(suppression.pattern, bug.modules[place.owner]);
  });
}

bool matches_stack(const Suppression& suppression, const TraceFile& bug, const std::vector<Place>& stack) {
  if (suppression.kind == Suppression::Kind::called_from_lib) return matches_module(suppression, bug, stack);
  if (suppression.kind == Suppression::Kind::race_top) {
    std::optional<SourceLine> top = shown_line(bug, stack);
    return top && matches_line(suppression, *top);
  }
  std::vector<SourceLine> lines = all_lines(bug, stack);
  return matches_module(suppression, bug, stack) ||
         std::any_of(lines.begin(), lines.end(),
                     [&](const SourceLine& line) { return matches_line(suppression, line); });
}

}  // namespace

const char* suppression_name(Suppression::Kind kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::optional<Suppressions> Suppressions::parse(const std::string& text, std::string& problem) {
  Suppressions result;
  std::uint32_t number = 0;
  for (std::size_t at = 0; at < text.size(); ++number) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = trimmed(std::string_view(text).substr(at, end - at));
    at = end + 1;
    if (line.empty() || line.starts_with('#')) continue;
    std::size_t colon = line.find(':');
    std::string_view kind = line.substr(0, colon);
    std::string_view pattern = colon == std::string_view::npos ? "" : trimmed(line.substr(colon + 1));
    const auto* known = std::find(std::begin(kNames), std::end(kNames), kind);
    if (known == std::end(kNames)) {
      const char* hint =
          kind == "thread" || kind == "signal" ? "Thrum reports nothing of that kind; it" : "it";
      problem = fmt::format("line {}: '{}': {} takes race, race_top, mutex, deadlock, called_from_lib, leak",
                            number + 1, kind, hint);
      return std::nullopt;
    }
    if (pattern.empty()) {
      problem = fmt::format("line {}: '{}' names no pattern", number + 1, line);
      return std::nullopt;
    }
    auto kind_number = static_cast<Suppression::Kind>(known - std::begin(kNames));
    result.all_.push_back({kind_number, std::string(pattern), number + 1, 0});
  }
  return result;
}

// Each place of a leak may have a line of its own.
bool Suppressions::suppress_leak(const TraceFile& bug) {
  std::vector<Suppression*> used;
  for (const std::vector<Place>& stack : involved_stacks(bug)) {
    auto line = std::find_if(all_.begin(), all_.end(), [&](const Suppression& suppression) {
      return suppression.kind == Suppression::Kind::leak && matches_stack(suppression, bug, stack);
    });
    if (line == all_.end()) return false;
    used.push_back(&*line);
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (Suppression* line : used) ++line->count;
  return !used.empty();
}

bool Suppressions::suppress(const TraceFile& bug) {
  if (bug.trace.failure.kind == BugKind::leak) return suppress_leak(bug);
  for (Suppression& suppression : all_) {
    if (kind_of(suppression.kind) != bug.trace.failure.kind) continue;
    std::vector<std::vector<Place>> stacks = involved_stacks(bug);
    bool matches = std::any_of(stacks.begin(), stacks.end(), [&](const std::vector<Place>& stack) {
      return matches_stack(suppression, bug, stack);
    });
    if (!matches) continue;
    ++suppression.count;
    return true;
  }
  return false;
}

bool Suppressions::matches_code(const TraceFile& race) const {
  return std::any_of(all_.begin(), all_.end(), [&](const Suppression& suppression) {
    if (kind_of(suppression.kind) != BugKind::data_race) return false;
    return std::any_of(race.trace.details.access_places.begin(), race.trace.details.access_places.end(),
                       [&](const EventPlaces& access) {
                         return !access.stack.empty() && matches_stack(suppression, race, {access.stack[0]});
                       });
  });
}

bool pattern_matches(const std::string& pattern, const std::string& name) {
  bool from_begin = pattern.starts_with('^');
  bool to_end = pattern.size() > (from_begin ? 1 : 0) && pattern.ends_with('$');
  std::string inner = pattern.substr(from_begin ? 1 : 0);
  if (to_end) inner.pop_back();
  return glob((from_begin ? "" : "*") + inner + (to_end ? "" : "*"), name);
}

}  // namespace thrum
