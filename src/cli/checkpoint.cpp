// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "cli/build.hpp"
#include "cli/option_row.hpp"
#include "verdict/error.hpp"

namespace thrum {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

std::string absolute(const std::string& path) {
  return path.empty() ? "" : fs::absolute(path).lexically_normal().string();
}

// The words of the command line that give the option its value, where a checkpoint keeps it.
Words kept_words(const OptionRow<CheckOptions>& row, const CheckOptions& options) {
  Words words;
  if (row.at_resume == AtResume::not_kept) return words;
  for (const std::string& text : texts_of(row, options)) {
    const std::string value = row.is_input ? absolute(text) : text;
    words.push_back(long_name(row.names) + (is_flag(row) ? "" : "=" + value));
  }
  return words;
}

CheckpointContents read_or_throw(const std::string& path) {
  std::string problem;
  std::optional<CheckpointContents> contents = read_checkpoint(path, problem);
  if (!contents) throw UserError("--resume " + problem);
  return std::move(*contents);
}

// Identifies a run among the runs of a check, by the members of its job in which they differ. The limits of
// executions and time are not among them: a resumed check may have others.
std::string key_of(const Job& job) {
  Job same;
  same.test = job.test;
  same.part = job.part;
  same.heap = job.heap;
  same.only_list = job.only_list;
  same.known_races = job.known_races;
  ByteWriter out;
  write_job(out, same, ThreadNames());
  return out.take();
}

// An option that belongs to the saved search, and that the words do not give the same value; empty: there is
// none.
std::string changed_option(const CheckOptions& options, const Words& words) {
  for (const OptionRow<CheckOptions>& row : check_rows()) {
    if (row.at_resume != AtResume::must_equal) continue;
    for (const std::string& word : kept_words(row, options)) {
      if (std::find(words.begin(), words.end(), word) == words.end()) return long_name(row.names);
    }
  }
  return "";
}

}  // namespace

Words kept_words(const CheckOptions& options) {
  Words all;
  for (const OptionRow<CheckOptions>& row : check_rows()) {
    const Words words = kept_words(row, options);
    all.insert(all.end(), words.begin(), words.end());
  }
  for (const std::string& input : options.inputs) all.push_back(absolute(input));
  return all;
}

CheckOptions resumed_options(const CheckOptions& options, const Words& words) {
  CheckpointContents contents = read_or_throw(options.resume);
  CheckOptions all;
  Words saved;
  // A program on the command line replaces the one in the file.
  std::copy_if(contents.words.begin(), contents.words.end(), std::back_inserter(saved),
               [&](const std::string& word) { return word.starts_with("-") || options.inputs.empty(); });
  read_options(all, saved);
  for (std::string& name : read_options(all, words)) all.given.push_back(std::move(name));
  all.arguments = options.arguments.empty() ? contents.arguments : options.arguments;
  return all;
}

Checkpoint::Checkpoint(const CheckOptions& options)
    : name_(options.checkpoint.empty() ? options.resume : options.checkpoint),
      path_(absolute(name_)),
      seconds_(options.checkpoint_seconds) {
  if (path_.empty()) return;
  const std::string directory = fs::current_path().string();
  if (!options.resume.empty()) {
    resumed_from_ = options.resume;
    contents_ = read_or_throw(options.resume);
    auto refuse = [&](const std::string& why) { throw UserError("--resume " + options.resume + ": " + why); };
    if (contents_.directory != directory)
      refuse("the check was begun in " + contents_.directory + "; go on with it there");
    if (contents_.arguments != options.arguments)
      refuse("the program was given other arguments then; leave them out");
    if (std::string option = changed_option(options, contents_.words); !option.empty())
      refuse(option + " was given otherwise then; leave it out");
    executions_before_ = 0;
    for (const SavedRun& run : contents_.runs) *executions_before_ += run.executions;
  } else if (std::error_code error; fs::exists(path_, error)) {
    // Any other file must not be overwritten by mistake.
    std::string problem;
    if (!read_checkpoint(path_, problem) && problem.find("is no checkpoint") != std::string::npos &&
        fs::file_size(path_, error) != 0)
      throw UserError("--checkpoint " + options.checkpoint + ": is there already, and is no checkpoint");
  }
  contents_.words = kept_words(options);
  contents_.arguments = options.arguments;
  contents_.directory = directory;
}

void Checkpoint::begin(const std::string& program) {
  if (path_.empty()) return;
  const std::optional<std::uint64_t> digest = digest_of_file(program);
  if (!digest) throw UserError(program + ": cannot be read");
  if (!resumed_from_.empty() && *digest != contents_.program)
    throw UserError("--resume " + resumed_from_ + ": " + program +
                    " is another program than it was then; start a new check");
  contents_.program = *digest;
  if (std::string problem = write_checkpoint(path_, contents_); !problem.empty()) throw UserError(problem);
  written_ = std::chrono::steady_clock::now();
}

