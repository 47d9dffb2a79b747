// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/suite_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/suite_schedule.hpp"

namespace thrum {

namespace {

constexpr std::string_view kBegin = R"({"thrum_suite":)";
constexpr int kSuiteFormat = 1;
constexpr std::string_view kLastLine = "end ";

bool count_lines(const FilePart& part, std::uint64_t& count) {
  char last = '\n';
  const bool whole = read_part(part, [&](std::string_view portion) {
    count += static_cast<std::uint64_t>(std::count(portion.begin(), portion.end(), '\n'));
    last = portion.back();
    return true;
  });
  if (whole && last != '\n') errno = EIO;
  return whole && last == '\n';
}

// Reads the text from its beginning.
class SuiteReader {
 public:
  SuiteReader(Suite& suite, std::string& problem) : suite_(suite), rest_(suite.text), problem_(problem) {}

  bool read() {
    while (!rest_.starts_with(kLastLine)) {
      if (!read_section()) return false;
    }
    return read_last_line();
  }

 private:
  bool fail(const std::string& problem) {
    problem_ = problem;
    return false;
  }
  bool is_damaged() { return fail("the suite is damaged or not whole; make it again"); }

  // A whole line, without its end; false: there is none.
  bool take_line(std::string_view& line) {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) return false;
    line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return true;
  }

  bool read_section() {
    std::string_view line;
    if (!take_line(line) || !is_suite(line)) return is_damaged();
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object()) return is_damaged();
    if (json.value("thrum_suite", nlohmann::json()) != kSuiteFormat)
      return fail("the suite was written by another version of thrum; make it again");
    SuiteSection section;
    std::uint64_t count = 0;
    try {
      count = json.at("schedules").get<std::uint64_t>();
      section.exhausted = json.at("exhausted").get<bool>();
      std::string why;
      std::optional<TraceFile> header = trace_file_from_json(json.at("trace").dump(), why);
      if (!header) return is_damaged();
      section.header = std::move(*header);
    } catch (const nlohmann::json::exception&) {
      return is_damaged();
    }
    section.first = suite_.schedules + 1;
    return read_lines(std::move(section), count);
  }

  bool read_lines(SuiteSection section, std::uint64_t count) {
    const std::string_view begin = rest_;
    ThreadNames names;
    for (std::uint64_t i = 0; i < count; ++i) {
      std::string_view line;
      if (!take_line(line) || !schedule_of_line(line, names)) return is_damaged();
      section.lines.push_back(line);
    }
    section.text = begin.substr(0, begin.size() - rest_.size());
    suite_.schedules += count;
    suite_.exhausted = suite_.exhausted && section.exhausted;
    suite_.sections.push_back(std::move(section));
    return true;
  }

  bool read_last_line() {
    StreamDigest digest;
    digest.add(std::string_view(suite_.text).substr(0, suite_.text.size() - rest_.size()));
    const std::string expected = fmt::format("{}{} {:016x}\n", kLastLine, suite_.schedules, digest.value());
    return rest_ == expected || is_damaged();
  }

  Suite& suite_;
  std::string_view rest_;
  std::string& problem_;
};

}  // namespace

bool SuiteWriter::put(std::string_view bytes) {
  digest_.add(bytes);
  if (!write_all(file_.file()->descriptor(), bytes, size_)) return false;
  size_ += bytes.size();
  return true;
}

bool SuiteWriter::add(const TraceFile& header, bool exhausted, const FilePart& lines) {
  TraceFile alone = header;
  alone.plan = {};
  const std::vector<KnownRace> races = std::exchange(alone.trace.details.known_races, {});
  alone.trace.clear();
  alone.trace.details.known_races = races;
  std::uint64_t count = 0;
  if (!count_lines(lines, count)) return false;
  if (!put(fmt::format(R"({}{},"exhausted":{},"schedules":{},"trace":{}}})"
                       "\n",
                       kBegin, kSuiteFormat, exhausted, count, to_json_line(alone))))
    return false;
  schedules_ += count;
  exhausted_ = exhausted_ && exhausted;
  return read_part(lines, [&](std::string_view portion) { return put(portion); });
}

bool SuiteWriter::finish() {
  const std::string last = fmt::format("{}{} {:016x}\n", kLastLine, schedules_, digest_.value());
  return put(last) && file_.finish();
}

bool is_suite(std::string_view text) { return text.starts_with(kBegin); }

std::optional<Suite> suite_of_text(std::string text, std::string& problem) {
  std::optional<Suite> suite(std::in_place);
  suite->text = std::move(text);
  if (!SuiteReader(*suite, problem).read()) return std::nullopt;
  return suite;
}

}  // namespace thrum
