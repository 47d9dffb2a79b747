// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/remote_strategy.hpp"

#include <utility>

#include "protocol/job.hpp"
#include "support/check.hpp"
#include "support/members.hpp"

namespace thrum {

namespace {

using Turn = Channel::Turn;

enum class Question : std::uint8_t {
  begin,  // there is to be a new strategy
  next,
  learn,  // the trace follows
};

// What each answer begins with.
struct Said {
  Guarantee guarantee;
  std::string problem;
  Progress progress;
  SearchStatistics statistics;
};

void write_said(ByteWriter& out, Strategy& strategy) {
  const Guarantee guarantee = strategy.guarantee();
  out.put(guarantee.complete);
  out.put(guarantee.exhausted);
  out.put(guarantee.covers);
  Reporting& reporting = strategy.reporting();
  out.put_string(reporting.problem());
  const Progress progress = reporting.progress();
  out.put(progress.waiting);
  out.put(progress.done.value_or(-1));
  save_member(out, reporting.statistics().causality.value_or(CausalityStatistics()));
}

Said read_said(ByteReader& in) {
  Said said;
  said.guarantee.complete = in.get<bool>();
  said.guarantee.exhausted = in.get<bool>();
  said.guarantee.covers = in.get<Covers>();
  said.problem = in.get_string();
  said.progress.waiting = in.get<std::uint64_t>();
  const auto done = in.get<double>();
  if (done >= 0) said.progress.done = done;
  load_member(in, said.statistics.causality.emplace());
  return said;
}

}  // namespace

RemoteStrategy::RemoteStrategy(Channel& channel, Futex futex, ThreadNames& names,
                               std::function<bool()> is_over)
    : leader_(channel, Turn::worker, futex, std::move(is_over)), names_(names) {
  ByteWriter question;
  question.put(Question::begin);
  ask(question);
}

std::string RemoteStrategy::ask(const ByteWriter& question) {
  if (!leader_.await_turn() || !leader_.send(question.bytes())) return "";
  return leader_.receive().value_or("");
}

bool RemoteStrategy::next(Plan& plan) {
  ByteWriter question;
  question.put(Question::next);
  const std::string answer = ask(question);
  if (answer.empty()) {
    guarantee_ = {};
    problem_ = "the time ended while the solver was at work";
    return false;
  }
  ByteReader in(answer);
  take(in);
  wanted_.what = in.get<Wanted::Set>();
  wanted_.from = in.get<Wanted::From>();
  wanted_.known_departures = in.get<std::uint64_t>();
  if (!in.get<bool>()) {
    // Whoever gives no reason has nothing left, and is taken at its word.
    if (!guarantee_.exhausted && problem_.empty()) problem_ = "something was left undecided";
    return false;
  }
  plan = read_plan(in, names_);
  THRUM_CHECK(in.ok());
  return true;
}

void RemoteStrategy::learn(const Plan&, const Trace& trace) {
  ByteWriter question;
  question.put(Question::learn);
  write_trace(question, trace, names_);
  const std::string answer = ask(question);
  ByteReader in(answer);
  if (!answer.empty()) take(in);
}

void RemoteStrategy::take(ByteReader& in) {
  Said said = read_said(in);
  guarantee_ = said.guarantee;
  problem_ = std::move(said.problem);
  progress_ = said.progress;
  statistics_ = std::move(said.statistics);
}

void serve_strategy(Channel& channel, const std::function<std::unique_ptr<Strategy>()>& make,
                    const std::function<bool()>& is_over) {
  Conversation worker(channel, Turn::leader, futex_of_libc, is_over);
  std::unique_ptr<Strategy> strategy;
  ThreadNames names;
  Plan plan;
  while (const std::optional<std::string> message = worker.receive()) {
    ByteReader in(*message);
    const auto question = in.get<Question>();
    ByteWriter out;
    if (question == Question::begin || !strategy) strategy = make();
    bool has_plan = false;
    if (question == Question::next) has_plan = strategy->next(plan);
    if (question == Question::learn) {
      if (const std::optional<Trace> trace = read_trace(in, names)) strategy->learn(plan, *trace);
    }
    write_said(out, *strategy);
    if (question == Question::next) {
      const Wanted wanted = strategy->wanted();
      out.put(wanted.what);
      out.put(wanted.from);
      out.put(std::uint64_t{wanted.known_departures});
      out.put(has_plan);
      if (has_plan) write_plan(out, plan, names);
    }
    if (!worker.send(out.bytes())) return;
  }
}

}  // namespace thrum