const SavedRun* Checkpoint::find(const Job& job) const {
  const std::string key = key_of(job);
  auto run = std::find_if(contents_.runs.begin(), contents_.runs.end(),
                          [&](const SavedRun& one) { return one.key == key; });
  return run == contents_.runs.end() ? nullptr : &*run;
}

std::optional<WorkerOutcome> Checkpoint::ended(const Job& job, ThreadNames& names) const {
  const SavedRun* run = path_.empty() ? nullptr : find(job);
  if (run == nullptr || run->report.empty()) return std::nullopt;
  const bool used_up = job.executions != 0 && run->executions >= job.executions;
  if (run->state && !used_up) return std::nullopt;
  ByteReader in(run->report);
  std::optional<Report> report = read_report(in, names);
  if (!report)
    throw UserError("--resume " + resumed_from_ + ": the checkpoint is damaged; start a new check");
  WorkerOutcome outcome;
  outcome.report = std::move(*report);
  outcome.output = run->output;
  outcome.reported = true;
  return outcome;
}

StateSettings Checkpoint::begin_run(const Job& job) {
  StateSettings settings;
  if (path_.empty()) return settings;
  passing_ = nameless_file(path_);
  if (!passing_) throw UserError(path_ + ": the checkpoint cannot be written: " + std::strerror(errno));
  settings.file = passing_->descriptor();
  settings.seconds = seconds_;
  settings.take = [this](const PutDown& state) { take(state); };
  settings.put_back = [this] { return put_back(); };
  const SavedRun* known = find(job);
  if (known == nullptr) {
    contents_.runs.push_back({key_of(job), {}, {}, 0, {}});
    known = &contents_.runs.back();
  }
  running_ = static_cast<std::size_t>(known - contents_.runs.data());
  settings.size = put_back();
  return settings;
}

std::uint64_t Checkpoint::put_back() {
  const std::optional<SavedState>& state = contents_.runs[running_].state;
  if (!state) return 0;
  if (!copy_state(*state, passing_->descriptor(), 0))
    throw UserError(path_ + ": the checkpoint cannot be taken up: " + std::strerror(errno));
  return state->size;
}

// A report that the run has already is from an earlier process.
void Checkpoint::take(const PutDown& state) {
  if (state.size == 0) {
    tell(path_ + ": the checkpoint cannot be written: " + std::strerror(state.error));
    return;
  }
  SavedRun& run = contents_.runs[running_];
  const SavedRun before = run;
  run.report.clear();
  run.state = SavedState{passing_, state.offset, state.size, state.digest, {}};
  run.executions = state.executions;
  // If this fails, the worker will overwrite the new state, and the old one stays.
  if (!write()) run = before;
}

void Checkpoint::end_run(const WorkerOutcome& outcome, const ThreadNames& names) {
  if (path_.empty()) return;
  SavedRun& run = contents_.runs[running_];
  const SearchResult& result = outcome.report.result;
  const bool at_end =
      outcome.reported && (result.end == SearchEnd::exhausted || result.end == SearchEnd::bug);
  const bool is_put_down = outcome.reported && outcome.state && outcome.state->size > 0;
  run.report.clear();
  if (at_end) run.state.reset();
  if (is_put_down)
    run.state = SavedState{passing_, outcome.state->offset, outcome.state->size, outcome.state->digest, {}};
  if (at_end || is_put_down) {
    ByteWriter out;
    write_report(out, outcome.report, names);
    run.report = out.take();
    run.output = outcome.output;
    run.executions = result.executions;
  }
  passing_.reset();
  // Writing to disk after each of many short runs would take too long. But a state keeps a file open until it
  // is written.
  constexpr int kUnwrittenMax = 64;
  if (++unwritten_ == kUnwrittenMax || seconds_since_write() >= seconds_) write();
}

void Checkpoint::finish() {
  if (unwritten_ > 0) write();
}

double Checkpoint::seconds_since_write() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - written_).count();
}

bool Checkpoint::write() {
  tell(write_checkpoint(path_, contents_));
  written_ = std::chrono::steady_clock::now();
  if (told_.empty()) unwritten_ = 0;
  return told_.empty();
}

// A failed write does not end the search: the next one may work.
void Checkpoint::tell(const std::string& problem) {
  if (!problem.empty() && problem != told_) fmt::print(stderr, "thrum: {}; the last one stays\n", problem);
  told_ = problem;
}

std::optional<CheckpointResult> Checkpoint::result() const {
  if (path_.empty()) return std::nullopt;
  const bool can_go_on = std::any_of(contents_.runs.begin(), contents_.runs.end(),
                                     [](const SavedRun& run) { return run.state.has_value(); });
  return CheckpointResult{name_, executions_before_, can_go_on};
}

}  // namespace thrum
