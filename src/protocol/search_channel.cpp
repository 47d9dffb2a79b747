// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/search_channel.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "support/check.hpp"
#include "support/digest.hpp"

namespace thrum {

const FatalPlan* find_fatal(const Board& board, const Plan& plan, const ThreadNames& names) {
  const std::uint32_t count = board.fatal_count.load(std::memory_order_acquire);
  if (count == 0) return nullptr;
  ByteWriter bytes;
  write_plan(bytes, plan, names);
  Digest digest;
  digest.add(bytes.bytes().data(), bytes.bytes().size());
  const FatalPlan* end = board.fatal + std::min(count, Board::kFatalMax);
  const FatalPlan* found =
      std::find_if(board.fatal, end, [&](const FatalPlan& fatal) { return fatal.plan == digest.value(); });
  return found == end ? nullptr : found;
}

void announce(Channel& channel, const Plan& plan) {
  const Policy& policy = plan.policy;
  const auto parameters = std::min<std::size_t>(policy.parameters.size(), Channel::kParametersMax);
  channel.policy = {policy.kind,     policy.base,
                    policy.fairness, policy.waiting,
                    policy.rounds,   static_cast<std::uint32_t>(parameters),
                    policy.seed,     {}};
  std::copy_n(policy.parameters.begin(), parameters, channel.policy.parameters);
  auto counts = std::min<std::size_t>(policy.counts.size(), Channel::kCountsMax);
  std::copy_n(policy.counts.begin(), counts, channel.counts);
  channel.count_count = static_cast<std::uint32_t>(counts);
  auto count = std::min<std::size_t>(plan.departures.size(), Channel::kDeparturesMax);
  std::memcpy(static_cast<void*>(channel.departures), plan.departures.data(), count * sizeof(Departure));
  channel.departure_count = static_cast<std::uint32_t>(count);
  std::uint64_t executions = channel.executions.load(std::memory_order_relaxed);
  channel.executions.store(executions + 1, std::memory_order_relaxed);
}

void pass_progress(Channel& channel, const Progress& progress) {
  constexpr std::uint64_t kUnknown = Channel::PassedProgress::kUnknown;
  Channel::PassedProgress& passed = channel.progress;
  passed.waiting = progress.waiting;
  passed.level = progress.level ? std::uint64_t{*progress.level} : kUnknown;
  passed.classes = progress.classes.value_or(kUnknown);
  passed.open = progress.open.value_or(kUnknown);
  passed.questions = progress.questions.value_or(kUnknown);
  passed.states = progress.states ? progress.states->states : kUnknown;
  passed.depth = progress.states ? progress.states->depth : 0;
  passed.bytes = progress.states ? progress.states->bytes : 0;
  passed.done = progress.done.value_or(-1);
  passed.share = progress.share;
  channel.has_progress.store(1, std::memory_order_release);
}

bool is_asked_for_progress(const Channel& channel) {
  return channel.asked.load(std::memory_order_acquire) != channel.answered.load(std::memory_order_relaxed);
}

void answer(Channel& channel, const std::function<Progress()>& ask) {
  if (!is_asked_for_progress(channel)) return;
  const std::uint32_t asked = channel.asked.load(std::memory_order_acquire);
  pass_progress(channel, ask());
  channel.answered.store(asked, std::memory_order_release);
}

void limit_steps(Channel& channel, std::uint64_t limit, std::uint64_t done) {
  // The beginning counts as a step, so that two executions in a row that hang are told apart.
  channel.steps.store(channel.steps.load() - channel.steps_left.load() + limit + 1);
  channel.steps_limit.store(limit, std::memory_order_relaxed);
  channel.steps_left.store(limit - done, std::memory_order_relaxed);
}

void note_bug(Ledger& ledger, const FoundBug& bug, const ThreadNames& names) {
  ByteWriter out;
  write_bug(out, bug, names);
  ledger.add(Ledger::Kind::bug, out.bytes());
}

void note_level(Ledger& ledger, const Report& report, const ThreadNames& names) {
  ByteWriter out;
  write_report(out, report, names);
  ledger.add(Ledger::Kind::level, out.bytes());
}

Limits limits_of(const Job& job) {
  Limits limits;
  limits.executions = job.executions;
  limits.keep_going = job.keep_going;
  limits.fairness = job.fairness;
  limits.count_classes = job.count_classes;
  limits.keeps_classes = job.keeps_classes;
  limits.count_local_states = job.count_local_states;
  limits.count_values = job.count_values;
  limits.audits = !job.digest_traces && job.repeat == 1;  // both count each execution once
  return limits;
}

void hand_in(Channel& channel, const Report& report, const ThreadNames& names) {
  ByteWriter out;
  write_report(out, report, names);
  const std::string& bytes = out.bytes();
  THRUM_CHECK(bytes.size() < kChannelSize - sizeof(Channel));
  std::memcpy(channel.report, bytes.data(), bytes.size());
  channel.report_size.store(bytes.size(), std::memory_order_release);
}

Report report_of_one_execution(const Job& job, const Trace& trace, bool under_control) {
  Report report;
  report.result.executions = 1;
  report.result.threads_max = 1;
  report.result.steps = trace.counts.steps;
  const bool failed = trace.end == End::bug;
  const bool whole = !failed && under_control;
  report.result.end = failed ? SearchEnd::bug : whole ? SearchEnd::exhausted : SearchEnd::lost_control;
  Guarantee guarantee;
  guarantee.complete = guarantee.exhausted = whole;
  report.result.claims.take(Base::nonpreemptive, trace);
  report.result.guarantee = report.result.claims.weigh(guarantee);
  if (failed && !job.replay) {
    FoundBug bug;
    bug.failure = trace.failure;
    bug.minimal = true;
    bug.execution = 1;
    bug.trace = trace;
    report.result.bugs.push_back(std::move(bug));
  }
  if (job.replay) {
    report.replayed = trace;
    report.unmet = static_cast<std::uint32_t>(job.replay->departures.size());
  }
  return report;
}

}  // namespace thrum
