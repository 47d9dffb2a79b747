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
  save,   // the answer is the strategy's state, and nothing else
  load,   // such a state follows; the answer is whether it is one, and nothing else
};

constexpr char kYes[] = "yes";
constexpr char kNo[] = "no";

// What other answers begin with.
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
  save_member(out, progress.open);
  save_member(out, progress.questions);
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
  load_member(in, said.progress.open);
  load_member(in, said.progress.questions);
  load_member(in, said.statistics.causality.emplace());
  return said;
}

}  // namespace

RemoteStrategy::RemoteStrategy(Channel& channel, Futex futex, ThreadNames& names,
                               std::function<bool()> is_over)
    : is_over_(std::move(is_over)),
      leader_(channel, Turn::worker, futex, [this] { return !is_at_ease_ && is_over_(); }),
      names_(names) {
  ByteWriter question;
  question.put(Question::begin);
  ask(question);
}

std::string RemoteStrategy::ask(const ByteWriter& question) const {
  if (!leader_.await_turn() || !leader_.send(question.bytes())) return "";
  return leader_.receive().value_or("");
}

std::string RemoteStrategy::ask_at_ease(const ByteWriter& question) const {
  is_at_ease_ = true;
  std::string answer = ask(question);
  is_at_ease_ = false;
  return answer;
}

void RemoteStrategy::save(ByteWriter& out, const ThreadNames&) const {
  ByteWriter question;
  question.put(Question::save);
  const std::string state = ask_at_ease(question);
  out.put(std::uint64_t{state.size()});
  for (const char byte : state) out.put(byte);
}

bool RemoteStrategy::load(ByteReader& in, ThreadNames&) {
  ByteWriter question;
  question.put(Question::load);
  const auto size = in.get<std::uint64_t>();
  if (size > in.left()) return false;
  for (std::uint64_t i = 0; i < size; ++i) question.put(in.get<char>());
  return ask_at_ease(question) == kYes;
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
  const std::string answer = ask_at_ease(question);
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

namespace {

// The strategy of a worker, as its leader has it.
class Served {
 public:
  explicit Served(std::function<std::unique_ptr<Strategy>()> make) : make_(std::move(make)) {}

  std::string answer(const std::string& message) {
    ByteReader in(message);
    const auto question = in.get<Question>();
    if (question == Question::begin || question == Question::load || !strategy_) {
      names_ = ThreadNames();
      strategy_ = make_();
    }
    ByteWriter out;
    switch (question) {
      case Question::begin: write_said(out, *strategy_); break;
      case Question::next: next(out); break;
      case Question::learn: learn(in, out); break;
      case Question::save:
        if (Durable* durable = strategy_->durable()) durable->save(out, names_);
        break;
      case Question::load: return load(in) ? kYes : kNo;
    }
    return out.take();
  }

  void end(const std::function<void(Strategy&, const ThreadNames&)>& at_end) {
    if (strategy_) at_end(*strategy_, names_);
  }

 private:
  void next(ByteWriter& out) {
    const bool has_plan = strategy_->next(plan_);
    write_said(out, *strategy_);
    const Wanted wanted = strategy_->wanted();
    out.put(wanted.what);
    out.put(wanted.from);
    out.put(std::uint64_t{wanted.known_departures});
    out.put(has_plan);
    if (has_plan) write_plan(out, plan_, names_);
  }

  void learn(ByteReader& in, ByteWriter& out) {
    if (const std::optional<Trace> learned = read_trace(in, names_)) strategy_->learn(plan_, *learned);
    write_said(out, *strategy_);
  }

  bool load(ByteReader& in) {
    Durable* durable = strategy_->durable();
    return durable != nullptr && durable->load(in, names_) && in.at_end();
  }

  std::function<std::unique_ptr<Strategy>()> make_;
  std::unique_ptr<Strategy> strategy_;
  ThreadNames names_;
  Plan plan_;
};

}  // namespace

void serve_strategy(Channel& channel, const MakeOutside& make, const std::function<bool()>& is_over,
                    Interrupt& interrupt, const std::function<void(Strategy&, const ThreadNames&)>& at_end) {
  Conversation worker(channel, Turn::leader, futex_of_libc, is_over);
  Served served([&] { return make(interrupt); });
  while (const std::optional<std::string> message = worker.receive()) {
    interrupt.lower();
    worker.send(served.answer(*message));
  }
  served.end(at_end);
}

}  // namespace thrum
