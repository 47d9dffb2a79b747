// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "worker/suite_file.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <string>
#include <utility>

#include "support/check.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

// How a schedule ran, as far as it matters. left: departures that were not met.
void SuiteFile::judge(const SuiteSchedule& schedule, std::uint64_t number, const Trace& trace,
                      std::size_t left, SuiteRun& run) const {
  if (trace.end == End::bug) {
    run.failed = number;
    run.leaks = trace.failure.kind == BugKind::leak;
  } else if (left > 0 || (trace.end != End::finished && trace.end != schedule.end)) {
    const std::size_t met = schedule.plan.departures.size() - left;
    run.departed.push_back({number, static_cast<std::uint32_t>(met), trace.end});
  } else if (digest_of_events(trace, process_.names()) != schedule.events) {
    run.changed.push_back(number);
  }
}

// Takes the first line away and returns its schedule.
SuiteSchedule SuiteFile::take_schedule(std::string_view& rest) const {
  const std::size_t end = rest.find('\n');
  THRUM_CHECK(end != std::string_view::npos);
  std::optional<SuiteSchedule> schedule = schedule_of_line(rest.substr(0, end), process_.names());
  THRUM_CHECK(schedule.has_value());
  rest.remove_prefix(end + 1);
  return std::move(*schedule);
}

// A schedule whose execution lost blocks before another one was seen to free them all.
void SuiteFile::judge_suspect(const Replay& how, std::string_view lines, SuiteRun& run) const {
  const std::optional<Plan> suspect = how.take_suspect();
  if (!suspect || process_.job().leaks) return;
  Trace trace;
  const std::size_t left = how.run(*suspect, trace);
  for (std::uint64_t number = 1; trace.end == End::bug && run.failed == 0 && !lines.empty(); ++number) {
    const SuiteSchedule schedule = take_schedule(lines);
    if (schedule.plan == *suspect) judge(schedule, number, trace, left, run);
  }
}

void SuiteFile::add(const SuiteSchedule& schedule) {
  std::string line = to_line(schedule, process_.names());
  line += '\n';
  write(line);
  publish();
}

void SuiteFile::begin_again() {
  size_ = 0;
  publish();
}

void SuiteFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const long done = raw_syscall(SYS_pwrite64, file_, reinterpret_cast<long>(bytes.data()),
                                  static_cast<long>(bytes.size()), static_cast<long>(size_));
    if (done == -EINTR) continue;
    if (done <= 0) {
      process_.board().suite_error.store(done == 0 ? EIO : static_cast<std::int32_t>(-done));
      return;
    }
    bytes.remove_prefix(static_cast<std::size_t>(done));
    size_ += static_cast<std::uint64_t>(done);
  }
}

void SuiteFile::publish() const { process_.board().suite_recorded.store(size_, std::memory_order_release); }

SuiteRun SuiteFile::replay(const Replay& how) {
  SuiteRun run;
  const std::uint64_t size = process_.board().suite_size;
  if (size == 0) return run;
  const long memory = raw_syscall(SYS_mmap, 0, static_cast<long>(size), PROT_READ, MAP_PRIVATE, file_, 0);
  THRUM_CHECK(memory > 0);
  const std::string_view lines(reinterpret_cast<const char*>(memory), size);
  std::string_view rest = lines;
  Trace trace;
  while (!rest.empty() && run.failed == 0 && process_.board().stop.load(std::memory_order_relaxed) == 0) {
    const double done = 1 - static_cast<double>(rest.size()) / static_cast<double>(size);
    const SuiteSchedule schedule = take_schedule(rest);
    how.before_each(schedule.plan, done);
    const std::size_t left = how.run(schedule.plan, trace);
    if (trace.end == End::time) break;
    judge(schedule, ++run.run, trace, left, run);
  }
  if (rest.empty() && run.failed == 0) judge_suspect(how, lines, run);
  raw_syscall(SYS_munmap, memory, static_cast<long>(size));
  return run;
}

}  // namespace thrum
