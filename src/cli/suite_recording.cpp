// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/suite_recording.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "campaign/strategies.hpp"
#include "model/suite_schedule.hpp"
#include "verdict/error.hpp"

namespace thrum {

namespace {

[[noreturn]] void cannot_be_written(const std::string& path, int error) {
  throw UserError("--suite " + path + ": the suite cannot be written: " + std::strerror(error));
}

// Any other file must not be replaced by mistake.
void check_replaceable(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return;
  if (!S_ISREG(status.st_mode)) throw UserError("--suite " + path + ": is no file that can be replaced");
  if (status.st_size == 0) return;
  const OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string begin(static_cast<std::size_t>(std::min<off_t>(status.st_size, 64)), '\0');
  if (file.descriptor() < 0 || !read_all(file.descriptor(), begin, 0)) cannot_be_written(path, errno);
  if (!is_suite(begin) && !begin.starts_with("end 0 "))
    throw UserError("--suite " + path + ": is there already, and is no suite");
}

// Whether the worker ran the program to its end, and it made no choice: it has one schedule then.
bool had_no_choice(const WorkerOutcome& outcome) {
  const SearchResult& search = outcome.report.result;
  return outcome.reported && !outcome.report.started_threads && search.executions == 1 &&
         search.end != SearchEnd::lost_control;
}

}  // namespace

void validate_suite(const CheckOptions& options) {
  if (options.suite.empty()) return;
  const auto refuse = [](const std::string& why) { throw UserError("--suite: " + why); };
  if (options.strategy != kSuiteStrategy)
    refuse(std::string("it takes --strategy ") + kSuiteStrategy.data() + ", and not " + options.strategy);
  if (options.bound != "none") refuse("a search with a bound does not show all states; leave --bound out");
  if (options.races == "explore") refuse("does not go together with --races explore; take report or ignore");
  if (options.list_tests) refuse("--list-tests searches nothing; leave one out");
  if (!options.checkpoint.empty() || !options.resume.empty())
    refuse("does not go together with --checkpoint and --resume");
  if (options.repeat > 1) refuse("does not go together with --repeat");
}

void SuiteRecording::begin() {
  if (path_.empty()) return;
  check_replaceable(path_);
  writer_ = std::make_unique<SuiteWriter>(path_);
  if (!writer_->ok()) cannot_be_written(path_, errno);
}

std::shared_ptr<OpenFile> SuiteRecording::begin_run() const {
  std::shared_ptr<OpenFile> file = nameless_file(path_);
  if (file == nullptr) cannot_be_written(path_, errno);
  return file;
}

void SuiteRecording::fail(int error) {
  if (error_ == 0) error_ = error;
}

void SuiteRecording::add(const WorkerOutcome& outcome, const std::shared_ptr<OpenFile>& lines,
                         const TraceFile& header) {
  FilePart part{lines->descriptor(), 0, outcome.suite.size};
  if (outcome.suite.error != 0) fail(outcome.suite.error);
  if (had_no_choice(outcome)) {
    SuiteSchedule only;
    only.end = outcome.report.result.bugs.empty() ? End::finished : End::bug;
    only.events = digest_of_events({}, header.names);
    const std::string line = to_line(only, header.names) + "\n";
    part.size = line.size();
    if (!write_all(part.file, line, 0)) fail(errno);
  }
  const bool exhausted = outcome.reported && outcome.report.result.guarantee.exhausted;
  if (!writer_->add(header, exhausted, part)) fail(errno);
}

void SuiteRecording::leave_out(const TraceFile& header) {
  if (!writer_->add(header, false, {})) fail(errno);
}

std::string SuiteRecording::finish() {
  if (!is_on()) return "";
  if (error_ == 0 && !writer_->finish()) fail(errno);
  if (error_ != 0) return "--suite " + path_ + ": the suite cannot be written: " + std::strerror(error_);
  result_ = SuiteResult{path_, writer_->schedules(), writer_->exhausted()};
  return "";
}

}  // namespace thrum
