// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/source_lines.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

namespace thrum {

namespace {

constexpr std::array<std::string_view, 6> kSystemFolders = {
    "/usr/include/", "/usr/lib/", "/usr/lib64/", "/lib/", "/lib64/", "/usr/local/include/c++/"};

std::vector<SourceLine> lines_of(const TraceFile& file, const std::vector<Place>& stack, bool with_system) {
  std::vector<SourceLine> result;
  for (const Place& place : stack) {
    bool module_known = place.space == Place::Space::module && place.owner < file.modules.size();
    if (!with_system && module_known && is_system_path(file.modules[place.owner])) continue;
    for (const SourceLine& line : file.lines(place)) {
      if (with_system || (!line.file.empty() && !is_system_path(line.file))) result.push_back(line);
    }
  }
  return result;
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// The compiler and the program may name the folders of a file differently.
bool is_place_of(const Failure& failure, const SourceLine& line) {
  return !failure.file.empty() && line.line == failure.line &&
         file_name(line.file) == file_name(failure.file);
}

}  // namespace

std::vector<SourceLine> all_lines(const TraceFile& file, const std::vector<Place>& stack) {
  return lines_of(file, stack, true);
}

std::vector<SourceLine> user_lines(const TraceFile& file, const std::vector<Place>& stack) {
  return lines_of(file, stack, false);
}

std::optional<SourceLine> shown_line(const TraceFile& file, const std::vector<Place>& stack) {
  std::vector<SourceLine> lines = user_lines(file, stack);
  if (!lines.empty()) return lines[0];
  // What lies in the C library has a place that helps nobody.
  for (const Place& place : stack) {
    bool is_system = place.space == Place::Space::module && place.owner < file.modules.size() &&
                     is_system_path(file.modules[place.owner]);
    if (is_system) continue;
    for (const SourceLine& line : file.lines(place)) {
      if (!line.file.empty()) return line;
    }
  }
  return std::nullopt;
}

std::optional<SourceLine> failing_line(const TraceFile& file) {
  const Failure& failure = file.trace.failure;
  if (failure.file.empty()) return shown_line(file, failing_stack(file));
  for (const SourceLine& line : failing_lines(file)) {
    if (is_place_of(failure, line)) return line;
  }
  return SourceLine{"", failure.file, failure.line};
}

std::vector<SourceLine> failing_lines(const TraceFile& file) {
  const Failure& failure = file.trace.failure;
  std::vector<SourceLine> lines = user_lines(file, failing_stack(file));
  auto place = std::find_if(lines.begin(), lines.end(),
                            [&](const SourceLine& line) { return is_place_of(failure, line); });
  if (place != lines.end()) lines.erase(lines.begin(), place);
  return lines;
}

std::vector<std::vector<Place>> involved_stacks(const TraceFile& file) {
  std::vector<std::vector<Place>> stacks;
  for (const LostBlocks& lost : file.trace.details.lost) {
    if (!lost.with_another) stacks.push_back(lost.stack);
  }
  for (const EventPlaces& access : file.trace.details.access_places) stacks.push_back(access.stack);
  if (!stacks.empty()) return stacks;
  if (file.trace.details.waiter_places.empty()) return {failing_stack(file)};
  for (const EventPlaces& waiter : file.trace.details.waiter_places) stacks.push_back(waiter.stack);
  return stacks;
}

const std::vector<Place>& failing_stack(const TraceFile& file) {
  const Trace& trace = file.trace;
  if (!trace.details.failure_stack.empty()) return trace.details.failure_stack;
  for (std::size_t i = std::min(trace.events.size(), trace.details.places.size()); i > 0; --i) {
    if (trace.events[i - 1].thread == trace.failure.thread) return trace.details.places[i - 1].stack;
  }
  return trace.details.failure_stack;
}

bool is_system_path(std::string_view path) {
  return path.ends_with("/libthrum.so") || path.ends_with("/include/thrum/thrum.hpp") ||
         path.find("/include/thrum/detail/") != std::string_view::npos ||
         std::any_of(kSystemFolders.begin(), kSystemFolders.end(),
                     [&](auto folder) { return path.starts_with(folder); });
}

std::string SourceReader::text(const std::string& file, std::uint32_t line) {
  auto [entry, is_new] = files_.try_emplace(file);
  std::vector<std::string>& lines = entry->second;
  if (is_new) {
    std::ifstream in(file);
    for (std::string text; std::getline(in, text);) {
      std::size_t begin = text.find_first_not_of(" \t");
      std::size_t end = text.find_last_not_of(" \t\r");
      lines.push_back(begin == std::string::npos ? "" : text.substr(begin, end - begin + 1));
    }
  }
  return line == 0 || line > lines.size() ? "" : lines[line - 1];
}

}  // namespace thrum
