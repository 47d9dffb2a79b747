// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file of --suite: schedules, one a line.
//
//   {"thrum_suite":1,"exhausted":true,"schedules":2,"trace":{"schema":1,"thrum":"0.1.0","program":...}}
//   finished 5c0e3d0b6b1f9a72 0.1@3=0.2
//   finished 09d21e11f0b67c58
//   end 2 8c6ad1a0b4e3f27d
//
// A section is of one search: a line with JSON, and behind it the search's schedules (suite_schedule.hpp).
// "trace" is all that a trace file says (trace_file.hpp), without a plan and an execution. A program with
// several tests has a section for each. The last line tells the number of all schedules, and the digest of
// all bytes before it: a file that was cut or changed anywhere is detected.
//
// Tested by suite_file_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/file_portions.hpp"
#include "cli/new_file.hpp"
#include "report/trace_file.hpp"
#include "support/digest.hpp"

namespace thrum {

// Writes a suite, which replaces an older file when it is finished.
class SuiteWriter {
 public:
  // If that fails, ok() is false, and errno says why.
  explicit SuiteWriter(const std::string& path) : file_(path) {}
  bool ok() const { return file_.file()->descriptor() >= 0; }

  // A section. header: its plan and its trace are not read. lines: whole ones. False: errno says why.
  bool add(const TraceFile& header, bool exhausted, const FilePart& lines);
  bool finish();

  std::uint64_t schedules() const { return schedules_; }
  bool exhausted() const { return exhausted_; }  // every section

 private:
  bool put(std::string_view bytes);

  NewFile file_;
  StreamDigest digest_;
  std::uint64_t size_ = 0;
  std::uint64_t schedules_ = 0;
  bool exhausted_ = true;
};

struct SuiteSection {
  TraceFile header;
  bool exhausted = false;   // the search that made it was
  std::uint64_t first = 1;  // the number of its first schedule; they are numbered through the file
  std::string_view text;    // all its schedules, a line each: a part of Suite::text, as these are
  std::vector<std::string_view> lines;  // without their ends
};

struct Suite {
  std::string text;  // the whole file
  std::vector<SuiteSection> sections;
  std::uint64_t schedules = 0;
  bool exhausted = true;

  Suite() = default;
  Suite(const Suite&) = delete;
  Suite& operator=(const Suite&) = delete;
  Suite(Suite&&) = default;  // the text stays where it is: it is too long to lie in the string itself
  Suite& operator=(Suite&&) = default;
};

// Whether the text begins as a suite does.
bool is_suite(std::string_view text);

// Nothing, and what is wrong with it in one line, if the text is no whole suite.
std::optional<Suite> suite_of_text(std::string text, std::string& problem);
}  // namespace thrum
