// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drive/suite.hpp"

#include <sys/mman.h>
#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "runtime/base/raw_syscall.hpp"
#include "runtime/base/world.hpp"
#include "runtime/judge/leaks.hpp"
#include "runtime/kernel/files.hpp"
#include "runtime/threads/scheduler.hpp"
#include "support/check.hpp"

namespace thrum {

constinit Forever<SuiteFile> the_suite_file;

namespace {

// How a schedule ran, as far as it matters.
void judge_schedule(const SuiteSchedule& schedule, std::uint64_t number, const Trace& trace, SuiteRun& run) {
  const std::size_t left = scheduler().director().left();
  if (trace.end == End::bug) {
    run.failed = number;
    run.leaks = trace.failure.kind == BugKind::leak;
  } else if (left > 0 || (trace.end != End::finished && trace.end != schedule.end)) {
    const std::size_t met = schedule.plan.departures.size() - left;
    run.departed.push_back({number, static_cast<std::uint32_t>(met), trace.end});
  } else if (digest_of_events(trace, *world.names) != schedule.events) {
    run.changed.push_back(number);
  }
}

// Takes the first line away and returns its schedule.
SuiteSchedule take_schedule(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  THRUM_CHECK(end != std::string_view::npos);
  std::optional<SuiteSchedule> schedule = schedule_of_line(rest.substr(0, end), *world.names);
  THRUM_CHECK(schedule.has_value());
  rest.remove_prefix(end + 1);
  return std::move(*schedule);
}

void run_schedule(NativeProgram& program, const Plan& plan, Trace& trace) {
  do {
    world.restarts = false;
    program.run(plan, nullptr, Wanted::all_events(), trace);
  } while (world.restarts);
}

// A schedule whose execution lost blocks before another one was seen to free them all.
void judge_suspect(NativeProgram& program, std::string_view lines, SuiteRun& run) {
  const std::optional<Plan> suspect = leak_search().take_suspect();
  if (!suspect || world.job->leaks) return;
  Trace trace;
  run_schedule(program, *suspect, trace);
  for (std::uint64_t number = 1; trace.end == End::bug && run.failed == 0 && !lines.empty(); ++number) {
    const SuiteSchedule schedule = take_schedule(lines);
    if (schedule.plan == *suspect) judge_schedule(schedule, number, trace, run);
  }
}

}  // namespace

void SuiteFile::initialize() {
  const long inherited = world.board->suite_file;
  if (inherited == 0) return;
  file_ = move_to_own_descriptors(inherited);
}

void SuiteFile::add(const SuiteSchedule& schedule) {
  std::string line = to_line(schedule, *world.names);
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
      world.board->suite_error.store(done == 0 ? EIO : static_cast<std::int32_t>(-done));
      return;
    }
    bytes.remove_prefix(static_cast<std::size_t>(done));
    size_ += static_cast<std::uint64_t>(done);
  }
}

void SuiteFile::publish() const { world.board->suite_recorded.store(size_, std::memory_order_release); }

SuiteRun SuiteFile::replay(NativeProgram& program, void (*before_each)(const Plan&, double done)) {
  SuiteRun run;
  const std::uint64_t size = world.board->suite_size;
  if (size == 0) return run;
  const long memory = raw_syscall(SYS_mmap, 0, static_cast<long>(size), PROT_READ, MAP_PRIVATE, file_, 0);
  THRUM_CHECK(memory > 0);
  const std::string_view lines(reinterpret_cast<const char*>(memory), size);
  std::string_view rest = lines;
  Trace trace;
  while (!rest.empty() && run.failed == 0 && world.board->stop.load(std::memory_order_relaxed) == 0) {
    const double done = 1 - static_cast<double>(rest.size()) / static_cast<double>(size);
    const SuiteSchedule schedule = take_schedule(rest);
    before_each(schedule.plan, done);
    run_schedule(program, schedule.plan, trace);
    if (trace.end == End::time) break;
    judge_schedule(schedule, ++run.run, trace, run);
  }
  if (rest.empty() && run.failed == 0) judge_suspect(program, lines, run);
  raw_syscall(SYS_munmap, memory, static_cast<long>(size));
  return run;
}

}  // namespace thrum
